package batch

import (
	"cmp"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/internal/lifecycle"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// keepEnded calls that have ended keep their state, so that an utterance that comes a little late
// continues the numbering.
const keepEnded = 1024

// calls are the states of an input's calls. An input need not have times, so their clock counts the
// calls that have ended. No call is ever idle, and no hash is ever dropped.
type calls struct {
	table *lifecycle.Table[*call]
	doc   detectors.Document // for the risk estimate
}

type call struct {
	lifecycle.Entry
	life       lifecycle.Life
	memory     *state.Call
	utterances int64
	tenant     string // of the first event that has one
	context    string // of the first event that has one
	candidates estimate.CandidateSet
}

// Lived implements lifecycle.Call.
func (c *call) Lived() *lifecycle.Life { return &c.life }

// look estimates the risk of an anonymized event, as the stream does.
func (c *call) look(doc *detectors.Document, clean *schemas.CleanEvent, subthreshold []detectors.SubthresholdFinding) {
	c.context, c.tenant = cmp.Or(c.context, clean.Context), cmp.Or(c.tenant, clean.Tenant)
	if clean.Type == schemas.Utterance {
		c.utterances++
		c.candidates, _ = c.candidates.Observe(doc, clean.Text, clean.Entities, subthreshold)
	}
}

// summary returns the summary that the stream would write at an operating point, before the gate.
func (c *call) summary(s ner.Sensitivity) *schemas.CallSummary {
	estimated := estimate.At(s).CallRisk(c.candidates, c.utterances, c.memory)
	return &schemas.CallSummary{
		Utterances: c.utterances, Entities: c.memory.Entities(), EstimatedRisk: &estimated, Release: true, ClosedBy: schemas.ClosedByEnd,
	}
}

// newCalls keeps the states of so many calls that have ended.
func newCalls(keep int) *calls {
	limits := lifecycle.Limits{Grace: int64(keep)}
	return &calls{table: lifecycle.New[*call](limits, lifecycle.NewForgotten(0, lifecycle.Forever, nil), nil)}
}

// get returns the state of a call, a new one for a new call, and nil for a call whose state was
// dropped.
func (c *calls) get(id string) *call {
	if m := c.table.Get(id); m != nil {
		return m
	}
	if c.table.Admit(id) == lifecycle.Late {
		return nil
	}
	m := &call{Entry: lifecycle.Entry{ID: id}, memory: state.NewCall()}
	c.table.Open(m)
	return m
}

// end records that a call has ended; a second END changes nothing.
func (c *calls) end(m *call) {
	if m.life.Ended {
		return
	}
	c.table.Advance(c.table.Clock+1, nil)
	c.table.End(m)
	c.table.Commit()
}
