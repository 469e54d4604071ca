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
	table *lifecycle.Table[*call]
	doc   detectors.Document // for the risk estimate
}

type call struct {
	lifecycle.Entry
	life lifecycle.Life
	ending.Call
}

// Lived implements lifecycle.Call.
func (c *call) Lived() *lifecycle.Life { return &c.life }

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
	m := &call{Entry: lifecycle.Entry{ID: id}, Call: ending.Call{State: state.NewCall()}}
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
