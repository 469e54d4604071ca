// Package endtest is what the END of a call says, as tests that the stream, the files and the HTTP service run: whatever
// carries a call, its summary is the same.
package endtest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/config"
	"sotto/detectors"
	"sotto/schemas"
)

// Context is that of the calls.
const Context = "sales"

// Carrier carries a call of these utterances from its first event to its END, with settings changed as set says, and
// returns the summary.
type Carrier func(t *testing.T, set func(*config.Settings), utterances []string) *schemas.CallSummary

const (
	spanish = "hola, quiero cambiar la mesa de mi cuenta"
	named   = "my name is Ines Quimby, and my number is 555-0134"
)

var cases = []struct {
	name       string
	gate       string
	limit      string
	languages  string
	utterances []string
	release    bool
	reason     string // a part of it
}{
	{"nothing personal", ending.GateEnforce, "5", "mask", []string{"okay", "thank you"}, true, ""},
	{"no utterance", ending.GateEnforce, "5", "mask", nil, true, ""},
	{"no gate", ending.GateOff, "0.001", "mask", []string{named}, true, ""},
	{"a warning", ending.GateWarn, "0.001", "mask", []string{named}, true, "the limit is 0.001"},
	{"over the limit", ending.GateEnforce, "0.001", "mask", []string{named}, false, "the limit is 0.001"},
	{"a limit of its context", ending.GateEnforce, "default=0.001," + Context + "=5000", "mask", []string{named}, true, ""},
	{"another language", ending.GateOff, "5", "mask", []string{"okay", spanish}, false, "another language than English (es)"},
	{"another language that is passed", ending.GateOff, "5", "pass", []string{"okay", spanish}, true, ""},
	{"two reasons", ending.GateEnforce, "0.001", "mask", []string{named, spanish}, false, "the limit is 0.001; the call has turns in another language"},
}

// Run runs the tests.
func Run(t *testing.T, carry Carrier) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			set := func(s *config.Settings) {
				s.RiskGate, s.RiskLimit, s.OtherLanguages, s.Reading = c.gate, c.limit, c.languages, "fast"
			}
			got, want := carry(t, set, c.utterances), reference(t, set, c.utterances)
			if got != nil && len(got.Entities) == 0 {
				got.Entities = want.Entities // none, however it is read
			}
			said, err := json.Marshal(got)
			expected, _ := json.Marshal(want)
			if err != nil || !bytes.Equal(said, expected) {
				t.Errorf("the END says %s, and of such a call in memory %s", said, expected)
			}
			if want.Release != c.release || (want.Reason != "") != (c.reason != "") || !strings.Contains(want.Reason, c.reason) {
				t.Errorf("release %v for %q, want %v for %q", want.Release, want.Reason, c.release, c.reason)
			}
		})
	}
}

// reference is the summary of a call that a program keeps in memory.
func reference(t *testing.T, set func(*config.Settings), utterances []string) *schemas.CallSummary {
	t.Helper()
	s, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	set(&s)
	e, err := s.NewEngine()
	if err != nil {
		t.Fatal(err)
	}
	conversation := anonymize.NewConversation(e)
	c := ending.Tally{State: conversation.Call()}
	var doc detectors.Document
	for i, text := range utterances {
		out := conversation.Add(&schemas.RawEvent{CallID: "c", Seq: int64(i + 1), Type: schemas.Utterance, Context: Context, Text: text})
		c.Observe(&doc, &out)
	}
	return c.Summary(e, s.Gate())
}
