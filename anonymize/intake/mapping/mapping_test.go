package mapping

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/schemas"
)

var update = flag.Bool("update", false, "write the golden files")

func builtin(t testing.TB, name string) *Mapping {
	t.Helper()
	m, err := Load(name, "")
	if err != nil {
		t.Fatal(name, err)
	}
	return m
}

// samples are the records of a file: a key, a tab and a value a line.
func samples(t testing.TB, name string) (records []Record) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return Records(data, "")
}

// played are the events of a call that is told the messages of records, as the stream does it, and
// how often nothing or a dead letter came of one.
func played(m *Mapping, records []Record) (events []*schemas.RawEvent, others map[string]int) {
	trial := NewTrial(m)
	others = map[string]int{}
	for _, rec := range records {
		for _, o := range trial.Read(rec) {
			if o.Event == nil {
				others[o.Reason+o.Dropped]++
				continue
			}
			events = append(events, o.Event)
		}
	}
	return events, others
}

func TestBuiltInMappingsReadTheirSamples(t *testing.T) {
	for _, name := range Names() {
		events, others := played(builtin(t, name), samples(t, name))
		var b bytes.Buffer
		for _, e := range events {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		line, _ := json.Marshal(others)
		b.Write(append(line, '\n'))
		golden := filepath.Join("testdata", name+".golden.jsonl")
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(golden); !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s: the samples become\n%s", name, b.Bytes())
		}
		if others[ReasonUnknown] > 0 || others[schemas.ReasonMissingCallID] > 0 {
			t.Errorf("%s: it does not know a message of its own samples", name)
		}
	}
}

// endless are the vendors with no message that ends a call.
var endless = []string{"transcribe", "google", "azure", "azure-communication", "openai-realtime"}

// A call comes out complete, in order, with its END last, also if each message comes twice. The numbers
// grow, and no interim result is an utterance.
func TestCallsAreCompleteAndInOrder(t *testing.T) {
	for _, name := range Names() {
		records := samples(t, name)
		once, _ := played(builtin(t, name), records)
		var twice []Record
		for _, r := range records {
			twice = append(twice, r, r)
		}
		for what, more := range map[string][]Record{"each twice": twice, "all again": slices.Concat(records, records)} {
			if again, others := played(builtin(t, name), more); !same(once, again) || others[ReasonRevised] > 0 {
				t.Errorf("%s, %s: the call differs", name, what)
			}
		}
		said := ""
		for i, e := range once {
			if i > 0 && e.Seq <= once[i-1].Seq {
				t.Errorf("%s: event %d has the number %d after %d", name, i, e.Seq, once[i-1].Seq)
			}
			said += strings.ToLower(strings.NewReplacer(".", "", ",", "").Replace(e.Text)) + "\n"
		}
		if ended := once[len(once)-1].Type == schemas.End; ended == slices.Contains(endless, name) {
			t.Errorf("%s: the last event is an END: %v", name, ended)
		}
		for _, words := range []string{"my name is tobias fennick and my account is 4417 9083\n", "you can reach me at 604 555 0172\n"} {
			if strings.Count(said, words) != 1 {
				t.Errorf("%s: a sentence is said %d times", name, strings.Count(said, words))
			}
		}
	}
}

// The vendors that say when something was said, or number their messages, have the same numbers in
// whatever order the messages come.
func TestTheOrderOfArrivalDoesNotMatter(t *testing.T) {
	for _, name := range []string{"deepgram", "contact-lens", "twilio", "transcribe", "azure", "ringcentral"} {
		records := samples(t, name)
		want, _ := played(builtin(t, name), records)
		slices.Reverse(records)
		got, _ := played(builtin(t, name), records)
		slices.SortFunc(got, func(a, b *schemas.RawEvent) int { return int(a.Seq - b.Seq) })
		if !same(want, got) {
			t.Errorf("%s: the call differs if its messages arrive in reverse", name)
		}
	}
}

func same(a, b []*schemas.RawEvent) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// Whatever is changed in the messages of a vendor, each becomes something, nothing of it is in a
// reason, and reading it again gives the same.
func TestDamagedMessages(t *testing.T) {
	var mappings []*Mapping
	records := map[*Mapping][]Record{}
	for _, name := range Names() {
		m := builtin(t, name)
		mappings, records[m] = append(mappings, m), samples(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(mappings).Draw(t, "mapping")
		from := rapid.SampledFrom(mappings).Draw(t, "of")
		rec := rapid.SampledFrom(records[from]).Draw(t, "record")
		value := slices.Clone(rec.Value)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(value)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				value[at] = rapid.Byte().Draw(t, "byte")
			case 1:
				value = value[:at+1]
			case 2:
				value = slices.Concat(value[:at], value[at:], value[at:])
			}
		}
		checkRead(t, m, Record{Key: rec.Key, Value: value})
	})
}

type failer interface{ Fatalf(string, ...any) }

func checkRead(t failer, m *Mapping, rec Record) {
	first, again := m.Read(rec), m.Read(rec)
	if len(first) == 0 || len(first) != len(again) {
		t.Fatalf("%s: %d messages, and %d if it is read again", m.Name, len(first), len(again))
	}
	for i, message := range first {
		outcomes := 0
		for _, is := range []bool{message.Event != nil, message.Reason != "", message.Dropped != ""} {
			if is {
				outcomes++
			}
		}
		switch {
		case outcomes != 1:
			t.Fatalf("%s: a message becomes %d things", m.Name, outcomes)
		case message.Reason != "" && schemas.Explain(message.Reason) == "" || message.Dropped != "" && Drops[message.Dropped] == "":
			t.Fatalf("%s: a reason is not one of the fixed set", m.Name)
		case message.Reason == schemas.ReasonDecoderPanic:
			t.Fatalf("%s: it panics", m.Name)
		case message.Reason != again[i].Reason || message.Dropped != again[i].Dropped || message.Mark != again[i].Mark:
			t.Fatalf("%s: message %d differs if it is read again", m.Name, i)
		case message.Event != nil && !utf8.ValidString(message.Event.CallID):
			t.Fatalf("%s: the call ID of message %d is no text", m.Name, i)
		}
	}
}

func FuzzRead(f *testing.F) {
	var mappings []*Mapping
	for _, name := range Names() {
		mappings = append(mappings, builtin(f, name))
		for _, r := range samples(f, name) {
			f.Add(r.Value, r.Key)
		}
	}
	f.Fuzz(func(t *testing.T, value, key []byte) {
		for _, m := range mappings {
			checkRead(t, m, Record{Value: value, Key: key})
		}
	})
}

func TestMappingsThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"call: $key":                                                  "rules: there are none",
		"rules: [{is: end}]":                                          "rule 1: call: it is missing; $key is the key of the record",
		"call: a\nrules: [{when: [x]}]":                               "rule 1: text: an utterance needs one, or words",
		"call: a\nrules: [{is: over}]":                                "rule 1: is: must be one of utterance, interim, start, end, ignore",
		"call: a\nrules: [{text: b..c}]":                              "rule 1: text: a path is a list of names",
		"call: a\nrules: [{is: end, when: [$x]}]":                     "rule 1: when: a path is a list of names",
		"call: a\norder: start\nrules: [{text: b}]":                   "rule 1: start: order: start needs it",
		"call: a\norder: start\nrules: [{text: b, start: c, seq: d}]": "rule 1: seq: it and order exclude each other",
		"call: a\nunit: h\nrules: [{is: end}]":                        "rule 1: unit: must be one of s, ms, us, ticks",
		"call: a\nroles: {x: BOSS}\nrules: [{is: end}]":               "roles: must be one of AGENT, CUSTOMER, UNKNOWN",
		"call: a\nunknown: drop\nrules: [{is: end}]":                  "unknown: must be one of dead-letter, ignore",
		"call: a\nrules: [{text: b, words: {path: c}}]":               "rule 1: words: they need a path and a text",
		"call: a\nrulez: []":                                          "it is no YAML, or has a name there that mappings do not have",
	} {
		if _, err := Parse([]byte(text), "mine"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Load("nobody", t.TempDir()); err == nil || !strings.Contains(err.Error(), "built in are event, ") {
		t.Errorf("a name that is none: %v", err)
	}
}

// What stands around a message is taken off, of whatever carrier and however often.
func TestWrappers(t *testing.T) {
	m, err := Parse([]byte("unwrap: mine\ncall: $header.call-id | c\nrules: [{text: said}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	inner := `{"c":"call","said":"hello"}`
	quoted, _ := json.Marshal(inner)
	encoded, _ := json.Marshal([]byte(inner))
	for _, value := range []string{
		inner,
		`[` + inner + `]`,
		`{"mine":` + inner + `}`,
		`{"specversion":"1.0","source":"s","type":"t","id":"1","data":` + inner + `}`,
		`{"specversion":"1.0","source":"s","type":"t","id":"1","data_base64":` + string(encoded) + `}`,
		`{"detail-type":"t","source":"s","detail":` + inner + `}`,
		`{"Type":"Notification","TopicArn":"a","Message":` + string(quoted) + `}`,
		`{"Records":[{"kinesis":{"data":` + string(encoded) + `}}]}`,
		`[{"eventSource":"aws:kinesis","kinesisSchemaVersion":"1.0","partitionKey":"p","data":` + string(encoded) + `}]`,
		`{"requestId":"r","timestamp":1,"records":[{"data":` + string(encoded) + `}]}`,
		`{"Records":[{"messageId":"m","receiptHandle":"h","body":` + string(quoted) + `}]}`,
		`{"messageId":"m","receiptHandle":"h","body":` + string(quoted) + `}`,
		`{"id":"1","subject":"s","eventType":"t","dataVersion":"1","data":` + inner + `}`,
		`{"message":{"data":` + string(encoded) + `},"subscription":"s"}`,
		`{"schema":{},"payload":` + inner + `}`,
		`{"schema":{},"payload":{"op":"c","source":{"connector":"postgresql"},"after":{"id":1,"payload":` + string(quoted) + `}}}`,
	} {
		all := m.Read(Record{Value: []byte(value)})
		if len(all) != 1 || all[0].Event == nil || all[0].Event.Text != "hello" || all[0].Event.CallID != "call" {
			t.Errorf("%s becomes %+v", value, all)
		}
	}
	two := m.Read(Record{Value: []byte(`[` + inner + `,` + inner + `]`), Header: func(string) string { return "other" }})
	if len(two) != 2 || two[1].Event == nil || two[1].Event.CallID != "other" {
		t.Errorf("an array of two becomes %+v", two)
	}
	if many := m.Read(Record{Value: []byte(`[` + strings.Repeat(inner+",", maxMessages) + inner + `]`)}); len(many) != 1 || many[0].Reason != ReasonTooMany {
		t.Errorf("%d messages", len(many))
	}
}

// Keys and headers may be any bytes. Written as text, two of them could be one call ID, and a reader who drops
// duplicates would lose the events of one call.
func TestAKeyOrAHeaderThatIsNoText(t *testing.T) {
	m, err := Parse([]byte("call: $header.id | $key\nrules: [{text: said}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range []Record{
		{Key: []byte("call\xff")},
		{Key: []byte("call"), Header: func(string) string { return "\xfe" }},
	} {
		rec.Value = []byte(`[{"said":"hello"},{"said":"goodbye"}]`)
		if all := m.Read(rec); len(all) != 1 || all[0].Reason != schemas.ReasonInvalidUTF8 {
			t.Errorf("they become %d messages, the first for %q", len(all), all[0].Reason)
		}
	}
	if all := m.Read(Record{Value: []byte(`{"said":"hello"}`), Key: []byte("call")}); len(all) != 1 || all[0].Event == nil {
		t.Errorf("a key that is text gives %d messages", len(all))
	}
}

// Two who begin to talk at the same time have two numbers, in whatever order they come.
func TestTwoAtOnce(t *testing.T) {
	m, err := Parse([]byte("call: c\norder: start\nrules: [{text: said, start: at, speaker: by}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	trial, seen := NewTrial(m), map[int64]bool{}
	for _, by := range strings.Split("abcdefghijklm", "") {
		for _, o := range trial.Read(Record{Value: []byte(`{"c":"call","at":2.5,"said":"yes","by":"` + by + `"}`)}) {
			if o.Event == nil || seen[o.Event.Seq] {
				t.Fatalf("%s gets a number that another one has, or none", by)
			}
			seen[o.Event.Seq] = true
		}
	}
}

func TestTimes(t *testing.T) {
	for value, want := range map[string]int64{
		`1.25`: 1250, `"1.5s"`: 1500, `"PT1.5S"`: 1500, `"00:01:02.5"`: 62500, `{"seconds":"2","nanos":500000000}`: 2500, `{"nanos":500000000}`: 500,
		`"soon"`: -1, `-1`: -1, `true`: -1, `1e300`: -1,
	} {
		v, _ := parseJSON([]byte(value))
		got := int64(-1)
		if ms := millis(v, 1000); ms != nil {
			got = *ms
		}
		if got != want {
			t.Errorf("%s is %d ms, want %d", value, got, want)
		}
	}
	for value, want := range map[string]int64{
		`"2026-03-02T10:00:00.5Z"`: 1772445600500, `1772445600`: 1772445600000, `1772445600500`: 1772445600500, `"1772445600500000"`: 1772445600500,
		`1772445600500000000`: 1772445600500, `6045550134`: 0, `12`: 0, `"now"`: 0, `true`: 0, `{"seconds":"1772445600","nanos":500000000}`: 1772445600500, `{"nanos":5}`: 0,
	} {
		v, _ := parseJSON([]byte(value))
		if got := epoch(v); got != want {
			t.Errorf("%s is %d, want %d", value, got, want)
		}
	}
}
