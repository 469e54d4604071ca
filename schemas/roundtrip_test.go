package schemas

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// codecs are the three encodings, each written by one codec; every codec reads all of them.
func codecs(t *testing.T) map[string]*Codec {
	return map[string]*Codec{
		"json":          newTestCodec(t, FormatJSON),
		"single object": newTestCodec(t, FormatAvro),
		"confluent":     newRegistryCodec(t, newFakeRegistry(t)),
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
		}
		for k, c := range [numKinds]struct {
			event any
			ours  []byte
		}{
			{raw, appendRawAvro(nil, raw)},
			{clean, appendCleanAvro(nil, clean)},
			{audit, appendAuditAvro(nil, audit)},
			{dead, appendDeadLetterAvro(nil, dead)},
		} {
			s := families()[k].current
			want, err := s.codec.BinaryFromNative(nil, native(t, s.root, reflect.ValueOf(c.event)))
			if err != nil {
				t.Fatalf("%s: %v", recordNames[k], err)
			}
			if !bytes.Equal(c.ours, want) {
				t.Fatalf("%s:\nours   %q\ngoavro %q", recordNames[k], c.ours, want)
			}
		}
	})
}

func TestFastPathReadsWhatGoavroReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := genRaw().Draw(t, "raw")
		body := appendRawAvro(nil, e)
		if rapid.Bool().Draw(t, "damage") && len(body) > 0 {
			i := rapid.IntRange(0, len(body)-1).Draw(t, "at")
			body[i] = rapid.Byte().Draw(t, "byte")
		}
		sameByBothPaths(t, body)
	})
}

// sameByBothPaths decodes a body of the current schema of raw events by the fast path and by
// goavro, and expects the same event, or a failure, from both.
func sameByBothPaths(t failer, body []byte) {
	t.Helper()
	var fast rawRecord
	var slow RawEvent
	fastHas, fastErr := decodeRawAvro(body, &fast)
	var slowHas presence
	v, slowErr := families()[rawEvent].current.decode(body)
	if slowErr == nil {
		slowHas, slowErr = v.rawEvent(&slow)
	}
	if (fastErr == nil) != (slowErr == nil) {
		t.Fatalf("%q: fast path: %v, goavro: %v", body, fastErr, slowErr)
	}
	if fastErr == nil && (!reflect.DeepEqual(fast.RawEvent, slow) || fastHas != slowHas) {
		t.Fatalf("%q:\nfast path %+v\ngoavro    %+v", body, fast.RawEvent, slow)
	}
}

func TestJSONIsWhatTheStandardLibraryWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, clean, audit, dead := genRaw().Draw(t, "raw"), genClean().Draw(t, "clean"), genAudit().Draw(t, "audit"), genDeadLetter().Draw(t, "dead")
		// The intentional differences of appendCleanJSON and appendRawJSON have their own test.
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
			{raw, appendRawJSON(nil, raw)},
			{clean, append(appendCleanJSON(nil, clean), '}')},
			{audit, appendAuditJSON(nil, audit)},
			{dead, appendDeadLetterJSON(nil, dead)},
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
