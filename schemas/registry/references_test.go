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
