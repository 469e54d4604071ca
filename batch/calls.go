package batch

import (
	"cmp"

	"sotto/anonymize"
	"sotto/detectors"
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
	life lifecycle.Life
	Call
}

// Lived implements lifecycle.Call.
func (c *call) Lived() *lifecycle.Life { return &c.life }

// Call is a call on its way through the engine, with what its summary says. It is a value: a copy of it with a
// clone of the state is the call as it was.
type Call struct {
	State      *state.Call
	Candidates estimate.CandidateSet
	utterances int64
	// Of the first event that has one.
	context, tenant string
}

// Observe counts an utterance, and what may still be personal in it. doc is working memory.
func (c *Call) Observe(doc *detectors.Document, out *anonymize.Output) {
	clean := &out.Clean
	c.context, c.tenant = cmp.Or(c.context, clean.Context), cmp.Or(c.tenant, clean.Tenant)
	if clean.Type == schemas.Utterance {
		c.utterances++
		c.Candidates, _ = c.Candidates.Observe(doc, clean.Text, clean.Entities, out.Subthreshold)
	}
}

// Summary is what the END of the call says, as in the stream. judge is nil if every call may be released.
func (c *Call) Summary(e anonymize.Anonymizer, judge Judge) *schemas.CallSummary {
	estimated := estimate.At(e.Sensitivity(c.tenant, c.context)).CallRisk(c.Candidates, c.utterances, c.State)
	sum := &schemas.CallSummary{
		Utterances: c.utterances, Entities: c.State.Entities(), EstimatedRisk: &estimated, Release: true, ClosedBy: schemas.ClosedByEnd,
	}
	if judge != nil {
		judge(c.context, sum)
	}
	anonymize.WithholdRelease(c.State, sum)
	return sum
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
	m := &call{Entry: lifecycle.Entry{ID: id}, Call: Call{State: state.NewCall()}}
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
