package processor

import (
	"math"

	"sotto/config"
	"sotto/risk"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// doubt is what the stream knows of a call's residual risk and what it did
// about it. It is a value: nothing writes to what it points to. All of it is in
// the sealed state.
type doubt struct {
	ledger estimate.CandidateSet
	// chosen tells that the call is in the audit sample because of it, and
	// missing how many utterances had passed by then.
	chosen  bool
	missing int64
	// leftover is what the closing pass found, in thousandths of a point.
	leftover int64
}

type wireDoubt struct {
	Keys    []uint32 `cbor:"1,keyasint,omitempty"`
	Chosen  bool     `cbor:"2,keyasint,omitempty"`
	Missing int64    `cbor:"3,keyasint,omitempty"`
	Left    int64    `cbor:"4,keyasint,omitempty"`
}

func (d doubt) wire() wireDoubt { return wireDoubt{d.ledger.Keys(), d.chosen, d.missing, d.leftover} }

func (w wireDoubt) doubt() (doubt, error) {
	l, err := estimate.FromKeys(w.Keys)
	return doubt{l, w.Chosen, w.Missing, w.Left}, err
}

// risk is the expected residual risk of a call so far.
func (d *doubt) risk(m *callMeta, memory *state.Call) float64 {
	return estimate.Plus(d.ledgerRisk(m, memory), d.leftover)
}

// ledgerRisk leaves out what the closing pass has masked since.
func (d *doubt) ledgerRisk(m *callMeta, memory *state.Call) float64 {
	return d.ledger.CallRisk(m.Utterances, memory)
}

// auditor decides which calls go to the audit topic. A call has one keyed draw
// from [0, 1) for good, and is in the sample as soon as its rate is over that:
// the rate of its context, or a higher one that grows with the estimated risk.
// So the rate at its end is exactly the probability with which it was chosen,
// whatever it was chosen for, and the two samples share their calls.
type auditor struct {
	uniform config.ByContext
	// doubted is the rate of a call whose estimated risk is at the threshold
	// or over it.
	doubted float64
}

// rate is the probability with which a call with this estimated risk is in
// the sample. It grows with the square of the risk, so that the many calls
// that are a little suspicious do not crowd out those that are very.
func (a *auditor) rate(uniform, estimated float64) float64 {
	x := min(1, estimated/risk.MaxScore)
	return max(uniform, a.doubted*(x*x))
}

// decide tells whether an event goes to the audit topic, and what it says of
// the sampling. It notes in d when the call is chosen by it; changed then tells
// that the state must be written, since what comes later depends on it.
func (a *auditor) decide(m *callMeta, d *doubt, estimated float64, t schemas.EventType) (s *schemas.Sampling, changed bool) {
	rate := a.rate(m.Uniform, estimated)
	switch {
	case m.AuditRate > 0:
		return &schemas.Sampling{Rate: max(m.AuditRate, rate), Reason: schemas.SampledByContext, EstimatedRisk: &estimated}, false
	case !d.chosen && m.Draw < rate:
		d.chosen, changed = true, true
		if d.missing = m.Utterances; t == schemas.Utterance {
			d.missing--
		}
	}
	if !d.chosen {
		return nil, false
	}
	return &schemas.Sampling{Rate: rate, Reason: schemas.SampledByDoubt, EstimatedRisk: &estimated, Missing: d.missing}, changed
}

// audit makes the call's draw for the audit and notes the rate of its context.
func (l *limits) audit(m *callMeta, id, context string) {
	m.Draw, m.Uniform = l.draw(id), l.auditRates.Of(context)
	if m.Draw < m.Uniform {
		m.AuditRate = m.Uniform
	}
}

// neverDrawn is the draw of a call whose state comes from a version that kept
// none: no rate is over it.
var neverDrawn = math.Inf(1)
