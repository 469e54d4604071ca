package schemas

import (
	"math"
	"unicode/utf8"
)

// maxDepth is how deeply the values of one record may be nested, in JSON or in
// Avro. The events need eight levels.
const maxDepth = 64

// value is a value as goavro decodes it, beside the writer's schema of it, which
// is never a union: the branch has been taken. A zero value is one that is not
// there, or null.
type value struct {
	node *node
	v    any
}

// decode reads a body with the writer's schema.
func (s *schema) decode(body []byte) (value, error) {
	if s.root.kind != kindRecord {
		return value{}, bad(ReasonWrongSchema)
	}
	r := avroReader{rest: body}
	budget := 1024 + 8*len(body)
	r.check(s.root, 0, &budget)
	if err := r.end(); err != nil {
		return value{}, err
	}
	v, rest, err := s.codec.NativeFromBinary(body)
	if err != nil || len(rest) > 0 {
		return value{}, bad(ReasonInvalidAvro) // err may quote the body
	}
	return resolve(s.root, v), nil
}

// resolve takes the branch of a union, which goavro gives as a map from the
// name of the branch's type to its value.
func resolve(n *node, v any) value {
	if n.kind == kindUnion {
		m, ok := v.(map[string]any)
		if !ok || len(m) != 1 {
			return value{}
		}
		for name, inner := range m {
			for _, b := range n.branches {
				if b.name == name || b.name == "" && string(b.kind) == name {
					return resolve(b, inner)
				}
			}
		}
		return value{}
	}
	if n.kind == kindNull {
		return value{}
	}
	return value{n, v}
}

func (v value) present() bool { return v.node != nil }

// fieldReader reads the fields of a record by name. The first failure stays. A
// field that is not there or null leaves the zero value, which is the default of
// every optional field.
type fieldReader struct {
	record value
	err    error
}

// fields starts reading v as a record.
func (v value) fields(err error) *fieldReader {
	if v.node.kind != kindRecord && err == nil {
		err = bad(ReasonWrongType)
	}
	return &fieldReader{record: v, err: err}
}

func (f *fieldReader) field(name string) value {
	if f.err != nil {
		return value{}
	}
	m, _ := f.record.v.(map[string]any)
	for i := range f.record.node.fields {
		if x := &f.record.node.fields[i]; x.name == name {
			return resolve(x.node, m[name])
		}
	}
	return value{}
}

func (f *fieldReader) wrong() {
	if f.err == nil {
		f.err = bad(ReasonWrongType)
	}
}

// asString reads a string, bytes (which Avro promotes) or an enum's symbol.
func (f *fieldReader) asString(v value) string {
	if !v.present() {
		return ""
	}
	var s string
	switch x := v.v.(type) {
	case string:
		s = x
	case []byte:
		if v.node.kind == kindFixed {
			f.wrong()
			return ""
		}
		s = string(x)
	default:
		f.wrong()
		return ""
	}
	if !utf8.ValidString(s) {
		if f.err == nil {
			f.err = bad(ReasonInvalidUTF8)
		}
		return ""
	}
	return s
}

func (f *fieldReader) asLong(v value) int64 {
	switch x := v.v.(type) {
	case int32:
		return int64(x)
	case int64:
		return x
	case nil:
	default:
		f.wrong()
	}
	return 0
}

func (f *fieldReader) asDouble(v value) float64 {
	switch x := v.v.(type) {
	case float32:
		return f.finite(float64(x))
	case float64:
		return f.finite(x)
	}
	return float64(f.asLong(v))
}

func (f *fieldReader) finite(x float64) float64 {
	if !isFinite(x) {
		f.wrong()
		return 0
	}
	return x
}

func (f *fieldReader) asBool(v value) bool {
	b, ok := v.v.(bool)
	if !ok && v.present() {
		f.wrong()
	}
	return b
}

// items returns what an array holds, nil for none.
func (f *fieldReader) items(v value) []value {
	if !v.present() {
		return nil
	}
	list, ok := v.v.([]any)
	if !ok {
		f.wrong()
		return nil
	}
	items := make([]value, len(list))
	for i, x := range list {
		items[i] = resolve(v.node.item, x)
	}
	return items
}

func (f *fieldReader) asInt(v value) int {
	n := f.asLong(v)
	if int64(int(n)) != n {
		f.wrong()
	}
	return int(n)
}

func (f *fieldReader) asInt32(v value) int32 {
	n := f.asLong(v)
	if n < math.MinInt32 || n > math.MaxInt32 {
		f.wrong()
	}
	return int32(n)
}

func (f *fieldReader) strings(name string) []string {
	var list []string
	for _, v := range f.items(f.field(name)) {
		list = append(list, f.asString(v))
	}
	return list
}

func (f *fieldReader) counts(name string) map[string]int64 {
	v := f.field(name)
	if !v.present() {
		return nil
	}
	m, ok := v.v.(map[string]any)
	if !ok || v.node.kind != kindMap {
		f.wrong()
		return nil
	}
	counts := make(map[string]int64, len(m))
	for k, x := range m {
		counts[f.asString(value{v.node, k})] = f.asLong(resolve(v.node.item, x))
	}
	return counts
}

// optional reads a field that may be absent, which is nil.
func optional[T any](f *fieldReader, name string, read func(*fieldReader, value) T) *T {
	v := f.field(name)
	if !v.present() {
		return nil
	}
	x := read(f, v)
	return &x
}

// nested reads a record with read; nil if there is none.
func nested[T any](f *fieldReader, v value, read func(*fieldReader) T) *T {
	if !v.present() {
		return nil
	}
	inner := v.fields(f.err)
	x := read(inner)
	f.err = inner.err
	return &x
}

// list reads an array of records. A null among them is an empty record.
func list[T any](f *fieldReader, name string, read func(*fieldReader) T) []T {
	var all []T
	for _, v := range f.items(f.field(name)) {
		var x T
		if p := nested(f, v, read); p != nil {
			x = *p
		}
		all = append(all, x)
	}
	return all
}
