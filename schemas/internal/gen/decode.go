package main

import "fmt"

// hot is the event that is decoded without goavro's maps and without reflection.
const hot = "RawEvent"

// inRoom reports whether the decoder of the hot event keeps what the field points to beside the
// event, so that one allocation makes both. A text needs one of its own anyway.
func (f *field) inRoom() bool { return f.isPointer() && f.typ != "string" }

// writeAvroDecoder writes the decoder of a body with the current schema of the hot event.
func writeAvroDecoder(s *schemas, w *writer) {
	e := s.event(hot)
	w.line("// rawRecord is a raw event with room for what most events point to, so that one allocation\n// makes it all.")
	w.line("type rawRecord struct {\n%s\nroom struct {", e.name)
	for _, f := range e.fields {
		if f.inRoom() {
			w.line("%s %s", f.goName(), f.base())
		}
	}
	w.line("}\n}\n\n// presence says which of the fields that may be zero were given.\ntype presence struct {")
	for _, f := range e.fields {
		if f.presence {
			w.line("%s bool", lower(f.goName()))
		}
	}
	w.line("}\n")
	w.line("// decodeRawAvro reads a body that was written with the current schema, without the detour over\n// goavro's maps.")
	w.line("func decodeRawAvro(body []byte, e *rawRecord) (presence, error) {")
	w.line("r := avroReader{rest: body}\nvar has presence")
	readFields(w, e.fields, "e")
	w.line("return has, r.end()\n}")
	if uses(e, "double") {
		w.needs("encoding/binary", "math")
		w.line("\nfunc (r *avroReader) double() float64 {\nb := r.bytes(8)\nif len(b) == 0 {\nreturn 0\n}")
		w.line("x := math.Float64frombits(binary.LittleEndian.Uint64(b))\nif !isFinite(x) {\nr.fail(ReasonWrongType)\nreturn 0\n}\nreturn x\n}")
	}
	if uses(e, "int") {
		w.needs("math")
		w.line("\nfunc (r *avroReader) int() int32 {\nv := r.long()\nif v < math.MinInt32 || v > math.MaxInt32 {")
		w.line("r.fail(ReasonInvalidAvro)\nreturn 0\n}\nreturn int32(v)\n}")
	}
}

// uses reports whether a record has a field of a type, at any depth.
func uses(r *record, typ string) bool {
	for _, f := range r.fields {
		if f.typ == typ || f.nested != nil && uses(f.nested, typ) {
			return true
		}
	}
	return false
}

func readFields(w *writer, fields []*field, into string) {
	for _, f := range fields {
		readField(w, f, into)
	}
}

func readField(w *writer, f *field, into string) {
	expr := into + "." + f.goName()
	switch {
	case f.optional && f.typ == "string" && !f.pointer && !f.presence:
		w.line("%s = %s", expr, f.fromBytes("r.optText()"))
		return
	case f.presence && !f.optional:
		w.line("has.%s = true", lower(f.goName()))
	}
	if !f.optional {
		readValue(w, f, expr)
		return
	}
	w.line("if r.some() {")
	if f.presence {
		w.line("has.%s = true", lower(f.goName()))
	}
	switch {
	case f.isPointer() && f.inRoom() && f.record.event:
		room := into + ".room." + f.goName()
		readValue(w, f, room)
		w.line("%s = &%s", expr, room)
	case f.isPointer() && f.typ == "record":
		w.line("%s = new(%s)", expr, f.base())
		readValue(w, f, "*"+expr)
	case f.isPointer():
		w.line("v := %s", f.read())
		w.line("%s = &v", expr)
	default:
		readValue(w, f, expr)
	}
	w.line("}")
}

func readValue(w *writer, f *field, expr string) {
	switch {
	case f.typ == "record":
		// A block of its own for x.
		w.line("{\nx := &%s", expr)
		readFields(w, f.nested.fields, "x")
		w.line("}")
	case f.typ == "array" && f.nested == nil:
		w.line("%s = r.strings()", expr)
	case f.typ == "array":
		w.line("for n := r.block(%d); n > 0; n = r.block(%d) {", f.nested.minBytes(), f.nested.minBytes())
		w.line("for ; n > 0 && r.reason == \"\"; n-- {\nvar x %s", f.nested.name)
		readFields(w, f.nested.fields, "x")
		w.line("%s = append(%s, x)\n}\n}", expr, expr)
	default:
		w.line("%s = %s", expr, f.read())
	}
}

// read is the call that reads a plain value, from Avro or from JSON: both readers have methods of
// the same names.
func (f *field) read() string {
	switch f.typ {
	case "string":
		return f.fromBytes("r.text()")
	case "boolean":
		return f.converted("r.bool()")
	}
	return f.converted("r." + f.typ + "()")
}

// fromBytes turns the bytes of a text into the field's type, without memory where it is one of a
// few words.
func (f *field) fromBytes(expr string) string {
	switch {
	case f.common:
		return "commonWord(" + expr + ")"
	case f.goType == "EventType":
		return "typeOf(" + expr + ")"
	case f.goType == "Role":
		return "roleOfBytes(" + expr + ")"
	}
	return f.base() + "(" + expr + ")"
}

func (f *field) converted(expr string) string {
	if f.base() == goTypes[f.typ] {
		return expr
	}
	return f.base() + "(" + expr + ")"
}

// writeJSONDecoder writes the decoder of the hot event. Its records have a function each.
func writeJSONDecoder(s *schemas, w *writer) {
	e := s.event(hot)
	w.line("// decodeRawJSON reads a raw event. Unknown fields are skipped; null is the same as absent.")
	w.line("func decodeRawJSON(data []byte, e *rawRecord) (presence, error) {")
	w.line("r, err := newJSONReader(data)\nvar has presence\nif err != nil {\nreturn has, err\n}")
	jsonCases(w, e.fields, "e")
	w.line("return has, r.end()\n}\n")
	seen := map[*record]bool{}
	var nested func(*record)
	nested = func(r *record) {
		for _, f := range r.fields {
			if x := f.nested; x != nil && !seen[x] {
				seen[x] = true
				w.line("func (r *jsonReader) %s(x *%s) {", lower(x.name), x.name)
				jsonCases(w, x.fields, "x")
				w.line("}\n")
				nested(x)
			}
		}
	}
	nested(e)
	if uses(e, "double") {
		w.needs("strconv")
		w.line("func (r *jsonReader) double() float64 {\nif c := r.peek(); c != '-' && (c < '0' || c > '9') {\nr.wrongType()\nreturn 0\n}")
		w.line("text, _ := r.number()\nv, err := strconv.ParseFloat(string(text), 64)\nif err != nil {\nr.fail(ReasonWrongType)\nreturn 0\n}\nreturn v\n}\n")
	}
	if uses(e, "int") {
		w.needs("math")
		w.line("func (r *jsonReader) int() int32 {\nv := r.long()\nif v < math.MinInt32 || v > math.MaxInt32 {\nr.fail(ReasonWrongType)\nreturn 0\n}\nreturn int32(v)\n}\n")
	}
}

func jsonCases(w *writer, fields []*field, into string) {
	w.line("var seen fieldSet\nr.object(func(name []byte) {\nswitch string(name) {")
	for i, f := range fields {
		w.line("case %q:\nr.once(&seen, %d)", f.name, i)
		jsonRead(w, f, into)
	}
	w.line("default:\nr.skip()\n}\n})")
}

// jsonRead reads the value of a field. null is the same as absent.
func jsonRead(w *writer, f *field, into string) {
	expr := into + "." + f.goName()
	switch {
	case f.typ == "string" && !f.pointer && !f.presence:
		w.line("%s = %s", expr, f.fromBytes("r.text()"))
		return
	case f.typ == "array" && f.nested == nil:
		w.line("%s = r.strings()", expr)
		return
	}
	w.line("if !r.null() {")
	if f.presence {
		w.line("has.%s = true", lower(f.goName()))
	}
	switch {
	case f.isPointer() && f.inRoom() && f.record.event:
		room := into + ".room." + f.goName()
		jsonReadValue(w, f, room)
		w.line("%s = &%s", expr, room)
	case f.isPointer() && f.typ == "record":
		w.line("%s = new(%s)", expr, f.base())
		jsonReadValue(w, f, "*"+expr)
	case f.isPointer():
		w.line("v := %s", f.read())
		w.line("%s = &v", expr)
	default:
		jsonReadValue(w, f, expr)
	}
	w.line("}")
}

func jsonReadValue(w *writer, f *field, expr string) {
	switch f.typ {
	case "record":
		w.line("r.%s(&%s)", lower(f.nested.name), expr)
	case "array":
		w.line("r.array(func() {\nvar x %s\nif !r.null() {\nr.%s(&x)\n}", f.nested.name, lower(f.nested.name))
		w.line("%s = append(%s, x)\n})", expr, expr)
	default:
		w.line("%s = %s", expr, f.read())
	}
}

// writeResolvers writes the functions that take events from the values which goavro decodes, by
// the names of the fields.
func writeResolvers(s *schemas, w *writer) {
	for _, r := range s.records {
		if !r.event {
			w.line("func (f *fieldReader) %s() (x %s) {", lower(r.name), r.name)
			resolveFields(w, r.fields, "x")
			w.line("return x\n}\n")
		}
	}
	for _, e := range s.events {
		if e.name == hot {
			w.line("func (v value) %s(e *%s) (has presence, err error) {\nf := v.fields(nil)", lower(e.name), e.name)
			for _, x := range e.fields {
				if x.presence {
					w.line("has.%s = f.field(%q).present()", lower(x.goName()), x.name)
				}
			}
			resolveFields(w, e.fields, "e")
			w.line("return has, f.err\n}\n")
			continue
		}
		w.line("func (v value) %s(e *%s) error {", lower(e.name), e.name)
		if e.extends != nil {
			w.line("if err := v.%s(&e.%s); err != nil {\nreturn err\n}", lower(e.extends.name), e.extends.name)
		}
		w.line("f := v.fields(nil)")
		resolveFields(w, e.own(), "e")
		w.line("return f.err\n}\n")
	}
}

func resolveFields(w *writer, fields []*field, into string) {
	for _, f := range fields {
		expr := into + "." + f.goName()
		as := map[string]string{
			"boolean": "asBool", "double": "asDouble", "string": "asString", "long": "asLong", "int": "asInt32",
		}[f.typ]
		if f.goType == "int" {
			as = "asInt"
		}
		value := fmt.Sprintf("f.%s(f.field(%q))", as, f.name)
		switch {
		case f.typ == "record" && f.isPointer():
			w.line("%s = nested(f, f.field(%q), (*fieldReader).%s)", expr, f.name, lower(f.nested.name))
		case f.typ == "record":
			w.line("if x := nested(f, f.field(%q), (*fieldReader).%s); x != nil {\n%s = *x\n}", f.name, lower(f.nested.name), expr)
		case f.typ == "map":
			w.line("%s = f.counts(%q)", expr, f.name)
		case f.typ == "array" && f.nested == nil:
			w.line("%s = f.strings(%q)", expr, f.name)
		case f.typ == "array":
			w.line("%s = list(f, %q, (*fieldReader).%s)", expr, f.name, lower(f.nested.name))
		case f.isPointer():
			w.line("%s = optional(f, %q, (*fieldReader).%s)", expr, f.name, as)
		case f.goType == "Role":
			w.line("%s = roleOf(%s)", expr, value)
		case f.goType != "" && f.goType != "int":
			w.line("%s = %s(%s)", expr, f.goType, value)
		default:
			w.line("%s = %s", expr, value)
		}
	}
}
