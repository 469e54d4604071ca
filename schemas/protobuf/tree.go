package protobuf

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"sotto/schemas"
)

// maxDepth is how deeply the values of a record may be nested, as in other encodings.
const maxDepth = 64

var (
	errInvalid = &schemas.DecodeError{Reason: schemas.ReasonInvalidProto}
	errDeep    = &schemas.DecodeError{Reason: schemas.ReasonTooDeep}
	errUTF8    = &schemas.DecodeError{Reason: schemas.ReasonInvalidUTF8}
)

// reader makes a tree of a message. Its memory is bounded by the length of the body, also where fields that are not in it have
// values.
type reader struct {
	values, objects int // that it may still make
}

// message adds the fields of a message to an object, a new one if it is nil: a message that comes in several parts is put
// together.
func (r *reader) message(to map[string]any, d protoreflect.MessageDescriptor, body []byte, depth int) (map[string]any, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	if to == nil {
		to = map[string]any{}
		if r.objects--; r.objects < 0 {
			return nil, errInvalid
		}
	}
	for len(body) > 0 {
		number, wire, n := protowire.ConsumeTag(body)
		if n < 0 || !number.IsValid() {
			return nil, errInvalid
		}
		body = body[n:]
		if n = protowire.ConsumeFieldValue(number, wire, body); n < 0 {
			return nil, errInvalid
		}
		if f := d.Fields().ByNumber(number); f != nil {
			if err := r.field(to, f, wire, body[:n], depth+1); err != nil {
				return nil, err
			}
		}
		body = body[n:]
	}
	return to, r.defaults(to, d)
}

// defaults adds the values of fields that are not written because they have them: 0, false and the first symbol of an enum. Such
// a text, or list, would hide other places where something may be, and says nothing.
func (r *reader) defaults(to map[string]any, d protoreflect.MessageDescriptor) error {
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if f.HasPresence() || f.Cardinality() == protoreflect.Repeated {
			continue
		}
		name := string(f.Name())
		if _, ok := to[name]; ok || f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind {
			continue
		}
		if r.values--; r.values < 0 {
			return errInvalid
		}
		to[name] = number(f, 0, 0)
	}
	return nil
}

// field adds what is written of a field.
func (r *reader) field(to map[string]any, f protoreflect.FieldDescriptor, wire protowire.Type, value []byte, depth int) error {
	name := string(f.Name())
	switch {
	case f.IsMap():
		return r.entry(to, f, wire, value, depth)
	case f.IsList():
		list, _ := to[name].([]any)
		list, err := r.items(list, f, wire, value, depth)
		to[name] = list
		return err
	}
	before, _ := to[name].(map[string]any)
	v, err := r.value(before, f, wire, value, depth)
	if one := f.ContainingOneof(); one != nil {
		for i := range one.Fields().Len() {
			delete(to, string(one.Fields().Get(i).Name()))
		}
	}
	to[name] = v // null, if it is no value: it has not that of a field that is not written
	return err
}

// entry adds an entry of a map, whose field has the value of the key as its name.
func (r *reader) entry(to map[string]any, f protoreflect.FieldDescriptor, wire protowire.Type, value []byte, depth int) error {
	name := string(f.Name())
	members, _ := to[name].(map[string]any)
	if members == nil {
		members = map[string]any{}
		to[name] = members
	}
	v, err := r.value(nil, f, wire, value, depth)
	if err != nil {
		return err
	}
	pair, _ := v.(map[string]any)
	key := ""
	switch k := pair["key"].(type) {
	case string:
		key = k
	case json.Number:
		key = k.String()
	case bool:
		key = strconv.FormatBool(k)
	}
	v = pair["value"]
	if v == nil && f.MapValue().Kind() == protoreflect.StringKind {
		v = ""
	}
	members[key] = v
	return nil
}

// items adds the values of a list: one, or several of fixed or variable length, one after the other.
func (r *reader) items(list []any, f protoreflect.FieldDescriptor, wire protowire.Type, value []byte, depth int) ([]any, error) {
	own := wireOf(f)
	if wire != protowire.BytesType || own == protowire.BytesType || own == protowire.StartGroupType {
		v, err := r.value(nil, f, wire, value, depth)
		return append(list, v), err
	}
	packed, n := protowire.ConsumeBytes(value)
	if n < 0 {
		return list, errInvalid
	}
	for len(packed) > 0 {
		n := protowire.ConsumeFieldValue(f.Number(), own, packed)
		if n < 0 {
			return list, errInvalid
		}
		v, err := r.value(nil, f, own, packed[:n], depth)
		if err != nil {
			return list, err
		}
		list, packed = append(list, v), packed[n:]
	}
	return list, nil
}

// wireOf returns how a single value of a field is written.
func wireOf(f protoreflect.FieldDescriptor) protowire.Type {
	switch f.Kind() {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	default:
		return protowire.VarintType
	}
}

// value returns the value that is written of a field, which continues a message if that came before.
func (r *reader) value(before map[string]any, f protoreflect.FieldDescriptor, wire protowire.Type, value []byte, depth int) (any, error) {
	if r.values--; r.values < 0 || wire != wireOf(f) {
		return nil, errInvalid
	}
	switch wire {
	case protowire.BytesType:
		b, _ := protowire.ConsumeBytes(value)
		return r.bytes(before, f, b, depth)
	case protowire.StartGroupType:
		b, _ := protowire.ConsumeGroup(f.Number(), value)
		return r.message(before, f.Message(), b, depth)
	case protowire.Fixed32Type:
		v, _ := protowire.ConsumeFixed32(value)
		return number(f, uint64(v), float64(math.Float32frombits(v))), nil
	case protowire.Fixed64Type:
		v, _ := protowire.ConsumeFixed64(value)
		return number(f, v, math.Float64frombits(v)), nil
	}
	v, _ := protowire.ConsumeVarint(value)
	return number(f, v, 0), nil
}

// bytes returns a text, a message, or bytes if they are a text: see schemas.Tree.
func (r *reader) bytes(before map[string]any, f protoreflect.FieldDescriptor, b []byte, depth int) (any, error) {
	switch text := utf8.Valid(b); {
	case f.Kind() == protoreflect.MessageKind:
		return r.message(before, f.Message(), b, depth)
	case text:
		return string(b), nil
	case f.Kind() == protoreflect.StringKind:
		return nil, errUTF8
	}
	return nil, nil
}

// number returns a number with all its digits, a truth value, or the symbol of an enum, its number if it has none; nil if it is not
// finite.
func number(f protoreflect.FieldDescriptor, v uint64, x float64) any {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return v != 0
	case protoreflect.EnumKind:
		if symbol := f.Enum().Values().ByNumber(protoreflect.EnumNumber(int32(v))); symbol != nil {
			return string(symbol.Name())
		}
		return json.Number(strconv.Itoa(int(int32(v))))
	case protoreflect.FloatKind:
		return schemas.Digits(x, 32)
	case protoreflect.DoubleKind:
		return schemas.Digits(x, 64)
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		return json.Number(strconv.FormatInt(int64(int32(v)), 10))
	case protoreflect.Sint32Kind:
		return json.Number(strconv.FormatInt(protowire.DecodeZigZag(v&math.MaxUint32), 10))
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return json.Number(strconv.FormatInt(int64(v), 10))
	case protoreflect.Sint64Kind:
		return json.Number(strconv.FormatInt(protowire.DecodeZigZag(v), 10))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return json.Number(strconv.FormatUint(uint64(uint32(v)), 10))
	}
	return json.Number(strconv.FormatUint(v, 10))
}
