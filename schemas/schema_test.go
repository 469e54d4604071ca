package schemas

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestFingerprintsAreThoseOfOtherImplementations(t *testing.T) {
	// Computed with fastavro 1.13.1, which gives the bytes in the order of the
	// single-object header.
	want := [numKinds]string{"46f8c6746496b1d8", "4c331c0707ecdd3a", "e225796e010022b1", "f593522eaba62b0e"}
	for k, f := range families() {
		got := hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, f.current.fingerprint))
		if got != want[k] {
			t.Errorf("%s: fingerprint %s, want %s; if the schema was changed on purpose, compute it with another implementation than ours", recordNames[k], got, want[k])
		}
	}
}

func TestCanonicalForm(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"primitive":         {`"int"`, `"int"`},
		"primitive object":  {`{"type": "string", "avro.java.string": "String"}`, `"string"`},
		"logical type":      {`{"type": "long", "logicalType": "timestamp-millis"}`, `"long"`},
		"union":             {`["null", {"type": "bytes"}]`, `["null","bytes"]`},
		"type in type":      {`{"type": {"type": ["null", "int"]}}`, `["null","int"]`},
		"map of arrays":     {`{"type": "map", "values": {"type": "array", "items": "long"}}`, `{"type":"map","values":{"type":"array","items":"long"}}`},
		"names are full":    {`{"type": "record", "name": "R", "namespace": "a.b", "doc": "d", "fields": [{"name": "e", "default": "X", "type": {"type": "enum", "name": "E", "symbols": ["X", "Y"]}}, {"name": "f", "type": "E"}]}`, `{"name":"a.b.R","type":"record","fields":[{"name":"e","type":{"name":"a.b.E","type":"enum","symbols":["X","Y"]}},{"name":"f","type":"a.b.E"}]}`},
		"namespace changes": {`{"type": "record", "name": "a.R", "namespace": "z", "fields": [{"name": "f", "type": {"type": "fixed", "name": "F", "namespace": "b", "size": 4}}, {"name": "g", "type": ["null", "b.F", "R"]}]}`, `{"name":"a.R","type":"record","fields":[{"name":"f","type":{"name":"b.F","type":"fixed","size":4}},{"name":"g","type":["null","b.F","a.R"]}]}`},
	} {
		s, err := ParseSchema(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := s.Canonical(); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
		if codec := goavroOf(t, s); codec.CanonicalSchema() != c.want || codec.Rabin != s.fingerprint {
			t.Errorf("%s: goavro has the form %s with fingerprint %x, not %x", name, codec.CanonicalSchema(), codec.Rabin, s.fingerprint)
		}
	}
}

// goTypes are the Go types of the records in our schemas, by name.
var goTypes = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Struct:
			types[t.Name()] = t
			for i := range t.NumField() {
				walk(t.Field(i).Type)
			}
		}
	}
	for _, event := range []any{RawEvent{}, CleanEvent{}, AuditEvent{}, DeadLetter{}} {
		walk(reflect.TypeOf(event))
	}
	return types
}()

// jsonNames are the fields of a Go type in order, embedded ones in place.
func jsonNames(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, jsonNames(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func TestSchemasHaveTheFieldsOfTheGoTypes(t *testing.T) {
	seen := map[string]string{}
	for _, f := range families() {
		root := parseText(t, f.text)
		eachRecord(root, func(n *node) {
			short, ok := strings.CutPrefix(n.name, Namespace+".")
			goType := goTypes[short]
			if !ok || goType == nil {
				t.Errorf("record %s: no Go type, or not in the namespace %s", n.name, Namespace)
				return
			}
			var fields []string
			for _, x := range n.fields {
				fields = append(fields, x.name)
			}
			if want := jsonNames(goType); !reflect.DeepEqual(fields, want) {
				t.Errorf("record %s:\nthe schema has %v\nthe Go type  %v", short, fields, want)
			}
			// The same type in two schemas must be the same.
			if form := (&Schema{root: n}).Canonical(); seen[short] == "" {
				seen[short] = form
			} else if seen[short] != form {
				t.Errorf("record %s differs between schemas", short)
			}
		})
	}
}

// An audit event is a clean event with one field more, so that readers of both need one mapping.
func TestAuditEventHasTheFieldsOfCleanEvent(t *testing.T) {
	read := func(name string) string {
		text, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, fields, _ := strings.Cut(string(text), "\"fields\": [\n")
		return strings.TrimSuffix(fields, "\n  ]\n}\n")
	}
	if audit := read("AuditEvent.avsc"); !strings.HasPrefix(audit, read("CleanEvent.avsc")+",\n    {\"name\": \"sampling\"") {
		t.Error("the fields of AuditEvent.avsc before sampling are not those of CleanEvent.avsc")
	}
}

// Decoding a missing field leaves the zero value, so that must be the default in the schema.
func TestDefaultsAreZeroValues(t *testing.T) {
	zero := map[string]bool{"null": true, `""`: true, "0": true, "false": true, "[]": true, "{}": true}
	for _, f := range families() {
		eachRecord(parseText(t, f.text), func(n *node) {
			for _, x := range n.fields {
				def, err := json.Marshal(x.def)
				if err != nil {
					t.Fatal(err)
				}
				if x.hasDefault && !zero[string(def)] {
					t.Errorf("%s.%s: default %s is not a zero value", n.name, x.name, def)
				}
				if x.node.kind == kindUnion && (x.node.branches[0].kind != kindNull || len(x.node.branches) != 2 || !x.hasDefault) {
					t.Errorf("%s.%s: an optional field is a union of null and one type with default null", n.name, x.name)
				}
				if x.node.kind == kindEnum {
					t.Errorf("%s.%s: words are strings, see the comment on files", n.name, x.name)
				}
			}
		})
	}
}

// parseText parses a schema as it is written, with its defaults.
func parseText(t testing.TB, text string) *node {
	t.Helper()
	p := parser{named: map[string]*node{}}
	n, err := p.parseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func eachRecord(n *node, visit func(*node)) {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.kind == kindRecord {
			visit(n)
		}
		for _, f := range n.fields {
			walk(f.node)
		}
		for _, b := range n.branches {
			walk(b)
		}
		walk(n.item)
	}
	walk(n)
}
