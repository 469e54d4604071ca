package schemas

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/linkedin/goavro/v2"
	"pgregory.net/rapid"
)

// everyType has all types and the logical types that matter.
const everyType = `{"type":"record","name":"Every","namespace":"com.example","fields":[
	{"name":"flag","type":"boolean"}, {"name":"small","type":"int"}, {"name":"id","type":"long"},
	{"name":"ratio","type":"float"}, {"name":"precise","type":"double"}, {"name":"text","type":"string"}, {"name":"raw","type":"bytes"},
	{"name":"amount","type":{"type":"bytes","logicalType":"decimal","precision":30,"scale":2}},
	{"name":"account","type":{"type":"fixed","name":"Account","size":12,"logicalType":"decimal","precision":28,"scale":0}},
	{"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}},
	{"name":"kind","type":{"type":"enum","name":"Kind","symbols":["ONE","TWO"]}},
	{"name":"nothing","type":"null"},
	{"name":"maybe","type":["null","string","long",{"type":"record","name":"Inner","fields":[{"name":"deep","type":["null","Kind"]}]}]},
	{"name":"list","type":{"type":"array","items":["null","Inner","double"]}},
	{"name":"attributes","type":{"type":"map","values":["null","long","string"]}}]}`

// both are a value as goavro takes it, and in a tree.
type both struct{ native, tree any }

func maybes(t *rapid.T, name string) both {
	switch rapid.IntRange(0, 3).Draw(t, name) {
	case 0:
		return both{nil, nil}
	case 1:
		s := rapid.String().Draw(t, name)
		return both{goavro.Union("string", s), s}
	case 2:
		n := rapid.Int64().Draw(t, name)
		return both{goavro.Union("long", n), json.Number(new(big.Int).SetInt64(n).String())}
	}
	if rapid.Bool().Draw(t, name) {
		return both{goavro.Union("com.example.Inner", map[string]any{"deep": nil}), map[string]any{}}
	}
	return both{goavro.Union("com.example.Inner", map[string]any{"deep": goavro.Union("com.example.Kind", "TWO")}), map[string]any{"deep": "TWO"}}
}

// A tree has what goavro wrote: no number loses a digit, and no union, enum or logical type hides a value.
func TestTreesHaveWhatWasWritten(t *testing.T) {
	codec, err := goavro.NewCodec(everyType)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := ParseSchema(everyType)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		small, id, cents := rapid.Int32().Draw(t, "small"), rapid.Int64().Draw(t, "id"), rapid.Int64().Draw(t, "cents")
		ratio, precise := rapid.Float32().Draw(t, "ratio"), rapid.Float64().Draw(t, "precise")
		text, raw, at := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "raw"), rapid.Int64Range(0, 1<<50).Draw(t, "at")
		maybe := maybes(t, "maybe")
		amount := big.NewRat(cents, 100)
		// goavro pads no zero of a fixed decimal, and then refuses it: a single byte is not twelve.
		account := rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "account")
		native := map[string]any{
			"flag": true, "small": small, "id": id, "ratio": ratio, "precise": precise, "text": text, "raw": []byte(raw),
			"amount": amount, "account": new(big.Rat).SetInt64(account), "at": time.UnixMicro(at), "kind": "ONE", "nothing": nil, "maybe": maybe.native,
			"list": []any{nil, goavro.Union("double", 0.5), goavro.Union("com.example.Inner", map[string]any{"deep": nil})}, "attributes": map[string]any{"a": nil, "b": goavro.Union("long", id)},
		}
		want := map[string]any{
			"flag": true, "small": json.Number(big.NewInt(int64(small)).String()), "id": json.Number(big.NewInt(id).String()),
			"text": text, "raw": raw, "amount": json.Number(amount.FloatString(2)), "account": json.Number(big.NewInt(account).String()),
			"at": json.Number(big.NewInt(at).String()), "kind": "ONE",
			"list": []any{nil, json.Number("0.5"), map[string]any{}}, "attributes": map[string]any{"b": json.Number(big.NewInt(id).String())},
		}
		if maybe.tree != nil {
			want["maybe"] = maybe.tree
		}
		body, err := codec.BinaryFromNative(nil, native)
		if err != nil {
			t.Fatal(err)
		}
		got, err := schema.Tree(body)
		if err != nil {
			t.Fatal(err)
		}
		object, _ := got.(map[string]any)
		for name, bits := range map[string]int{"ratio": 32, "precise": 64} {
			x, err := object[name].(json.Number).Float64()
			if bits == 32 && float32(x) != ratio || bits == 64 && x != precise || err != nil {
				t.Fatalf("%s is %v", name, object[name])
			}
			delete(object, name)
		}
		if !reflect.DeepEqual(object, want) {
			t.Fatalf("%v, want %v", object, want)
		}
	})
}

func TestNumbersOfTrees(t *testing.T) {
	for _, c := range []struct {
		bytes string
		scale int
		want  string
	}{
		{"", 0, "0"}, {"\x00", 2, "0.00"}, {"\x05", 2, "0.05"}, {"\xfb", 2, "-0.05"}, {"\xff", 0, "-1"}, {"\x80", 0, "-128"}, {"\x00\x80", 1, "12.8"},
		{"\x00\xff\xff\xff\xff\xff\xff\xff\xff", 0, "18446744073709551615"},
	} {
		if got := decimal([]byte(c.bytes), c.scale); got.String() != c.want {
			t.Errorf("%x is %s, want %s", c.bytes, got, c.want)
		}
	}
	for x, want := range map[float64]any{
		9007199254740991: json.Number("9007199254740991"), 0: json.Number("0"), 1e-7: json.Number("1e-07"), 1e21: json.Number("1e+21"),
		math.Inf(1): nil,
	} {
		if got := Digits(x, 64); got != want {
			t.Errorf("%v is %v", x, got)
		}
	}
}

// Bytes that are no text, and a decimal that no number is, are not shown in another form.
func TestBytesOfTrees(t *testing.T) {
	const decimals = `{"type":"bytes","logicalType":"decimal","precision":4000}`
	for _, c := range []struct {
		schema, body string
		want         any
		reason       string
	}{
		{`"bytes"`, "\x08caf\xe9", nil, ""},
		{`"bytes"`, "\x0acaf\u00e9", "caf\u00e9", ""},
		{`"string"`, "\x08caf\xe9", nil, ReasonInvalidUTF8},
		{`{"type":"fixed","name":"F","size":2}`, "hi", "hi", ""},
		{`{"type":"fixed","name":"F","size":16,"logicalType":"uuid"}`, "\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00", "123e4567-e89b-12d3-a456-426614174000", ""},
		{`{"type":"bytes","logicalType":"uuid"}`, "\x20sixteen letters!", "sixteen letters!", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":2,"scale":3}`, "\x02a", "a", ""}, // not valid, so ignored
		{decimals, string(binary.AppendVarint(nil, 300)) + strings.Repeat("a", 300), nil, ReasonWrongType},
	} {
		schema, err := ParseSchema(c.schema)
		if err != nil {
			t.Fatal(err)
		}
		got, err := schema.Tree([]byte(c.body))
		bad, _ := errors.AsType[*DecodeError](err)
		if got != c.want || (bad != nil) != (c.reason != "") || bad != nil && bad.Reason != c.reason {
			t.Errorf("%s: %v, %v", c.schema, got, err)
		}
	}
}

// A body of a few bytes asks for no memory that it does not fill.
func TestHostileTrees(t *testing.T) {
	many := string(binary.AppendVarint(nil, 1<<40))
	for schema, body := range map[string]string{
		`{"type":"array","items":"null"}`:                                                                many,
		`{"type":"array","items":{"type":"record","name":"R","fields":[]}}`:                              many,
		`{"type":"array","items":{"type":"record","name":"R","fields":[{"name":"a","type":"null"}]}}`:    many,
		`{"type":"map","values":"null"}`:                                                                 many,
		`{"type":"record","name":"R","fields":[{"name":"next","type":"R"}]}`:                             "",
		`{"type":"record","name":"R","fields":[{"name":"next","type":["null","R"]}]}`:                    strings.Repeat("\x02", 1000),
		`{"type":"array","items":{"type":"record","name":"R","fields":[{"name":"a","type":"boolean"}]}}`: string(binary.AppendVarint(nil, 1<<20)) + strings.Repeat("\x01", 1<<20) + "\x00",
		`["null",{"type":"array","items":["null","string"]}]`:                                            "\x06",
	} {
		s, err := ParseSchema(schema)
		if err != nil {
			t.Fatal(err)
		}
		if tree, err := s.Tree([]byte(body)); tree != nil || err == nil {
			t.Errorf("%s: there is a tree", schema)
		}
	}
}

// FuzzTree: of every body there is a tree of JSON, or an error of the fixed set.
func FuzzTree(f *testing.F) {
	var all []*Schema
	for _, text := range []string{
		everyType, olderSchema, `{"type":"array","items":["null",{"type":"record","name":"R","fields":[{"name":"a","type":["null","R","bytes"]}]}]}`,
		`{"type":"map","values":{"type":"fixed","name":"F","size":3,"logicalType":"decimal","precision":6,"scale":3}}`,
	} {
		s, err := ParseSchema(text)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, s)
		f.Add(uint8(len(all)-1), []byte("\x04\x02c\x06END\x00"))
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		before := bytes.Clone(body)
		tree, err := all[int(which)%len(all)].Tree(body)
		if !bytes.Equal(before, body) {
			t.Fatal("the body was changed")
		}
		if err != nil {
			if bad, ok := errors.AsType[*DecodeError](err); !ok || tree != nil || explanations[bad.Reason] == "" || bad.Reason == ReasonDecoderPanic {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := json.Marshal(tree); err != nil { // it would refuse what is no number
			t.Fatal(err)
		}
	})
}

func TestFramedRecords(t *testing.T) {
	registry := &memoryRegistry{}
	c := newRegistryCodec(t, registry)
	theirs := registry.add(t, everyType)
	registry.schemas = append(registry.schemas, JSONSchema())
	framed := func(id int, body string) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), body...)
	}
	own, err := c.AppendRaw(nil, sampleRaw())
	if err != nil {
		t.Fatal(err)
	}
	for _, c2 := range []struct {
		record, body string
		avro         bool
		reason       string
	}{
		{`{"a":1}`, `{"a":1}`, false, ""},
		{"", "", false, ""},
		{string(own), string(own), false, ""},
		{string(framed(theirs, "body")), "body", true, ""},
		{string(framed(len(registry.schemas), `{"a":1}`)), `{"a":1}`, false, ""},
		{string(framed(99, "body")), "", false, ReasonUnknownSchema},
		{"\x00\x00\x00", "", false, ReasonInvalidAvro},
	} {
		body, s, err := c.Framed([]byte(c2.record))
		bad, _ := errors.AsType[*DecodeError](err)
		if string(body) != c2.body || (s != nil) != c2.avro || (bad != nil) != (c2.reason != "") || bad != nil && bad.Reason != c2.reason {
			t.Errorf("%q: %q, %v, %v", c2.record, body, s, err)
		}
	}
	// An event of ours may be in JSON Schema's framing, as a producer of such records writes it.
	e, err := c.DecodeRaw(framed(len(registry.schemas), `{"call_id":"c","seq":9,"type":"END"}`))
	if err != nil || e.CallID != "c" || e.Seq != 9 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, _, err := newTestCodec(t, FormatJSON).Framed(framed(1, "")); err == nil || !strings.Contains(err.Error(), "no Schema Registry") {
		t.Errorf("without a registry: %v", err)
	}
}
