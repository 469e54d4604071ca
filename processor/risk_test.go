package processor

import (
	"fmt"
	"strings"
	"testing"

	"sotto/anonymize/ending"
	"sotto/schemas"
)

// TestRiskIsEstimatedAndActedUpon follows one call with unknown names through the stream, with a
// restart in the middle.
func TestRiskIsEstimatedAndActedUpon(t *testing.T) {
	r := newRig(t, 1)
	r.Set.AuditRate, r.Set.AuditRiskRate = "0", 1
	r.Set.RiskGate, r.Set.RiskLimit, r.Set.Sensitivity = ending.GateEnforce, "2", "balanced"
	careless := func(p *Processor) { p.wrap = withPanics }
	in := r.start("a", careless)
	r.Feed(r.Raw(0, utterance("c", 1, "x", "well, let me see")))
	const utterances = 25
	for i := range int64(utterances - 1) {
		r.Feed(r.Raw(0, utterance("c", i+2, "x", fmt.Sprintf(oddMark+" I saw Zorblatt%c, Quimbolt%[1]c, Wexlohr%[1]c and Brimthorpe%[1]c", 'a'+i))))
	}
	r.Await(r.Topics.Clean, utterances)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	r.start("a", careless)
	r.Feed(r.Raw(0, ended("c", 40)))
	end := r.Clean(r.Await(r.Topics.Clean, utterances+1))[utterances]
	if end.Call.EstimatedRisk == nil || *end.Call.EstimatedRisk <= 5 || end.Call.Release || !strings.Contains(end.Call.Reason, "the limit is 2") {
		t.Fatalf("END has the summary %+v", end.Call)
	}
	recs := r.Read(r.Topics.Audit)
	if len(recs) == 0 {
		t.Fatal("a call over the threshold is not in the audit sample at rate 1")
	}
	var last *schemas.AuditEvent
	for _, rec := range recs {
		e, err := r.Codec.DecodeAudit(rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		if s := e.Sampling; s.Reason != schemas.SampledByRisk || last != nil && s.Rate < last.Sampling.Rate || int(s.Missing) != utterances+1-len(recs) {
			t.Errorf("seq %d: sampling %+v", e.Seq, s)
		}
		last = e
	}
	if last.Type != schemas.End || last.Sampling.Rate != 1 || *last.Sampling.EstimatedRisk != *end.Call.EstimatedRisk {
		t.Errorf("the last audit event is %s with %+v", last.Type, last.Sampling)
	}
}
