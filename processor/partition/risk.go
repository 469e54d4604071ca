package partition

import (
	"sotto/risk"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// Risk is the estimated residual risk of a call and what followed from it. It
// is a value: nothing writes to what it points to. All of it is in the sealed
// state.
type Risk struct {
	Candidates estimate.CandidateSet
	// chosen reports whether the call is in the audit sample because of its risk;
	// missing is the number of utterances before that.
	chosen  bool
	missing int64
	// Leftover is the risk of what the closing pass found, in thousandths of a
	// point.
	Leftover int64
}

type sealedRisk struct {
	Keys    []uint32 `cbor:"1,keyasint,omitempty"`
	Chosen  bool     `cbor:"2,keyasint,omitempty"`
	Missing int64    `cbor:"3,keyasint,omitempty"`
	Left    int64    `cbor:"4,keyasint,omitempty"`
}

func (d Risk) wire() sealedRisk {
	return sealedRisk{d.Candidates.Keys(), d.chosen, d.missing, d.Leftover}
}

func (w sealedRisk) callRisk() (Risk, error) {
	l, err := estimate.FromKeys(w.Keys)
	return Risk{l, w.Chosen, w.Missing, w.Left}, err
}

// Estimate returns the expected residual risk of a call so far.
func (d *Risk) Estimate(w *estimate.Weights, m *Meta, memory *state.Call) float64 {
	return estimate.Plus(d.EstimateOwn(w, m, memory), d.Leftover)
}

// EstimateOwn is the estimate without what the closing pass found.
func (d *Risk) EstimateOwn(w *estimate.Weights, m *Meta, memory *state.Call) float64 {
	return w.CallRisk(d.Candidates, m.Utterances, memory)
}

// Auditor decides which calls go to the audit topic. Each call has one keyed
// draw from [0, 1). It is in the sample as soon as its rate exceeds the draw: the
// rate of its context, or a higher one that grows with the estimated risk. So the
// rate at its end is exactly the probability with which it was chosen, for
// whatever reason, and the two samples share their calls.
type Auditor struct {
	// AtRisk is the rate of a call whose estimated risk reaches the threshold.
	AtRisk float64
}

// Decide returns the sampling of an event that goes to the audit topic, else
// nil. If the event selects its call, decide records that in d and reports that
// the state must be written, because later decisions depend on it.
func (a *Auditor) Decide(m *Meta, d *Risk, estimated float64, t schemas.EventType) (s *schemas.Sampling, changed bool) {
	// It grows with the square of the risk, so that the many calls with a low risk do not crowd out
	// those with a high one.
	x := min(1, estimated/risk.MaxScore)
	rate := max(m.Uniform, a.AtRisk*(x*x))
	switch {
	case m.AuditRate > 0:
		return &schemas.Sampling{Rate: max(m.AuditRate, rate), Reason: schemas.SampledByContext, EstimatedRisk: new(estimated)}, false
	case !d.chosen && m.Draw < rate:
		d.chosen, changed = true, true
		if d.missing = m.Utterances; t == schemas.Utterance {
			d.missing--
		}
	}
	if !d.chosen {
		return nil, false
	}
	return &schemas.Sampling{Rate: rate, Reason: schemas.SampledByRisk, Missing: d.missing, EstimatedRisk: new(estimated)}, changed
}

func (l *Limits) audit(m *Meta, id, context string) {
	m.Draw, m.Uniform = l.Draw(id), l.AuditRate(context)
	if m.Draw < m.Uniform {
		m.AuditRate = m.Uniform
	}
}
