package registry

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"

	"sotto/schemas"
)

func TestSchemasWithReferences(t *testing.T) {
	f := newFakeRegistry(t)
	c := newCodec(t, f)
	const role = `{"type":"enum","name":"com.example.Role","symbols":["AGENT","CUSTOMER"]}`
	const speaker = `{"type":"record","name":"com.example.Speaker","fields":[{"name":"id","type":"string"},{"name":"role","type":"com.example.Role"}]}`
	f.add(t, "role", role)
	roleRef := sr.SchemaReference{Name: "com.example.Role", Subject: "role", Version: 1}
	f.add(t, "speaker", speaker, roleRef)
	main := rawSchema(callIDField, seqField, typeField, `{"name":"speaker","type":"com.example.Speaker"}`, `{"name":"x","type":"com.example.Role"}`)
	const body = endBody + "\x04s1\x02\x00" // the speaker s1 is a CUSTOMER, and x is AGENT
	id := f.add(t, "main", main, sr.SchemaReference{Name: "com.example.Speaker", Subject: "speaker", Version: 1}, roleRef)
	got, err := c.DecodeRaw(withID(id, body))
	want := &schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.End, Speaker: &schemas.Speaker{ID: "s1", Role: schemas.RoleCustomer}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}

	// Referenced schemas that cannot be had.
	for status, check := range map[int]func(error){
		http.StatusNotFound: func(err error) { wantReason(t, "a reference to nothing", err, schemas.ReasonUnknownSchema) },
		http.StatusBadGateway: func(err error) {
			if !errors.Is(err, schemas.ErrUnavailable) {
				t.Errorf("a reference that cannot be fetched: %v", err)
			}
		},
	} {
		f.ClearInterceptors()
		f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/subjects/role") {
				return false
			}
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"error_code": %d}`, status*100+2)
			return true
		})
		_, err := newCodec(t, f).DecodeRaw(withID(id, body))
		check(err)
	}
}

// Files of Protobuf import others by the names of their references, and one file may have two names.
func TestProtobufWithReferences(t *testing.T) {
	f := newFakeRegistry(t)
	const head = `syntax = "proto3"; package com.example; `
	for id, s := range []struct {
		subject, text string
		refs          []sr.SchemaReference
	}{
		{"role", head + `enum Role { AGENT = 0; CUSTOMER = 1; }`, nil},
		{"speaker", head + `import "role.proto"; message Speaker { Role role = 1; }`, []sr.SchemaReference{{Name: "role.proto", Subject: "role", Version: 1}}},
		{"turn", head + `import "people/speaker.proto"; message Turn { Speaker by = 1; string text = 2; }`,
			[]sr.SchemaReference{{Name: "people/speaker.proto", Subject: "speaker", Version: 1}, {Name: "again.proto", Subject: "role", Version: 1}}},
	} {
		f.SeedSchema(s.subject, 1, 70+id, sr.Schema{Schema: s.text, References: s.refs, Type: sr.TypeProtobuf})
	}
	c, r := jsonCodec(t, f)
	record := withID(72, "\x00\x0a\x02\x08\x01\x12\x02hi")
	body, schema, err := c.Framed(record)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := schema.Tree(body)
	want := map[string]any{"by": map[string]any{"role": "CUSTOMER"}, "text": "hi"}
	if err != nil || !reflect.DeepEqual(tree, want) {
		t.Errorf("it is %v (%v), want %v", tree, err, want)
	}
	_, err = c.DecodeRaw(record)
	wantReason(t, "an event of ours in Protobuf", err, schemas.ReasonWrongSchema)

	// What it refers to cannot be had now: the record waits.
	f.status.Store(http.StatusBadGateway)
	if _, err := New(f.client(t), true).Schema(72); !errors.Is(err, schemas.ErrUnavailable) {
		t.Errorf("a registry that fails: %v", err)
	}
	f.status.Store(0)
	f.SeedSchema("broken", 1, 79, sr.Schema{Schema: head + `import "nobody.proto"; message M {}`, Type: sr.TypeProtobuf})
	_, err = r.Schema(79)
	wantReason(t, "an import that is no reference", err, schemas.ReasonWrongSchema)
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":             `{`,
		"a number":             `5`,
		"no type":              `{"name": "R"}`,
		"unknown type":         `"text"`,
		"array without items":  `{"type": "array"}`,
		"map of unknown":       `{"type": "map", "values": "X"}`,
		"record without name":  `{"type": "record", "fields": []}`,
		"invalid name":         `{"type": "record", "name": "a-b", "fields": []}`,
		"name with a quote":    `{"type": "record", "name": "a\"b", "fields": []}`,
		"no fields":            `{"type": "record", "name": "R"}`,
		"field twice":          `{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "int"}]}`,
		"field without type":   `{"type": "record", "name": "R", "fields": [{"name": "a"}]}`,
		"field is no object":   `{"type": "record", "name": "R", "fields": [3]}`,
		"type twice":           `{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "record", "name": "R", "fields": []}}]}`,
		"union in union":       `[["null"], "int"]`,
		"empty union":          `[]`,
		"same type in union":   `["int", "int"]`,
		"bad symbol":           `{"type": "enum", "name": "E", "symbols": ["a b"]}`,
		"enum without symbols": `{"type": "enum", "name": "E"}`,
		"fixed without size":   `{"type": "fixed", "name": "F"}`,
		"fixed of half a byte": `{"type": "fixed", "name": "F", "size": 0.5}`,
		"fixed of a gigabyte":  `{"type": "fixed", "name": "F", "size": 1073741824}`,
		"nested too deeply":    strings.Repeat(`{"type":"array","items":`, 100) + `"int"` + strings.Repeat(`}`, 100),
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
