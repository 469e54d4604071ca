package partition

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/risk"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state/sealing"
)

// oddCall is a call as it was written to the clean topic, and the same call annotated by an
// auditor.
type oddCall struct {
	id, context string
	said, read  []string
}

// oddCalls makes calls with names that were not masked: few in one context, many in the other.
func oddCalls(rnd *rand.Rand, n int) (calls []oddCall) {
	for i := range n {
		c := oddCall{id: fmt.Sprintf("call-%d", i), context: "customer_support"}
		share := 0.02
		if i%4 == 0 {
			c.context, share = "sales", 0.25
		}
		for k := range 2 + rnd.IntN(12) {
			said, read := "well, let me see what I can do", ""
			if rnd.Float64() < share {
				name := fmt.Sprintf("Zorb%c%c%c", 'a'+rnd.IntN(26), 'a'+rnd.IntN(26), 'a'+k)
				said = "then I spoke to " + name
				if rnd.IntN(3) > 0 { // else it is no name
					read = "then I spoke to (" + name + ")[MISSED_PERSON_NAME]"
				}
			}
			if read == "" {
				read = said
			}
			c.said, c.read = append(c.said, said), append(c.read, read)
		}
		calls = append(calls, c)
	}
	return calls
}

// audit returns the audit topic for the calls under one key, annotated. The auditor takes the
// utterances that the sample lacks from the clean topic.
func audit(t *testing.T, calls []oddCall, uniform func(string) float64, a *Auditor, keys *sealing.Keyring) string {
	lim := testLimits()
	lim.Open, lim.AuditRate = len(calls)+1, uniform
	lim.Draw = func(id string) float64 { return keys.Draw("audit", id) }
	p := New(0, lim)
	codec, err := schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	var topic []byte
	var doc detectors.Document
	write := func(e *schemas.AuditEvent) {
		if topic, err = codec.AppendAudit(topic, e); err != nil {
			t.Fatal(err)
		}
		topic = append(topic, '\n')
	}
	for _, oc := range calls {
		whole := false
		for i := range len(oc.said) + 1 {
			ev := &schemas.RawEvent{CallID: oc.id, Seq: int64(i + 1), Type: schemas.Utterance, Context: oc.context}
			if i == len(oc.said) {
				ev.Type = schemas.End
			}
			c, _ := p.Admit(oc.id, ev)
			if c == nil {
				t.Fatal("an event was not admitted")
			}
			if ev.Type == schemas.Utterance {
				c.risk.Candidates, _ = c.risk.Candidates.Observe(&doc, oc.said[i], nil, nil)
			}
			s, _ := a.Decide(&c.Meta, &c.risk, c.risk.Estimate(estimate.At(ner.High), &c.Meta, c.memory), ev.Type)
			if s == nil {
				continue
			}
			event := func(seq int, text string) *schemas.AuditEvent {
				return &schemas.AuditEvent{Sampling: *s, CleanEvent: schemas.CleanEvent{CallID: oc.id, Seq: int64(seq), Context: oc.context, Type: schemas.Utterance, Text: text}}
			}
			if !whole {
				for k := range s.Missing {
					write(event(int(k+1), oc.read[k]))
				}
				whole = true
			}
			if ev.Type == schemas.End {
				e := event(i+1, "")
				e.Type = schemas.End
				write(e)
			} else {
				write(event(i+1, oc.read[i]))
			}
		}
	}
	return string(topic)
}

// TestTheSampleIsUnbiased draws the audit sample of the same calls under many keys, and has each
// annotated and assessed. On average, the figures are those of all calls, although risky calls are
// sampled many times as often.
func TestTheSampleIsUnbiased(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine that calculates for long")
	}
	calls := oddCalls(rand.New(rand.NewPCG(1, 2)), 1000)
	table := risk.Table6()
	var truth []float64
	for _, c := range calls {
		a, err := table.Parse(strings.Join(c.read, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, m := range a.Missed {
			sum += table.Points(m.Piece)
		}
		truth = append(truth, float64(sum))
	}
	want := risk.Summarize(truth)
	uniform := func(context string) float64 {
		if context == "sales" {
			return 0.1
		}
		return 0.04
	}
	a := &Auditor{AtRisk: 0.6}
	file := filepath.Join(t.TempDir(), "keys")
	const keys = 40
	var means, naive []float64
	for k := range keys {
		if err := os.WriteFile(file, []byte("1 "+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{byte(k + 1)}, 32))+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ring, err := sealing.LoadKeyring(file)
		if err != nil {
			t.Fatal(err)
		}
		sample, err := table.ReadLines(strings.NewReader(audit(t, calls, uniform, a, ring)), "audit")
		if err != nil {
			t.Fatal(err)
		}
		if len(sample) == 0 {
			t.Fatal("the sample is empty")
		}
		for i := range sample {
			sample[i].NotAnnotated = false
		}
		means = append(means, table.Assess(sample).Total.Mean)
		for i := range sample {
			sample[i].Probability = 0
		}
		naive = append(naive, table.Assess(sample).Total.Mean)
	}
	got, plain := risk.Summarize(means), risk.Summarize(naive)
	t.Logf("mean of all calls %.3f; by the weighted samples %.3f (deviation %.3f); without weights %.3f", want.Mean, got.Mean, got.Std, plain.Mean)
	if off := math.Abs(got.Mean - want.Mean); off > 3*got.Std/math.Sqrt(keys) {
		t.Errorf("the samples give a mean of %.3f, the mean of all calls is %.3f", got.Mean, want.Mean)
	}
	if plain.Mean < 1.5*want.Mean {
		t.Errorf("without weights the samples give %.3f: risky calls are not over-sampled", plain.Mean)
	}
}
