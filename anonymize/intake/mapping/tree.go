package mapping

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"sotto/schemas"
)

// Record is what a raw record has beside its place in the log.
type Record struct {
	Value, Key []byte
	// Schema is the Avro schema that the value is written with, nil if the value is a text.
	Schema *schemas.Schema
	// Header returns the value of a header, "" if there is none; nil if there are no headers. Like the key, it may be any bytes.
	Header func(name string) string
}

func (r *Record) header(name string) string {
	if r.Header == nil {
		return ""
	}
	return r.Header(name)
}

// maxWrapped bounds how many wrappers are around a message.
const maxWrapped = 8

// decode finds the JSON document that a value is, or the Avro record, the form or what a text holds as one. It returns the
// reason if it is none.
func (s *source) decode() (reason string) {
	value := s.record.Value
	if schema := s.record.Schema; schema != nil {
		var err error
		s.tree, err = schema.Tree(value)
		if bad, ok := errors.AsType[*schemas.DecodeError](err); ok {
			return bad.Reason
		}
		return ""
	}
	switch {
	case len(value) == 0:
		return schemas.ReasonEmpty
	case !utf8.Valid(value):
		return schemas.ReasonInvalidUTF8
	}
	first := bytes.TrimLeft(value, " \t\r\n")
	switch {
	case len(first) > 0 && (first[0] == '{' || first[0] == '['):
		var ok bool
		if s.tree, ok = parseJSON(value); !ok {
			return schemas.ReasonInvalidJSON
		}
	default:
		if s.tree = s.open(unquoted(value)); s.tree == nil {
			return schemas.ReasonUnknownFormat
		}
	}
	return ""
}

// unquoted returns the text that a value is: connectors that write texts and bytes in JSON put it in quotation marks.
func unquoted(value []byte) string {
	if v, ok := parseJSON(value); ok {
		if text, ok := v.(string); ok {
			return text
		}
	}
	return string(value)
}

func parseJSON(data []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

// parseForm returns the fields of a form as an object, nil if a text is none.
func parseForm(s string) any {
	fields, err := url.ParseQuery(s)
	if err != nil || !strings.Contains(s, "=") {
		return nil
	}
	object := map[string]any{}
	for name, values := range fields {
		object[name] = strings.ToValidUTF8(values[0], "\uFFFD")
	}
	return object
}

// open returns the document that a text holds, as JSON, base64 of JSON or a form; nil if it holds none.
func (s *source) open(text string) any {
	if v, ok := s.opened[text]; ok {
		return v
	}
	if s.opened == nil {
		s.opened = map[string]any{}
	}
	v := s.opening(strings.TrimSpace(text))
	s.opened[text] = v
	return v
}

func (s *source) opening(text string) any {
	if text == "" {
		return nil
	}
	if text[0] == '{' || text[0] == '[' {
		v, _ := parseJSON([]byte(text))
		return v
	}
	if data, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(data) {
		if inner := strings.TrimSpace(string(data)); inner != "" && (inner[0] == '{' || inner[0] == '[') {
			v, _ := parseJSON([]byte(inner))
			return v
		}
		text = string(data)
	}
	if s.form {
		return parseForm(text)
	}
	return nil
}

// wrapper is what carriers put around a message.
type wrapper struct {
	When []string `yaml:"when"`
	To   string   `yaml:"to"`

	when []condition
	to   path
}

//go:embed wrappers.yaml
var wrapperFile []byte

var wrappers = sync.OnceValue(func() []wrapper {
	var all []wrapper
	if err := strict(wrapperFile, &all); err != nil {
		panic(err)
	}
	for i := range all {
		w := &all[i]
		var p problems
		w.when, w.to = p.conditions(w.When), p.path("to", w.To)
		if err := p.err(); err != nil {
			panic(err)
		}
	}
	return all
})

// roots appends the documents that a value holds, in their order: the elements of an array, and what
// is in a wrapper.
func (s *source) roots(to []any, v any, unwrap path, depth int) []any {
	if text, ok := v.(string); ok {
		if v = s.open(text); v == nil {
			return append(to, text)
		}
	}
	if list, ok := v.([]any); ok {
		for _, item := range list {
			if len(to) > maxMessages {
				break
			}
			to = s.roots(to, item, unwrap, depth)
		}
		return to
	}
	if depth < maxWrapped {
		found, rest := s.wrapped(v, unwrap)
		for _, inner := range found {
			to = s.roots(to, inner, rest, depth+1)
			v = nil
		}
	}
	if v != nil {
		to = append(to, v)
	}
	return to
}

// wrapped returns what a wrapper has around itself, nothing if a value is none, and what is left of the
// mapping's own wrapper, which is there once: what it wraps may have a member of that name.
func (s *source) wrapped(v any, unwrap path) (inner []any, rest path) {
	at := scope{s, v, v}
	if found := at.all(unwrap); len(found) > 0 {
		return found, nil
	}
	for i := range wrappers() {
		if w := &wrappers()[i]; at.meetsAll(w.when) {
			if found := at.all(w.to); len(found) > 0 {
				return found, unwrap
			}
		}
	}
	return nil, nil
}
