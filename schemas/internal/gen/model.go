package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// schemas are the records of all events.
type schemas struct {
	events  []*record // in the order of eventNames
	records []*record // nested ones in the order of their first use, then the events
}

type record struct {
	name   string
	doc    string
	fields []*field
	event  bool
	// extends is a record whose fields come first and which the Go type embeds.
	extends *record
}

// field is a field of a record. Only the forms of types that the events use are supported.
type field struct {
	record *record // that has the field
	name   string
	doc    string
	// typ is string, long, int, double, boolean, record, array or map. optional is a union of null
	// and it.
	typ      string
	optional bool
	nested   *record // of typ record, or an array's item; nil for a list of strings
	choice
}

var eventNames = []string{"RawEvent", "CleanEvent", "AuditEvent", "DeadLetter"}

// load reads the .avsc files, or the texts that take their place.
func load(dir string, texts map[string][]byte) (*schemas, error) {
	s := &schemas{}
	for _, name := range eventNames {
		text, err := texts[name], error(nil)
		if text == nil {
			text, err = os.ReadFile(filepath.Join(dir, name+".avsc"))
		}
		if err != nil {
			return nil, err
		}
		event, err := s.parseRecord(text)
		if err == nil && event.name != name {
			err = fmt.Errorf("the record's name is %s", event.name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.avsc: %w", name, err)
		}
		event.event = true
		s.events = append(s.events, event)
	}
	if uses(s.event(hot), "map") {
		return nil, fmt.Errorf("%s.avsc: a map is not supported in this event", hot)
	}
	// The fields of a clean event come first in an audit event: extend has put them there.
	s.event("AuditEvent").extends = s.event("CleanEvent")
	for key := range choices {
		if !s.has(key) {
			return nil, fmt.Errorf("choices.go has %s, which is in no schema", key)
		}
	}
	return s, nil
}

func (s *schemas) event(name string) *record { return s.events[slices.Index(eventNames, name)] }

func (s *schemas) has(key string) bool {
	return slices.ContainsFunc(s.records, func(r *record) bool {
		return slices.ContainsFunc(r.fields, func(f *field) bool { return f.key() == key })
	})
}

// own are the fields of a record that it does not get from the one that it extends.
func (r *record) own() []*field {
	if r.extends == nil {
		return r.fields
	}
	return r.fields[len(r.extends.fields):]
}

func (s *schemas) parseRecord(text []byte) (*record, error) {
	var in struct {
		Type, Name, Doc string
		Fields          []struct {
			Name, Doc string
			Type      json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	if in.Type != "record" {
		return nil, fmt.Errorf("type %s is not supported", in.Type)
	}
	r := &record{name: in.Name, doc: in.Doc}
	for _, x := range in.Fields {
		f := &field{record: r, name: x.Name, doc: x.Doc}
		f.choice = choices[f.key()]
		if err := s.parseType(f, x.Type); err != nil {
			return nil, fmt.Errorf("field %s: %w", x.Name, err)
		}
		r.fields = append(r.fields, f)
	}
	if i := slices.IndexFunc(s.records, func(known *record) bool { return known.name == r.name }); i >= 0 {
		// The schemas repeat a record that they share. A test checks that it is the same.
		return s.records[i], nil
	}
	s.records = append(s.records, r)
	return r, nil
}

func (s *schemas) parseType(f *field, text json.RawMessage) (err error) {
	var union []json.RawMessage
	if json.Unmarshal(text, &union) == nil {
		if len(union) != 2 || string(union[0]) != `"null"` {
			return fmt.Errorf("a union must be of null and one other type")
		}
		f.optional = true
		text = union[1]
	}
	if json.Unmarshal(text, &f.typ) == nil {
		if goTypes[f.typ] == "" {
			return fmt.Errorf("type %s is not supported", f.typ)
		}
		return nil
	}
	var in struct {
		Type          string
		Items, Values json.RawMessage
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	f.typ = in.Type
	switch {
	case f.typ == "record":
		f.nested, err = s.parseRecord(text)
		return err
	case f.typ == "array" && !f.optional && string(in.Items) == `"string"`:
		return nil
	case f.typ == "array" && !f.optional:
		f.nested, err = s.parseRecord(in.Items)
		return err
	case f.typ == "map" && !f.optional && string(in.Values) == `"long"`:
		return nil
	}
	return fmt.Errorf("such a type is not supported: %s", text)
}

func (f *field) key() string { return f.record.name + "." + f.name }

var goTypes = map[string]string{
	"string": "string", "long": "int64", "int": "int32", "double": "float64", "boolean": "bool",
}

// base is the Go type of a value that is there.
func (f *field) base() string {
	switch {
	case f.goType != "":
		return f.goType
	case f.typ == "record":
		return f.nested.name
	case f.typ == "array" && f.nested == nil:
		return "[]string"
	case f.typ == "array":
		return "[]" + f.nested.name
	case f.typ == "map":
		return "map[string]int64"
	}
	return goTypes[f.typ]
}

// isPointer reports whether the Go field is a pointer, whose nil is Avro's null. Other optional
// fields have no value that differs from null: their zero value stands for it.
func (f *field) isPointer() bool {
	return f.optional && (f.pointer || f.typ != "string" && !f.zeroIsNull)
}

// omitted reports whether JSON leaves the field out when it is empty.
func (f *field) omitted() bool {
	return f.optional || f.omitZero || (f.typ == "array" || f.typ == "map") && !f.always
}

// minBytes is how many bytes of Avro a value takes at least.
func (r *record) minBytes() int {
	n := 0
	for _, f := range r.fields {
		switch {
		case f.optional:
			n++
		case f.typ == "record":
			n += f.nested.minBytes()
		case f.typ == "double":
			n += 8
		default:
			n++
		}
	}
	return n
}

// goName is the Go name of a field, for example RawStart and CallID.
func (f *field) goName() string {
	var b strings.Builder
	for part := range strings.SplitSeq(f.name, "_") {
		switch part {
		case "id", "ms", "url":
			b.WriteString(strings.ToUpper(part))
		default:
			b.WriteString(capital(part))
		}
	}
	return b.String()
}

func capital(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

func lower(s string) string {
	r := []rune(s)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

// short is the name of an event in the names of functions: Raw, Clean, Audit, DeadLetter.
func (r *record) short() string { return strings.TrimSuffix(r.name, "Event") }

// extend returns the text of one event's .avsc file with the fields of another at the front, as
// that one's file has them. What follows is the field that is the event's own: "sampling".
func extend(dir, base, name string) ([]byte, error) {
	const start, own, end = "\n  \"fields\": [\n", "    {\"name\": \"sampling\"", "\n  ]\n}\n"
	from, err := os.ReadFile(filepath.Join(dir, base+".avsc"))
	if err != nil {
		return nil, err
	}
	into, err := os.ReadFile(filepath.Join(dir, name+".avsc"))
	if err != nil {
		return nil, err
	}
	_, fields, ok1 := bytes.Cut(from, []byte(start))
	fields, _, ok2 := bytes.Cut(fields, []byte(end))
	head, rest, ok3 := bytes.Cut(into, []byte(start))
	_, rest, ok4 := bytes.Cut(rest, []byte(own))
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, fmt.Errorf("%s.avsc and %s.avsc are not written in the form that gen knows", base, name)
	}
	return slices.Concat(head, []byte(start), fields, []byte(",\n"), []byte(own), rest), nil
}
