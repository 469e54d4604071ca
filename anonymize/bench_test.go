package anonymize

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// corpus reads conversations from ../shared/corpora/dev beside the repository as events. The
// benchmark is skipped if they are missing.
func corpus(b testing.TB, sets ...string) [][]*schemas.RawEvent {
	b.Helper()
	var calls [][]*schemas.RawEvent
	for _, set := range sets {
		f, err := os.Open(filepath.Join("..", "..", "shared", "corpora", "dev", set+".jsonl"))
		if err != nil {
			b.Skip("no corpora beside the repository")
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			var c struct {
				Utterances []struct{ Speaker, Text string }
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				b.Fatal("a conversation does not decode")
			}
			var events []*schemas.RawEvent
			for i, u := range c.Utterances {
				role := schemas.RoleUnknown
				switch u.Speaker {
				case "agent":
					role = schemas.RoleAgent
				case "customer":
					role = schemas.RoleCustomer
				}
				events = append(events, &schemas.RawEvent{
					CallID: "c", Seq: int64(i + 1), Type: schemas.Utterance, Text: u.Text,
					Speaker: &schemas.Speaker{ID: u.Speaker, Label: u.Speaker, Role: role},
				})
			}
			calls = append(calls, events)
		}
		if err := lines.Err(); err != nil {
			b.Fatal(err)
		}
	}
	return calls
}

// BenchmarkConversations runs the whole engine, with the state of each call, over the development
// conversations on one core.
func BenchmarkConversations(b *testing.B) {
	for _, set := range []string{"callgen", "fakevcons_asr", "ckm", "multidogo_asr", "earnings21"} {
		b.Run(set, func(b *testing.B) {
			benchmarkConversations(b, newEngine(b, Options{Fast: true}), set)
		})
	}
}

// BenchmarkPlainText runs the engine over the utterances of the development conversations in which
// nothing is found, each call with what it knows by then.
func BenchmarkPlainText(b *testing.B) {
	e := newEngine(b, Options{Fast: true})
	type turn struct {
		call  *state.Call
		event *schemas.RawEvent
	}
	var plain []turn
	tokens := 0
	var d detectors.Document
	for _, events := range corpus(b, conversations...) {
		c := state.NewCall()
		for _, ev := range events {
			before := c.Clone()
			if clean, _ := e.Apply(c, e.Prepare(ev)); len(clean.Entities) == 0 {
				plain = append(plain, turn{before, ev})
				d.Reset(ev.Text)
				tokens += len(d.Tokens)
			}
		}
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for i := range plain {
			e.Apply(plain[i].call, e.Prepare(plain[i].event))
		}
		n += tokens
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkPlain runs the engine over a turn in which nothing is found, in a call with known
// values.
func BenchmarkPlain(b *testing.B) {
	e := newEngine(b, Options{Fast: true})
	c := state.NewCall()
	e.Apply(c, e.Prepare(utterance(1, "Agent", "This is Pam calling from Dunder Mifflin, may I speak to Jim?")))
	ev := utterance(2, "Customer", "we would like to return the paper that we bought last week and get our money back")
	words := len(strings.Fields(ev.Text))
	b.ReportAllocs()
	for b.Loop() {
		e.Apply(c, e.Prepare(ev))
	}
	b.ReportMetric(float64(words)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
