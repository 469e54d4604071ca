package protobuf

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"sotto/schemas"
)

const partyFile = `syntax = "proto3"; package com.example; enum Side { SIDE_UNKNOWN = 0; STAFF = 1; CALLER = 2; }`

// turnFile has each kind of field, a message within a message, and what Kafka Connect imports.
const turnFile = `syntax = "proto3";
package com.example;
import "sides/party.proto";
import "google/protobuf/timestamp.proto";
import "confluent/meta.proto";
message Other { string x = 1; }
message Envelope {
  option (confluent.message_meta).doc = "a turn";
  message Turn {
    message Word { string text = 1; float start = 2; double end = 3; sint32 rank = 4; }
    string call = 1;
    int64 number = 2 [(confluent.field_meta).doc = "of the turn"];
    bool done = 3;
    Side side = 4;
    repeated Word words = 5;
    google.protobuf.Timestamp at = 6;
    map<string, string> labels = 7;
    oneof said { string text = 8; Word word = 9; }
    optional uint64 big = 10;
    repeated int32 marks = 11;
    repeated string notes = 12;
    bytes audio = 13;
    fixed32 f32 = 14; fixed64 f64 = 15; sfixed32 s32 = 16; sfixed64 s64 = 17; uint32 u32 = 18; sint64 z64 = 19; int32 i32 = 20;
    map<int32, Word> ranked = 21;
    Turn before = 22;
    repeated Side sides = 23;
    repeated double levels = 24 [packed = false];
  }
}`

var imports = map[string]string{"sides/party.proto": partyFile}

// turnType is the message of turnFile, for the library that is the oracle.
func turnType(t testing.TB) protoreflect.MessageDescriptor {
	t.Helper()
	sources := map[string]string{"turn.proto": turnFile, "sides/party.proto": partyFile, "confluent/meta.proto": ambient["confluent/meta.proto"]}
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)})}
	files, err := c.Compile(t.Context(), "turn.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Messages().ByName("Envelope").Messages().ByName("Turn")
}

func turnSchema(t testing.TB) *schemas.Schema {
	t.Helper()
	s, err := Parse(turnFile, imports)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// atTurn says that a body is a Turn within the second message of the file.
var atTurn = []byte{4, 2, 0}

// written is the body of a message that is given as JSON.
func written(t testing.TB, text string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(turnType(t))
	if err := protojson.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return append(append([]byte{}, atTurn...), body...)
}

func TestTreesOfMessages(t *testing.T) {
	s := turnSchema(t)
	const zeros = `"number":0,"done":false,"side":"SIDE_UNKNOWN","f32":0,"f64":0,"s32":0,"s64":0,"u32":0,"z64":0,"i32":0`
	for given, want := range map[string]string{
		`{}`: `{` + zeros + `}`,
		`{"call":"c-1","number":"9007199254740993","done":true,"side":"CALLER","big":"18446744073709551615","marks":[1,-1,300],
			"notes":["a",""],"f32":4294967295,"f64":"18446744073709551615","s32":-1,"s64":"-9223372036854775808","u32":7,"z64":"-9","i32":-2147483648}`: `{"call":"c-1",
			"number":9007199254740993,"done":true,"side":"CALLER","big":18446744073709551615,"marks":[1,-1,300],"notes":["a",""],
			"f32":4294967295,"f64":18446744073709551615,"s32":-1,"s64":-9223372036854775808,"u32":7,"z64":-9,"i32":-2147483648}`,
		`{"words":[{"text":"hi","start":0.1,"end":1e30,"rank":-3},{}]}`: `{"words":[{"text":"hi","start":0.1,"end":1e+30,"rank":-3},{"start":0,"end":0,"rank":0}],` + zeros + `}`,
		`{"words":[{"start":"NaN","end":"Infinity"}]}`:                  `{"words":[{"start":null,"end":null,"rank":0}],` + zeros + `}`,
		`{"at":"2026-03-02T10:00:00.5Z"}`:                               `{"at":{"seconds":1772445600,"nanos":500000000},` + zeros + `}`,
		`{"labels":{"lang":"en","":""},"ranked":{"-5":{"text":"x"}}}`:   `{"labels":{"lang":"en","":""},"ranked":{"-5":{"text":"x","start":0,"end":0,"rank":0}},` + zeros + `}`,
		`{"word":{"text":"w"}}`:                                         `{"word":{"text":"w","start":0,"end":0,"rank":0},` + zeros + `}`,
		`{"text":""}`:                                                   `{"text":"",` + zeros + `}`,
		`{"audio":"aGk="}`:                                              `{"audio":"hi",` + zeros + `}`,
		`{"audio":"/w=="}`:                                              `{"audio":null,` + zeros + `}`,
		`{"sides":["CALLER",9,"STAFF"],"levels":[1.5,-2]}`:              `{"sides":["CALLER",9,"STAFF"],"levels":[1.5,-2],` + zeros + `}`,
		`{"before":{"call":"b","before":{}}}`:                           `{"before":{"call":"b","before":{` + zeros + `},` + zeros + `},` + zeros + `}`,
	} {
		got, err := s.Tree(written(t, given))
		var tree any
		d := json.NewDecoder(strings.NewReader(want))
		d.UseNumber()
		if d.Decode(&tree) != nil {
			t.Fatal(want)
		}
		if err != nil || !reflect.DeepEqual(got, tree) {
			t.Errorf("%s becomes\n%v (%v), want\n%v", given, got, err, tree)
		}
	}
}

// A message may come in parts, lists may be packed or not whatever the schema says, the last member of a oneof counts, and fields
// that the schema does not have are skipped.
func TestWhatWritersMayDo(t *testing.T) {
	s := turnSchema(t)
	body := append([]byte{}, atTurn...)
	body = protowire.AppendBytes(protowire.AppendTag(body, 6, protowire.BytesType), []byte{8, 5})
	body = protowire.AppendBytes(protowire.AppendTag(body, 6, protowire.BytesType), []byte{16, 7})
	body = protowire.AppendVarint(protowire.AppendTag(body, 11, protowire.VarintType), 1)
	body = protowire.AppendBytes(protowire.AppendTag(body, 11, protowire.BytesType), []byte{2, 3})
	body = protowire.AppendString(protowire.AppendTag(body, 8, protowire.BytesType), "t")
	body = protowire.AppendBytes(protowire.AppendTag(body, 9, protowire.BytesType), nil)
	body = protowire.AppendString(protowire.AppendTag(body, 999, protowire.BytesType), "unknown")
	tree, err := s.Tree(body)
	got, _ := tree.(map[string]any)
	at, _ := got["at"].(map[string]any)
	marks, _ := json.Marshal(got["marks"])
	if err != nil || at["seconds"] != json.Number("5") || at["nanos"] != json.Number("7") || string(marks) != "[1,2,3]" || got["text"] != nil || got["word"] == nil || got["unknown"] != nil {
		t.Errorf("it becomes %v (%v)", got, err)
	}
}

func TestPlacesOfMessages(t *testing.T) {
	s := turnSchema(t)
	for at, want := range map[string]bool{
		"\x00": true, "\x02\x00": true, "\x02\x02": true, "\x04\x02\x00": true, "\x06\x02\x00\x00": true,
		"": false, "\x01": false, "\x02": false, "\x02\x04": false, "\x02\x01": false, "\x04\x02\x02": false, "\x04\x00\x00": false, "\xff\xff\x03": false, "\xff": false,
	} {
		if _, err := s.Tree([]byte(at)); (err == nil) != want || err != nil && !invalid(err) {
			t.Errorf("at %x: %v", at, err)
		}
	}
	first, err := s.Tree([]byte("\x00\x0a\x01a"))
	if got, _ := first.(map[string]any); err != nil || got["x"] != "a" {
		t.Errorf("the first message becomes %v (%v)", first, err)
	}
}

func invalid(err error) bool {
	bad, ok := errors.AsType[*schemas.DecodeError](err)
	return ok && schemas.Explain(bad.Reason) != ""
}

func TestBodiesThatAreNone(t *testing.T) {
	s := turnSchema(t)
	deep := []byte{}
	for range 70 {
		deep = protowire.AppendBytes(protowire.AppendTag(nil, 22, protowire.BytesType), deep)
	}
	for name, c := range map[string]struct{ body, reason string }{
		"cut":              {"\x0a\x05ab", schemas.ReasonInvalidProto},
		"number as text":   {"\x12\x01a", schemas.ReasonInvalidProto},
		"text as number":   {"\x08\x01", schemas.ReasonInvalidProto},
		"no Unicode":       {"\x0a\x01\xff", schemas.ReasonInvalidUTF8},
		"number 0":         {"\x00\x00", schemas.ReasonInvalidProto},
		"damaged packed":   {"\x5a\x01\xff", schemas.ReasonInvalidProto},
		"damaged word":     {"\x2a\x01\x08", schemas.ReasonInvalidProto},
		"end of no group":  {"\x0c", schemas.ReasonInvalidProto},
		"deep":             {string(deep), schemas.ReasonTooDeep},
		"many empty words": {strings.Repeat("\x2a\x00", 200_000), schemas.ReasonInvalidProto},
	} {
		_, err := s.Tree(append(append([]byte{}, atTurn...), c.body...))
		if bad, ok := errors.AsType[*schemas.DecodeError](err); !ok || bad.Reason != c.reason {
			t.Errorf("%s: %v, want %s", name, err, c.reason)
		}
	}
}

// Fields that are not in a record have values, too. They take no more memory than those that are.
func TestMemoryOfTrees(t *testing.T) {
	wide := "syntax = \"proto3\"; message M { repeated W w = 1; } message W {"
	for i := range 500 {
		n, _ := json.Marshal(i + 1)
		wide += " int32 f" + string(n) + " = " + string(n) + ";"
	}
	s, err := Parse(wide+"}", nil)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte("\x00" + strings.Repeat("\x0a\x00", 300_000))
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Tree(body); err == nil {
				b.Fatal("it has 150 million values")
			}
		}
	})
	if per := result.AllocedBytesPerOp() / int64(len(body)); per > 1000 {
		t.Errorf("%d bytes of memory per byte of a record", per)
	}
}

func TestSchemasThatCannotBeUsed(t *testing.T) {
	for name, text := range map[string]string{
		"no Protobuf": `{"type":"record"}`, "empty": ``, "no message": `syntax = "proto3"; enum E { A = 0; }`,
		"import of nothing": `syntax = "proto3"; import "nobody.proto"; message M {}`, "unknown type": `syntax = "proto3"; message M { N n = 1; }`,
		"too long": `syntax = "proto3"; message M {} //` + strings.Repeat("x", maxText),
		"deep":     `syntax = "proto3"; ` + strings.Repeat("message M {", 5000) + strings.Repeat("}", 5000),
	} {
		if _, err := Parse(text, imports); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, text := range map[string]string{
		"proto2":       `syntax = "proto2"; message M { required string a = 1; optional group G = 2 { optional int32 n = 1; } optional int32 d = 3 [default = 5]; }`,
		"editions":     `edition = "2023"; message M { string a = 1; int32 n = 2 [features.field_presence = IMPLICIT]; }`,
		"named record": `syntax = "proto3"; import "record"; message M { R a = 1; }`,
	} {
		if _, err := Parse(text, map[string]string{"record": `syntax = "proto3"; message R {}`}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	proto2, err := Parse(`syntax = "proto2"; message M { optional string a = 1; optional group G = 2 { optional int32 n = 1; } optional int32 d = 3; }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proto2.Tree([]byte("\x00\x0a\x01a\x13\x08\x05\x14"))
	if text, _ := json.Marshal(got); err != nil || string(text) != `{"a":"a","g":{"n":5}}` {
		t.Errorf("a group becomes %s (%v)", text, err)
	}
}

// fewObjects is a length of a body up to which no message has more objects than a tree may have: each takes two bytes.
const fewObjects = 8192

// otherwise reports whether a field of a message, or of one within it, is not written as its type is. The library reads over such
// a field, and there is no tree. The body is one that the library reads.
func otherwise(d protoreflect.MessageDescriptor, body []byte) bool {
	for len(body) > 0 {
		number, wire, n := protowire.ConsumeTag(body)
		value := body[n:]
		size := protowire.ConsumeFieldValue(number, wire, value)
		body = value[size:]
		f := d.Fields().ByNumber(number)
		if f == nil {
			continue
		}
		if packed := f.IsList() && wire == protowire.BytesType; wire != wireOf(f) && !packed {
			return true
		}
		if f.Kind() != protoreflect.MessageKind {
			continue
		}
		if within, _ := protowire.ConsumeBytes(value); otherwise(f.Message(), within) {
			return true
		}
	}
	return false
}

// FuzzTree: whatever the body is, there is a tree or a reason, and the same again. There is a tree only where the library for
// Protobuf reads the message, and wherever it does, unless a field is not written as its type is, or it is too deep or too large.
func FuzzTree(f *testing.F) {
	s, message := turnSchema(f), turnType(f)
	for _, text := range []string{`{}`, `{"call":"c","words":[{"text":"a","start":1}],"labels":{"a":"b"},"marks":[1,2],"before":{"number":"1"}}`} {
		f.Add(written(f, text))
	}
	f.Add([]byte("\x00\x0a\x01a"))
	f.Add([]byte("\x04\x02\x00\x80\x80\x80\x80\x300")) // a number that no field has
	f.Fuzz(func(t *testing.T, body []byte) {
		tree, err := s.Tree(body)
		again, _ := s.Tree(body)
		if err != nil && !invalid(err) {
			t.Fatalf("no reason: %v", err)
		}
		if err == nil && !reflect.DeepEqual(tree, again) {
			t.Fatal("it differs if it is read again")
		}
		if !bytes.HasPrefix(body, atTurn) {
			return
		}
		unread := proto.Unmarshal(body[3:], dynamicpb.NewMessage(message))
		if err == nil && unread != nil {
			t.Fatalf("the library does not read it: %v", unread)
		}
		if err != nil && unread == nil && !errors.Is(err, errDeep) && len(body) <= fewObjects && !otherwise(message, body[3:]) {
			t.Fatalf("the library reads it: %v", err)
		}
	})
}

// Dates and times of a day have their fields, although no reference names the files of their types.
func TestDatesAndTimesOfDay(t *testing.T) {
	t.Parallel()
	s, err := Parse(`syntax = "proto3"; import "google/type/date.proto"; import "google/type/timeofday.proto";
message Row { google.type.Date on = 1; google.type.TimeOfDay at = 2; }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Tree([]byte{0, 0x0a, 5, 8, 0xea, 0x0f, 0x10, 3, 0x12, 4, 8, 9, 0x20, 7})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if want := `{"at":{"hours":9,"minutes":0,"nanos":7,"seconds":0},"on":{"day":0,"month":3,"year":2026}}`; err != nil || string(text) != want {
		t.Errorf("the row is %s, want %s (%v)", text, want, err)
	}
}
