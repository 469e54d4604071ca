package schemas

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are records of all kinds in all encodings, good and bad.
func seeds(t testing.TB, c *Codec) (all [][]byte) {
	t.Helper()
	for _, w := range []*Codec{newTestCodec(t, FormatJSON), newTestCodec(t, FormatAvro), c} {
		raw, err1 := w.AppendRaw(nil, sampleRaw())
		start, err2 := w.AppendRaw(nil, &RawEvent{CallID: "c", Type: Start, Participants: []Participant{{SpeakerID: "s1", Names: []string{"Pam"}, Emails: []string{"pam@example.com"}}, {}}})
		clean, err3 := w.AppendClean(nil, sampleClean())
		audit, err4 := w.AppendAudit(nil, &AuditEvent{CleanEvent: CleanEvent{CallID: "c", Type: End, Call: &CallSummary{Utterances: 3, Entities: map[string]int64{"SSN": 1}, EstimatedRisk: ptr(0.5)}}, Sampling: Sampling{Rate: 0.02}})
		dead, err5 := w.AppendDeadLetter(nil, &DeadLetter{Topic: "calls.raw", Partition: 1, Offset: 2, Reason: ReasonInvalidJSON, TimestampMS: 3})
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			t.Fatal(err)
		}
		all = append(all, raw, start, clean, audit, dead, raw[:len(raw)/2])
	}
	all = append(all, []byte(`{"call_id":"c","seq":1,"type":"UTTERANCE","text":"\ud83d\ude00\u0041","x":[{"y":-1.5e3}]}`), []byte("{\"call_id\":\"\xff\"}"), nil)
	for _, h := range hostileBodies() {
		if len(h.body) < 1000 {
			all = append(all, append(slices.Clone(newTestCodec(t, FormatAvro).headers[rawEvent]), h.body...))
		}
	}
	return all
}

// fuzzCodec reads all encodings. IDs 1 to 8 of its registry are our schemas and some foreign ones.
func fuzzCodec(f *testing.F) *Codec {
	registry := &memoryRegistry{}
	c := newRegistryCodec(f, registry)
	registry.add(f, olderSchema)
	registry.add(f, rawSchema(`{"name":"call_id","type":["null","bytes","string"]}`, `{"name":"seq","type":["int","long"]}`,
		`{"name":"type","type":{"type":"enum","name":"T","symbols":["START","UTTERANCE","END"]}}`, `{"name":"x","type":{"type":"map","values":["null","RawEvent"]}}`, textField,
		`{"name":"entities","type":["null",{"type":"map","values":"double"},{"type":"array","items":{"type":"record","name":"E","fields":[{"name":"score","type":"float"},{"name":"start","type":"int"}]}}]}`))
	registry.add(f, rawSchema(callIDField, `{"name":"x","type":["null","RawEvent",{"type":"array","items":"null"}]}`))
	registry.add(f, `"string"`)
	return c
}

// check checks what holds for every input and every decoder: the result is an event or an error,
// the reason of the error is one of the fixed set, and an event that is written is read back
// unchanged.
func checkDecoder[E any](t *testing.T, data []byte, decode func([]byte) (*E, error), encode func([]byte, *E) ([]byte, error), normal func(E) E) {
	t.Helper()
	before := bytes.Clone(data)
	e, err := decode(data)
	if !bytes.Equal(before, data) {
		t.Fatal("decoding changed the record")
	}
	if err != nil {
		var bad *DecodeError
		if e != nil || !errors.As(err, &bad) || explanations[bad.Reason] == "" || bad.Reason == ReasonDecoderPanic {
			t.Fatalf("%+v, %v", e, err)
		}
		return
	}
	record, err := encode(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decode(record)
	if err != nil {
		t.Fatalf("what is written of %+v cannot be read: %v", e, err)
	}
	if !reflect.DeepEqual(normal(*e), normal(*again)) {
		t.Fatalf("%+v became %+v", e, again)
	}
}

// skipUnknownIDs avoids requests for unknown schemas.
func skipUnknownIDs(t *testing.T, data []byte) {
	if len(data) >= confluentHeader && data[0] == magicConfluent && binary.BigEndian.Uint32(data[1:]) > 8 {
		t.Skip()
	}
}

func FuzzDecodeRaw(f *testing.F) {
	c := fuzzCodec(f)
	writer := newTestCodec(f, FormatAvro)
	for _, s := range seeds(f, c) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		skipUnknownIDs(t, data)
		checkDecoder(t, data, c.DecodeRaw, writer.AppendRaw, func(e RawEvent) RawEvent {
			for i := range e.Participants {
				p := &e.Participants[i]
				for _, list := range []*[]string{&p.Names, &p.Emails, &p.Phones, &p.Other} {
					if len(*list) == 0 {
						*list = nil
					}
				}
			}
			return e
		})
		if e, err := c.DecodeRaw(data); err == nil {
			for _, s := range []string{e.CallID, e.Text, e.Tenant, e.Context, e.Language} {
				if !utf8.ValidString(s) {
					t.Fatal("a text is not valid UTF-8")
				}
			}
		}
	})
}

func FuzzDecodeTheOtherEvents(f *testing.F) {
	c := fuzzCodec(f)
	writer := newTestCodec(f, FormatJSON)
	for _, s := range seeds(f, c) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		skipUnknownIDs(t, data)
		checkDecoder(t, data, c.DecodeClean, writer.AppendClean, CleanEvent.normal)
		checkDecoder(t, data, c.DecodeAudit, writer.AppendAudit, AuditEvent.normal)
		checkDecoder(t, data, c.DecodeDeadLetter, writer.AppendDeadLetter, func(e DeadLetter) DeadLetter { return e })
	})
}

func FuzzAvroPathsAgree(f *testing.F) {
	for _, s := range seeds(f, newTestCodec(f, FormatAvro)) {
		if len(s) > singleObjectHeader && s[0] == magicSingleObject {
			f.Add(s[singleObjectHeader:])
		}
	}
	codec := goavroOf(f, families()[rawEvent].current)
	f.Fuzz(func(t *testing.T, body []byte) { sameByAllPaths(t, codec, body) })
}

// FuzzJSONAgreesWithTheStandardLibrary compares the reader of raw events with encoding/json: what it accepts,
// encoding/json reads as the same event; what it refuses as invalid JSON or as the wrong type,
// encoding/json refuses, too.
func FuzzJSONAgreesWithTheStandardLibrary(f *testing.F) {
	for _, s := range seeds(f, newTestCodec(f, FormatAvro)) {
		if len(s) > 0 && s[0] == '{' {
			f.Add(s)
		}
	}
	for _, s := range []string{
		`{"speaker":{"id":"s1","x":[]},"participants":[{"names":["a",null],"other":[]},null]}`,
		`{"seq":-0,"start_ms":1e2,"final":null}`, `{"text":"a","text":"b"}`, "{\"text\":\"\\u2028\u2029\"} \n", `{"a":{"b":[1.0E-3,true,false,null,"\/"]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var ours, theirs RawEvent
		r, err := newJSONReader(data)
		if err == nil {
			c := &coder{mode: readJSON, json: r}
			record(c, &ours, (*RawEvent).fields)
			err = c.end()
		}
		theirErr := json.Unmarshal(data, &theirs)
		if err != nil {
			var bad *DecodeError
			if !errors.As(err, &bad) {
				t.Fatal(err)
			}
			switch bad.Reason {
			case ReasonInvalidUTF8, ReasonDuplicateField, ReasonTooDeep, ReasonUnknownFormat:
				return // intentionally stricter
			}
			if theirErr == nil {
				t.Fatalf("%q: encoding/json accepts what is refused as %s", data, bad.Reason)
			}
			return
		}
		if ambiguous(data) {
			return
		}
		if theirErr != nil {
			t.Fatalf("%q: encoding/json refuses: %v", data, theirErr)
		}
		if s := theirs.Speaker; s != nil {
			s.Role = roleOf(s.Role)
		}
		for i := range theirs.Participants {
			p := &theirs.Participants[i]
			for _, list := range []*[]string{&p.Names, &p.Emails, &p.Phones, &p.Other} {
				if len(*list) == 0 {
					*list = nil
				}
			}
		}
		if len(theirs.Participants) == 0 {
			theirs.Participants = nil
		}
		if !reflect.DeepEqual(ours, theirs) {
			t.Fatalf("%q:\nours %+v\njson %+v", data, ours, theirs)
		}
	})
}

// ambiguous reports whether an object has a name that encoding/json matches to a field although the
// case differs.
func ambiguous(data []byte) bool {
	var known []string
	for _, t := range goTypes {
		known = append(known, jsonNames(t)...)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if s, ok := token.(string); ok && !slices.Contains(known, s) &&
			slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, s) }) {
			return true
		}
	}
}
