package files

import (
	"sotto/anonymize/ending"
	"sotto/detectors"
	"sotto/internal/lifecycle"
	"sotto/state"
)

// keepEnded calls that have ended keep their state, so that an utterance that comes a little late
// continues the numbering.
const keepEnded = 1024

// calls are the states of an input's calls. An input need not have times, so their clock counts the
// calls that have ended. No call is ever idle, and no hash is ever dropped.
type calls struct {
	table *lifecycle.Table[*openCall]
	doc   detectors.Document // for the risk estimate
}

type openCall struct {
	lifecycle.Entry
	life lifecycle.Life
	ending.Tally
}

// Lived implements lifecycle.Living.
func (c *openCall) Lived() *lifecycle.Life { return &c.life }

// newCalls keeps the states of so many calls that have ended.
func newCalls(keep int) *calls {
	limits := lifecycle.Limits{Grace: int64(keep)}
	return &calls{table: lifecycle.New[*openCall](limits, lifecycle.NewForgotten(0, lifecycle.Forever, nil), nil)}
}

// get returns the state of a call, a new one for a new call, and nil for a call whose state was
// dropped.
func (c *calls) get(id string) *openCall {
	if m := c.table.Get(id); m != nil {
		return m
	}
	if c.table.Admit(id) == lifecycle.Late {
		return nil
	}
	m := &openCall{Entry: lifecycle.Entry{ID: id}, Tally: ending.Tally{State: state.NewCall()}}
	c.table.Open(m)
	return m
}

// end records that a call has ended; a second END changes nothing.
func (c *calls) end(m *openCall) {
	if m.life.Ended {
		return
	}
	c.table.Advance(c.table.Clock+1, nil)
	c.table.End(m)
	c.table.Commit()
}
