package anonymize

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/files/formats/plaintext"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/sealing"
	"sotto/training/corpus/callgen"
)

// After every single event the state may be sealed and opened, as if a process died and another
// continued the call. The rest of the call is byte for byte the same.
func TestAFailoverAfterAnyUtteranceChangesNothing(t *testing.T) {
	generated, sets := 60, []string{"callgen_asr", "abcd", "evi", "fakevcons_asr", "multidogo"}
	if testing.Short() {
		generated, sets = 10, nil
	}
	e := newEngine(t, Options{RawOffsets: true, Fast: true}) // many calls; the encoder has a test of its own
	t.Run("own conversations", func(t *testing.T) {
		for _, call := range goldenCalls(t) {
			failover(t, e, call)
		}
		gen := callgen.New(callgen.Config{Seed: 11})
		for n := range generated {
			var call []*schemas.RawEvent
			for _, ev := range gen.Call(n).Events {
				call = append(call, &ev.RawEvent)
			}
			failover(t, e, call)
		}
	})
	for _, set := range sets {
		t.Run(set, func(t *testing.T) {
			calls := corpus(t, set)
			for i := 0; i < len(calls); i += max(1, len(calls)/100) {
				failover(t, e, calls[i])
			}
		})
	}
}

// goldenCalls are the conversations of testdata.
func goldenCalls(t *testing.T) (calls [][]*schemas.RawEvent) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		raw, _, _ := strings.Cut(string(data), "\n---\n")
		var call []*schemas.RawEvent
		if err := plaintext.Read(strings.NewReader(raw), func(ev *schemas.RawEvent) error {
			call = append(call, ev)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call)
	}
	return calls
}

// failover plays a call twice in parallel: with one state, and with one that is sealed and opened
// before each event.
func failover(t *testing.T, e *Engine, call []*schemas.RawEvent) {
	t.Helper()
	ring, err := sealing.ParseKeyring([]byte("1 " + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))))
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := ring.Sealer("c")
	if err != nil {
		t.Fatal(err)
	}
	takeUp := func(c *state.Call) *state.Call {
		body, err := c.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		opened, err := ring.Open("c", sealer.Seal(nil, body))
		if err != nil {
			t.Fatal(err)
		}
		d := state.NewCall()
		if err := d.UnmarshalBinary(opened); err != nil {
			t.Fatal(err)
		}
		return d
	}
	kept, taken := NewConversation(e), NewConversation(e)
	for i, ev := range call {
		taken = Resume(e, takeUp(taken.Call()))
		a, err := json.Marshal(kept.Add(ev).Clean)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := json.Marshal(taken.Add(ev).Clean); !bytes.Equal(a, b) {
			t.Errorf("event %d of a call differs after a failover", i+1)
		}
	}
}

// The encoder reads a turn in the light of those before it, which the sealed state has.
func TestAFailoverWithTheEncoderChangesNothing(t *testing.T) {
	generated := 12
	if testing.Short() {
		generated = 2
	}
	e := newEngine(t, Options{RawOffsets: true})
	gen := callgen.New(callgen.Config{Seed: 12})
	for n := range generated {
		var call []*schemas.RawEvent
		for _, ev := range gen.Call(n).Events {
			call = append(call, &ev.RawEvent)
		}
		failover(t, e, call)
	}
}

// What is said after a date decides nothing about it; what was asked for before it does.
func TestTheEncoderTellsDatesFromDatesOfBirth(t *testing.T) {
	e := newEngine(t, Options{})
	for answer, want := range map[string]string{
		"The third of March, nineteen eighty two.": "[DATE_OF_BIRTH_1]",
		"Sorry, can we do Thursday instead?":       "Thursday",
	} {
		c := NewConversation(e)
		c.Add(&schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Utterance, Speaker: &schemas.Speaker{ID: "a"}, Text: "Could I get your date of birth, please?"})
		out := c.Add(&schemas.RawEvent{CallID: "c", Seq: 2, Type: schemas.Utterance, Speaker: &schemas.Speaker{ID: "b"}, Text: answer})
		if !strings.Contains(out.Clean.Text, want) {
			t.Errorf("%q became %q, which lacks %q", answer, out.Clean.Text, want)
		}
		if len(c.Call().Window()) == 0 {
			t.Error("the state does not have what the encoder read")
		}
	}
}
