package processor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"sotto/config"
	"sotto/detectors"
	"sotto/risk"
	"sotto/schemas"
	"sotto/state"
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
func audit(t *testing.T, calls []oddCall, a *auditor, keys *state.Keyring) string {
	lim := testLimits()
	lim.open, lim.auditRates = len(calls)+1, a.uniform
	lim.draw = func(id string) float64 { return keys.Draw("audit", id) }
	p := newPartition(0, lim)
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
			c, v := p.admit(oc.id, ev)
			if v != process {
				t.Fatal("an event was not admitted")
			}
			if ev.Type == schemas.Utterance {
				c.risk.candidates, _ = c.risk.candidates.Observe(&doc, oc.said[i], nil, nil)
			}
			s, _ := a.decide(&c.meta, &c.risk, c.risk.risk(&c.meta, c.memory), ev.Type)
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
	a := &auditor{uniform: config.ByContext{Named: map[string]float64{"sales": 0.1}, Other: 0.04}, atRisk: 0.6}
	file := filepath.Join(t.TempDir(), "keys")
	const keys = 40
	var means, naive []float64
	for k := range keys {
		if err := os.WriteFile(file, []byte("1 "+testKey(byte(k+1))+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ring, err := state.LoadKeyring(file)
		if err != nil {
			t.Fatal(err)
		}
		sample, err := table.ReadLines(strings.NewReader(audit(t, calls, a, ring)), "audit")
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

func TestAStateOfAnEarlierVersionIsNotSampledByRisk(t *testing.T) {
	a := &auditor{uniform: config.ByContext{Other: 1}, atRisk: 1}
	m, d := callMeta{Draw: neverDrawn}, callRisk{}
	if s, changed := a.decide(&m, &d, 100, schemas.Utterance); s != nil || changed {
		t.Errorf("a call without a draw was sampled: %+v", s)
	}
	m.AuditRate = 0.5
	if s, _ := a.decide(&m, &d, 0, schemas.Utterance); s == nil || s.Rate != 0.5 || s.Reason != schemas.SampledByContext {
		t.Errorf("a call that an earlier version sampled has the sampling %+v", s)
	}
}

func TestRiskMetricsHaveBoundedLabels(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := newRiskMetrics(&definer{Factory: promauto.With(registry)})
	m.labels, m.gate = contextLabels{"sales": true, "chat": true}, config.GateEnforce
	for i := range 50 {
		m.ended([]callEnd{{fmt.Sprintf("made up %d", i), 1, false, true}})
	}
	m.ended([]callEnd{{"sales", 2, false, true}, {"sales", 4, false, true}, {"sales", 9, true, false}, {"chat", 1, false, true}})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, x := range f.GetMetric() {
			for _, l := range x.GetLabel() {
				if l.GetName() == "context" {
					got[f.GetName()+" "+l.GetValue()] = x.GetGauge().GetValue() + x.GetCounter().GetValue() + float64(x.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	want := map[string]float64{
		"sotto_estimated_risk_mean sales": 5, "sotto_estimated_risk_std sales": math.Sqrt(13),
		"sotto_estimated_risk_mean_plus_std sales":         5 + math.Sqrt(13),
		"sotto_estimated_risk_above_threshold_ratio sales": 1.0 / 3,
		"sotto_estimated_risk sales":                       3, "sotto_estimated_risk chat": 1, "sotto_estimated_risk other": 50,
		"sotto_calls_over_risk_limit_total sales": 1,
	}
	for name, x := range want {
		if math.Abs(got[name]-x) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], x)
		}
	}
	// Five figures, one kind of end, and both for sales, which has the call over the limit.
	if len(got) != 5*3+1+3 {
		t.Errorf("%d series, want those of sales, chat and other", len(got))
	}
}

// TestRiskIsEstimatedAndActedUpon follows one call with unknown names through the stream, with a
// restart in the middle.
func TestRiskIsEstimatedAndActedUpon(t *testing.T) {
	r := newRig(t, 1)
	r.set.AuditRate, r.set.AuditDoubtRate = "0", 1
	r.set.RiskGate, r.set.RiskLimit = config.GateEnforce, "2"
	careless := func(p *Processor) { p.wrap = withPanics }
	in := r.start("a", careless)
	r.feed(r.raw(0, utterance("c", 1, "x", "well, let me see")))
	const utterances = 25
	for i := range int64(utterances - 1) {
		r.feed(r.raw(0, utterance("c", i+2, "x", fmt.Sprintf(oddMark+" I saw Zorblatt%c, Quimbolt%[1]c, Wexlohr%[1]c and Brimthorpe%[1]c", 'a'+i))))
	}
	r.await(r.topics.Clean, utterances)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	r.start("a", careless)
	r.feed(r.raw(0, ended("c", 40)))
	end := r.clean(r.await(r.topics.Clean, utterances+1))[utterances]
	if end.Call.EstimatedRisk == nil || *end.Call.EstimatedRisk <= 5 || end.Call.Release || !strings.Contains(end.Call.Reason, "the limit is 2") {
		t.Fatalf("END has the summary %+v", end.Call)
	}
	recs := r.read(r.topics.Audit)
	if len(recs) == 0 {
		t.Fatal("a call over the threshold is not in the audit sample at rate 1")
	}
	var last *schemas.AuditEvent
	for _, rec := range recs {
		e, err := r.codec.DecodeAudit(rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		if s := e.Sampling; s.Reason != schemas.SampledByDoubt || last != nil && s.Rate < last.Sampling.Rate || int(s.Missing) != utterances+1-len(recs) {
			t.Errorf("seq %d: sampling %+v", e.Seq, s)
		}
		last = e
	}
	if last.Type != schemas.End || last.Sampling.Rate != 1 || *last.Sampling.EstimatedRisk != *end.Call.EstimatedRisk {
		t.Errorf("the last audit event is %s with %+v", last.Type, last.Sampling)
	}
}
