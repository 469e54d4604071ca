package schemas

import (
	"reflect"
	"strings"

	"github.com/linkedin/goavro/v2"
	"pgregory.net/rapid"
)

// Generators of events. They follow the Go types, so a new field is generated without being named
// here. They generate values as decoding returns them: an empty list or map is nil, and roles are
// known ones.

func genText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "Pam", "Zoë", "\"quoted\" \\ /", "a\u2028b\u2029", "\x00\x1f\x7f", "<&>", "😀", "\ufffd", "line\r\n\tnext\b\f"}),
		rapid.SampledFrom([]string{"customer_support", "sales", "en-US"}),
	)
}

func genFloat() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 0.02, 1e-7, 1e21, 123456789})).
		Filter(isFinite)
}

func genID() *rapid.Generator[string] {
	return genText().Filter(func(s string) bool { return s != "" })
}

func genEvent[E any]() *rapid.Generator[*E] {
	id := map[string]*rapid.Generator[any]{"CallID": genID().AsAny()}
	generator := rapid.MakeCustom[E](rapid.MakeConfig{
		Kinds: map[reflect.Kind]*rapid.Generator[any]{reflect.String: genText().AsAny(), reflect.Float64: genFloat().AsAny()},
		Types: map[reflect.Type]*rapid.Generator[any]{
			reflect.TypeFor[EventType](): rapid.SampledFrom([]EventType{Start, Utterance, End}).AsAny(),
			reflect.TypeFor[Role]():      rapid.SampledFrom([]Role{"", RoleAgent, RoleCustomer, RoleUnknown}).AsAny(),
			reflect.TypeFor[ClosedBy]():  rapid.SampledFrom([]ClosedBy{"", ClosedByEnd, ClosedByIdle}).AsAny(),
		},
		Fields: map[reflect.Type]map[string]*rapid.Generator[any]{reflect.TypeFor[RawEvent](): id, reflect.TypeFor[CleanEvent](): id},
	})
	return rapid.Map(generator, func(e E) *E {
		emptyIsNil(reflect.ValueOf(&e).Elem())
		return &e
	})
}

func genRaw() *rapid.Generator[*RawEvent]          { return genEvent[RawEvent]() }
func genClean() *rapid.Generator[*CleanEvent]      { return genEvent[CleanEvent]() }
func genAudit() *rapid.Generator[*AuditEvent]      { return genEvent[AuditEvent]() }
func genDeadLetter() *rapid.Generator[*DeadLetter] { return genEvent[DeadLetter]() }

func emptyIsNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			emptyIsNil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			emptyIsNil(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			emptyIsNil(v.Index(i))
		}
		if v.Len() == 0 {
			v.SetZero()
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if x := v.MapIndex(key); x.Kind() == reflect.Map && x.Len() == 0 {
				v.SetMapIndex(key, reflect.Value{}) // no event has one
			}
		}
		if v.Len() == 0 {
			v.SetZero()
		}
	}
}

// normal removes the difference between an empty list or map and nil.
func (e CleanEvent) normal() CleanEvent {
	if len(e.Entities) == 0 {
		e.Entities = nil
	}
	if e.Call != nil && len(e.Call.Entities) == 0 {
		call := *e.Call
		call.Entities = nil
		e.Call = &call
	}
	return e
}

func (e AuditEvent) normal() AuditEvent {
	e.CleanEvent = e.CleanEvent.normal()
	return e
}

// failer is the part of *testing.T and *rapid.T that helpers need.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// native turns an event, or a part of one, into the value that goavro encodes with the schema, by
// the JSON names. It is written against the schema and knows nothing of our encoders.
func native(t failer, n *node, v reflect.Value) any {
	if v.Kind() == reflect.Pointer && n.kind != kindUnion {
		v = v.Elem()
	}
	switch n.kind {
	case kindUnion:
		branch := n.branches[1]
		name := branch.name
		if name == "" {
			name = string(branch.kind)
		}
		if v.IsZero() {
			return nil
		}
		return goavro.Union(name, native(t, branch, v))
	case kindRecord:
		m := map[string]any{}
		for _, f := range n.fields {
			m[f.name] = native(t, f.node, fieldByJSONName(t, v, f.name))
		}
		// The one field whose presence is not in the Go value.
		if e, ok := v.Interface().(RawEvent); ok && e.Type == Utterance {
			m["text"] = goavro.Union("string", e.Text)
		}
		return m
	case kindArray:
		list := []any{}
		for i := range v.Len() {
			list = append(list, native(t, n.item, v.Index(i)))
		}
		return list
	case kindMap:
		m := map[string]any{}
		for _, k := range v.MapKeys() {
			m[k.String()] = native(t, n.item, v.MapIndex(k))
		}
		return m
	case kindString:
		return v.String()
	case kindBoolean:
		return v.Bool()
	case kindDouble:
		return v.Float()
	case kindInt, kindLong:
		return v.Int()
	}
	t.Fatalf("no native form of %s", n.kind)
	return nil
}

func fieldByJSONName(t failer, v reflect.Value, name string) reflect.Value {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return v.FieldByIndex(f.Index)
		}
	}
	t.Fatalf("%s has no field %s", v.Type(), name)
	return reflect.Value{}
}
