package mapping

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// The key that a message gets before it is written is the ID of the call that the stream reads from it, for every built-in mapping.
func TestKeysOfSamples(t *testing.T) {
	for _, name := range Names() {
		m, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		where := ""
		k, err := NewKeys(m, where)
		if err != nil { // the key is the ID
			where = "$header.X-Call"
			if k, err = NewKeys(m, where); err != nil {
				t.Fatal(name, err)
			}
		} else if _, err := NewKeys(m, "x"); err == nil {
			t.Errorf("%s: a path to the key is accepted that has no effect", name)
		}
		data, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, rec := range Records(data, "") {
			id := string(rec.Key)
			arrives := Record{Value: rec.Value, Header: func(name string) string {
				return map[string]string{"X-Call": id}[name]
			}}
			got := k.Of(arrives)
			if got != "" {
				found++
			}
			for _, message := range m.Read(Record{Value: rec.Value, Key: []byte(got)}) {
				if message.Event != nil && (message.Event.CallID != got || got != id) {
					t.Errorf("%s: the key of a message of call %q is %q, want %q", name, message.Event.CallID, got, id)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no message has a key", name)
		}
	}
}

func TestKeysOfOtherRecords(t *testing.T) {
	own, err := NewKeys(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Load("zoom", "")
	if err != nil {
		t.Fatal(err)
	}
	zoom, err := NewKeys(m, "payload.meeting | content.meeting")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		keys        *Keys
		value, want string
	}{
		{own, `{"call_id":"c1"}`, "c1"},
		{own, `[{"x":1},{"call_id":"c2"}]`, ""},
		{own, `{"call_id":{"call_id":"c2"}}`, ""},
		{own, `{"call":"c1"}`, ""},
		{own, ``, ""},
		{own, `call_id=c1`, ""},
		{zoom, `{"event":"x","payload":{"meeting":"m"}}`, "m"},
		{zoom, strings.Repeat("[", 10_000), ""},
		{zoom, strings.Repeat(`{"payload":`, 9_999) + "1" + strings.Repeat("}", 9_999), ""},
	} {
		if got := c.keys.Of(Record{Value: []byte(c.value)}); got != c.want {
			t.Errorf("the key of %.30q is %q, want %q", c.value, got, c.want)
		}
	}
	if _, err := NewKeys(nil, "x"); err == nil {
		t.Error("events of our own have a path to the key")
	}
	if _, err := NewKeys(m, "a..b"); err == nil {
		t.Error("a damaged path is accepted")
	}
}

// Sotto's own events may stand beside the messages of every vendor: their key is their ID.
func TestKeysOfOwnEventsBesideAVendor(t *testing.T) {
	for _, name := range Names() {
		m, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		k, err := NewKeys(m, "")
		if err != nil {
			if k, err = NewKeys(m, "id | $header.X-Call"); err != nil {
				t.Fatal(name, err)
			}
		}
		for _, own := range []string{
			`{"call_id":"c1","seq":99999999,"type":"END"}`, `{"call_id":"c1","seq":0,"type":"START","id":"other","participants":[{"id":"a"}]}`,
			`{"call_id":"c1","seq":7,"type":"UTTERANCE","text":"hello"}`,
		} {
			rec := Record{Value: []byte(own), Header: func(string) string { return "of-the-request" }}
			if got := k.Of(rec); got != "c1" {
				t.Errorf("%s: the key of %s is %q", name, own, got)
			}
		}
	}
}

// The key is the ID that the stream finds, by the mapping's own alternatives.
func TestTheKeyIsTheIDThatTheStreamFinds(t *testing.T) {
	m, err := Parse([]byte("call: session | $key\nunknown: ignore\nrules: [{when: [text], text: text, seq: n}]\n"), "own")
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewKeys(m, "conversation")
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"text":"a","n":1,"session":"s","conversation":"c"}`: "s",
		`{"text":"a","n":1,"conversation":"c"}`:               "c",
		`{"text":"a","n":1}`:                                  "",
		`{"conversation":"c"}`:                                "c",
		`[{"x":1},{"text":"a","n":1,"session":"s"},{"text":"a","n":1,"conversation":"c"}]`: "s",
	} {
		got := k.Of(Record{Value: []byte(value)})
		if got != want {
			t.Errorf("the key of %s is %q, want %q", value, got, want)
		}
		if first := m.Read(Record{Value: []byte(value), Key: []byte(got)})[0].Event; first != nil && first.CallID != got {
			t.Errorf("the stream takes %s for a message of %q, and its key is %q", value, first.CallID, got)
		}
	}
}

// Headers of a request are not written, so that a mapping which reads them would find none.
func TestKeysOfAMappingThatReadsHeaders(t *testing.T) {
	for part, yaml := range map[string]string{
		"call":      "call: $header.X-Call\nrules: [{when: [text], text: text}]",
		"condition": "call: $key\nrules: [{when: [text, $header.X-Kind=said], text: text}]",
		"field":     "call: $key\nrules: [{when: [text], text: text, language: language | $header.X-Language}]",
		"words":     "call: $key\nrules: [{words: {path: words, text: word, speaker: $header.X-Speaker}}]",
		"id":        "call: $key\nrules: [{text: text, id: n + $header.X-Id}]",
		"messages":  "call: $key\nmessages: [$header.X-Body]\nrules: [{text: text}]",
		"wrapper":   "call: $key\nunwrap: $header.X-Body\nrules: [{text: text}]",
	} {
		m, err := Parse([]byte(yaml), "own")
		if err != nil {
			t.Fatal(part, err)
		}
		where := "$header.X-Call"
		if part == "call" {
			where = ""
		}
		if _, err := NewKeys(m, where); !errors.Is(err, errHeaders) {
			t.Errorf("a header in the %s: %v", part, err)
		}
	}
}
