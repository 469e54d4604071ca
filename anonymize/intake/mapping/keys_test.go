package mapping

import (
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
		{own, `[{"x":1},{"call_id":"c2"}]`, "c2"},
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
