package main

import "fmt"

// writeAvroEncoders writes the functions that append the Avro body of an event.
func writeAvroEncoders(s *schemas, w *writer) {
	w.needs("maps", "slices")
	for _, e := range s.events {
		w.line("func append%sAvro(b []byte, e *%s) []byte {", e.short(), e.name)
		if e.extends != nil {
			w.line("b = append%sAvro(b, &e.%s)", e.extends.short(), e.extends.name)
		}
		avroFields(w, e.own(), "e")
		w.line("return b\n}\n")
	}
}

func avroFields(w *writer, fields []*field, from string) {
	for _, f := range fields {
		avroField(w, f, from+"."+f.goName())
	}
}

func avroField(w *writer, f *field, expr string) {
	switch {
	case !f.optional:
		avroValue(w, f, expr)
	case f.isPointer() && f.typ == "record":
		w.line("if x := %s; x == nil {\nb = appendLong(b, 0)\n} else {\nb = appendLong(b, 1)", expr)
		avroFields(w, f.nested.fields, "x")
		w.line("}")
	case f.isPointer() && f.base() == "int64":
		w.line("b = appendOptLong(b, %s)", expr)
	case f.isPointer() && f.base() == "int":
		w.line("b = appendOptInt(b, %s)", expr)
	case f.isPointer():
		w.line("if x := %s; x == nil {\nb = appendLong(b, 0)\n} else {\nb = appendLong(b, 1)", expr)
		avroValue(w, f, "*x")
		w.line("}")
	case f.writtenIf != "":
		w.line("if %s || %s {\nb = appendLong(b, 1)", f.notZero(expr), f.writtenIf)
		avroValue(w, f, expr)
		w.line("} else {\nb = appendLong(b, 0)\n}")
	case f.typ == "string":
		w.line("b = appendOptString(b, %s)", f.plain(expr))
	default:
		w.line("b = appendLongOrNull(b, %s)", f.plain(expr))
	}
}

func avroValue(w *writer, f *field, expr string) {
	switch {
	case f.typ == "record":
		avroFields(w, f.nested.fields, expr)
	case f.typ == "map":
		w.line("if len(%s) > 0 {\nb = appendLong(b, int64(len(%s)))", expr, expr)
		w.line("for _, k := range slices.Sorted(maps.Keys(%s)) {", expr)
		w.line("b = appendLong(appendString(b, k), %s[k])\n}\n}\nb = appendLong(b, 0)", expr)
	case f.typ == "array" && f.nested == nil:
		w.line("b = appendStrings(b, %s)", expr)
	case f.typ == "array":
		w.line("if len(%s) > 0 {\nb = appendLong(b, int64(len(%s)))", expr, expr)
		w.line("for i := range %s {\nx := &%s[i]", expr, expr)
		avroFields(w, f.nested.fields, "x")
		w.line("}\n}\nb = appendLong(b, 0)")
	default:
		name := map[string]string{"string": "String", "long": "Long", "int": "Long", "double": "Double", "boolean": "Bool"}[f.typ]
		w.line("b = append%s(b, %s)", name, f.plain(expr))
	}
}

// plain is the value as the type that the functions of Avro and JSON take.
func (f *field) plain(expr string) string {
	want := goTypes[f.typ]
	if f.typ == "int" {
		want = "int64"
	}
	if f.base() == want {
		return expr
	}
	return fmt.Sprintf("%s(%s)", want, expr)
}

// notZero is the condition that a value is not the zero value.
func (f *field) notZero(expr string) string {
	switch f.typ {
	case "string":
		return expr + ` != ""`
	case "boolean":
		return expr
	case "array", "map":
		return "len(" + expr + ") > 0"
	}
	return expr + " != 0"
}

// writeJSONEncoders writes the functions that append an event as JSON. That of an event which
// another one extends leaves the object open.
func writeJSONEncoders(s *schemas, w *writer) {
	w.needs("maps", "slices", "strconv")
	for _, e := range s.events {
		open := false
		for _, other := range s.events {
			open = open || other.extends == e
		}
		if open {
			w.line("// append%sJSON leaves the object open.", e.short())
		}
		w.line("func append%sJSON(b []byte, e *%s) []byte {", e.short(), e.name)
		if e.extends != nil {
			w.line("b = append%sJSON(b, &e.%s)", e.extends.short(), e.extends.name)
			for _, f := range e.own() {
				jsonField(w, f, "e."+f.goName(), ",")
			}
			w.constant("}")
		} else {
			jsonObject(w, e.fields, "e", !open)
		}
		w.line("return b\n}\n")
	}
}

// jsonObject writes an object. If its first field may be left out, every field starts with a comma,
// and the first of them becomes the brace.
func jsonObject(w *writer, fields []*field, from string, end bool) {
	first := "{"
	if fields[0].omitted() {
		w.line("start := len(b)")
		first = ","
	}
	for i, f := range fields {
		separator := ","
		if i == 0 {
			separator = first
		}
		jsonField(w, f, from+"."+f.goName(), separator)
	}
	switch {
	case first == ",":
		w.line("b = closeObject(b, start)")
	case end:
		w.constant("}")
	}
}

func jsonField(w *writer, f *field, expr, separator string) {
	name := separator + `"` + f.name + `":`
	switch {
	case !f.omitted():
		w.constant(name)
		jsonValue(w, f, expr)
	case f.isPointer():
		w.line("if x := %s; x != nil {", expr)
		w.constant(name)
		if f.typ == "record" {
			jsonObject(w, f.nested.fields, "x", true)
		} else {
			jsonValue(w, f, "*x")
		}
		w.line("}")
	case f.typ == "string" && f.writtenIf == "":
		w.line("b = appendStringField(b, `%s`, %s)", name, f.plain(expr))
	case f.typ == "array" && f.nested == nil:
		w.line("b = appendStringsField(b, `%s[`, %s)", name, expr)
	case f.typ == "boolean":
		w.line("if %s {", expr)
		w.constant(name + "true")
		w.line("}")
	default:
		condition := f.notZero(expr)
		if f.writtenIf != "" {
			condition += " || " + f.writtenIf
		}
		w.line("if %s {", condition)
		w.constant(name)
		jsonValue(w, f, expr)
		w.line("}")
	}
}

func jsonValue(w *writer, f *field, expr string) {
	switch f.typ {
	case "record":
		jsonObject(w, f.nested.fields, expr, true)
	case "map":
		w.constant("{")
		w.line("for i, k := range slices.Sorted(maps.Keys(%s)) {\nif i > 0 {\nb = append(b, ',')\n}", expr)
		w.line("b = appendQuoted(b, k)\nb = append(b, ':')\nb = strconv.AppendInt(b, %s[k], 10)\n}", expr)
		w.constant("}")
	case "array":
		w.constant("[")
		w.line("for i := range %s {\nif i > 0 {\nb = append(b, ',')\n}", expr)
		if f.nested == nil {
			w.line("b = appendQuoted(b, %s[i])", expr)
		} else {
			w.line("x := &%s[i]", expr)
			jsonObject(w, f.nested.fields, "x", true)
		}
		w.line("}")
		w.constant("]")
	case "string":
		w.line("b = appendQuoted(b, %s)", f.plain(expr))
	case "double":
		w.line("b = appendFloat(b, %s)", f.plain(expr))
	case "boolean":
		w.line("b = strconv.AppendBool(b, %s)", f.plain(expr))
	default:
		if f.typ == "int" || f.base() != "int64" {
			expr = "int64(" + expr + ")"
		}
		w.line("b = strconv.AppendInt(b, %s, 10)", expr)
	}
}
