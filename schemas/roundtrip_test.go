package schemas

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/linkedin/goavro/v2"
	"pgregory.net/rapid"
)

// codecs are the three encodings, each written by one codec; every codec reads all of them.
func codecs(t *testing.T) map[string]*Codec {
	return map[string]*Codec{
		"json":          newTestCodec(t, FormatJSON),
		"single object": newTestCodec(t, FormatAvro),
		"confluent":     newRegistryCodec(t, &memoryRegistry{}),
	}
}

func TestRoundTrip(t *testing.T) {
	all := codecs(t)
	reader := all["confluent"] // the one that knows the registry
	writers := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(t *rapid.T) {
		raw, clean, audit, dead := genRaw().Draw(t, "raw"), genClean().Draw(t, "clean"), genAudit().Draw(t, "audit"), genDeadLetter().Draw(t, "dead")
		for _, name := range writers {
			w := all[name]
			trip(t, name, raw, w.AppendRaw, reader.DecodeRaw, func(e RawEvent) RawEvent { return e })
			trip(t, name, clean, w.AppendClean, reader.DecodeClean, CleanEvent.normal)
			trip(t, name, audit, w.AppendAudit, reader.DecodeAudit, AuditEvent.normal)
			trip(t, name, dead, w.AppendDeadLetter, reader.DecodeDeadLetter, func(e DeadLetter) DeadLetter { return e })
		}
	})
}

func trip[E any](t *rapid.T, writer string, e *E, encode func([]byte, *E) ([]byte, error), decode func([]byte) (*E, error), normal func(E) E) {
	const before = "what was there"
	data, err := encode([]byte(before), e)
	if err != nil {
		t.Fatalf("%s: encode: %v", writer, err)
	}
	rest, ok := bytes.CutPrefix(data, []byte(before))
	if !ok {
		t.Fatalf("%s: encoding did not append", writer)
	}
	// Decoding must copy, so overwrite the record afterwards.
	record := bytes.Clone(rest)
	got, err := decode(record)
	if err != nil {
		t.Fatalf("%s: decode %q: %v", writer, rest, err)
	}
	for i := range record {
		record[i] = 'X'
	}
	if !reflect.DeepEqual(normal(*got), normal(*e)) {
		t.Fatalf("%s: %q\ngot  %+v\nwant %+v", writer, rest, got, e)
	}
	again, err := encode(nil, got)
	if err != nil || !bytes.Equal(again, rest) {
		t.Fatalf("%s: written again, it is %q and not %q (%v)", writer, again, rest, err)
	}
}

func TestAvroIsWhatGoavroWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, clean, audit, dead := genRaw().Draw(t, "raw"), genClean().Draw(t, "clean"), genAudit().Draw(t, "audit"), genDeadLetter().Draw(t, "dead")
		for _, e := range []*CleanEvent{clean, &audit.CleanEvent} {
			// goavro writes maps in random order.
			if e.Call != nil && len(e.Call.Entities) > 1 {
				e.Call.Entities = map[string]int64{"PERSON_NAME": 2}
			}
			if e.Call != nil && e.Call.Renumbered != nil {
				e.Call.Renumbered = map[string]map[string]int64{"PERSON_NAME": {"5": 2}}
			}
		}
		for k, c := range [numKinds]struct {
			event any
			ours  []byte
		}{
			{raw, written(writeAvro, raw, (*RawEvent).fields)},
			{clean, written(writeAvro, clean, (*CleanEvent).fields)},
			{audit, written(writeAvro, audit, (*AuditEvent).fields)},
			{dead, written(writeAvro, dead, (*DeadLetter).fields)},
		} {
			s := families()[k].current
			want, err := goavroOf(t, s).BinaryFromNative(nil, native(t, s.root, reflect.ValueOf(c.event)))
			if err != nil {
				t.Fatalf("%s: %v", recordNames[k], err)
			}
			if !bytes.Equal(c.ours, want) {
				t.Fatalf("%s:\nours   %q\ngoavro %q", recordNames[k], c.ours, want)
			}
		}
	})
}

// written is an event in an encoding, without a header.
func written[T any](m mode, e *T, fields func(*T, *coder)) []byte {
	c := &coder{mode: m}
	record(c, e, fields)
	return c.out
}

func rawBody(e *RawEvent) []byte { return written(writeAvro, e, (*RawEvent).fields) }

func goavroOf(t failer, s *Schema) *goavro.Codec {
	t.Helper()
	codec, err := goavro.NewCodec(s.Canonical())
	if err != nil {
		t.Fatalf("%v", err)
	}
	return codec
}

func TestReadsWhatGoavroReads(t *testing.T) {
	codec := goavroOf(t, families()[rawEvent].current)
	rapid.Check(t, func(t *rapid.T) {
		e := genRaw().Draw(t, "raw")
		body := rawBody(e)
		if rapid.Bool().Draw(t, "damage") && len(body) > 0 {
			i := rapid.IntRange(0, len(body)-1).Draw(t, "at")
			body[i] = rapid.Byte().Draw(t, "byte")
		}
		sameByAllPaths(t, codec, body)
	})
}

// sameByAllPaths decodes a body of the current schema of raw events directly, and as one of a writer
// with another schema, and expects the same event, or a failure, from both. What is read, goavro reads.
func sameByAllPaths(t failer, codec *goavro.Codec, body []byte) {
	t.Helper()
	read := func(body []byte) (*RawEvent, given, error) {
		c, e := &coder{mode: readAvro, avro: avroReader{rest: body}}, &RawEvent{}
		record(c, e, (*RawEvent).fields)
		return e, c.given, c.end()
	}
	direct, has, err := read(body)
	current := families()[rawEvent].current.root
	recoded, _, recodeErr := recode(current, current, body)
	if recodeErr == nil {
		var other *RawEvent
		var otherHas given
		other, otherHas, recodeErr = read(recoded)
		if err == nil && recodeErr == nil && (!reflect.DeepEqual(direct, other) || has != otherHas) {
			t.Fatalf("%q:\ndirect  %+v\nrecoded %+v", body, direct, other)
		}
	}
	if (err == nil) != (recodeErr == nil) {
		t.Fatalf("%q: direct: %v, recoded: %v", body, err, recodeErr)
	}
	if err != nil {
		return
	}
	v, rest, err := codec.NativeFromBinary(body)
	if err != nil || len(rest) > 0 {
		t.Fatalf("%q: goavro refuses: %v", body, err)
	}
	m := v.(map[string]any)
	if m["call_id"] != direct.CallID || m["seq"] != direct.Seq || m["type"] != string(direct.Type) || (m["text"] != nil) != has.text {
		t.Fatalf("%q:\nours   %+v\ngoavro %v", body, direct, m)
	}
}

func TestJSONIsWhatTheStandardLibraryWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, clean, audit, dead := genRaw().Draw(t, "raw"), genClean().Draw(t, "clean"), genAudit().Draw(t, "audit"), genDeadLetter().Draw(t, "dead")
		// The intentional differences have their own test.
		if raw.Type == Utterance && raw.Text == "" {
			raw.Text = "x"
		}
		for _, e := range []*CleanEvent{clean, &audit.CleanEvent} {
			if e.Entities == nil {
				e.Entities = []Entity{}
			}
			if e.Call != nil && e.Call.Entities == nil {
				e.Call.Entities = map[string]int64{}
			}
		}
		for k, c := range [numKinds]struct {
			event any
			ours  []byte
		}{
			{raw, written(writeJSON, raw, (*RawEvent).fields)},
			{clean, written(writeJSON, clean, (*CleanEvent).fields)},
			{audit, written(writeJSON, audit, (*AuditEvent).fields)},
			{dead, written(writeJSON, dead, (*DeadLetter).fields)},
		} {
			var want bytes.Buffer
			enc := json.NewEncoder(&want)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(c.event); err != nil {
				t.Fatal(err)
			}
			if got := string(c.ours) + "\n"; got != want.String() {
				t.Fatalf("%s:\nours %sjson %s", recordNames[k], got, want.String())
			}
		}
	})
}

func TestInvalidUTF8IsReplacedAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := sampleClean()
		e.Text = string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		quoted, err := json.Marshal(e.Text)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(quoted, &want); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{FormatAvro, FormatJSON} {
			c, err := NewCodec(context.Background(), Options{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			data, err := c.AppendClean(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.DecodeClean(data)
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != want {
				t.Fatalf("%s: %q, want %q", format, got.Text, want)
			}
		}
	})
}
