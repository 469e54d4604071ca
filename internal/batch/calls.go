package batch

import (
	"hash/maphash"

	"sotto/detectors"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// keepEnded calls that have ended keep their state, so that an utterance that comes a little late
// continues the numbering.
const keepEnded = 1024

// calls are the states of an input's calls.
type calls struct {
	seed  maphash.Seed
	known map[string]*call
	doc   detectors.Document // for the risk estimate
	// ended is a ring of the calls that ended last; its slot at next is the
	// oldest one.
	ended []string
	next  int
	// gone has the hashes of the calls whose state was dropped. A new call whose hash is among
	// them is withheld: nothing leaks.
	gone map[uint64]struct{}
}

type call struct {
	memory     *state.Call
	utterances int64
	context    string // of the first event that has one
	candidates estimate.CandidateSet
	ended      bool
}

// look estimates the risk of an anonymized event, as the stream does.
func (c *call) look(doc *detectors.Document, clean *schemas.CleanEvent, subthreshold []detectors.SubthresholdFinding) {
	if c.context == "" {
		c.context = clean.Context
	}
	if clean.Type == schemas.Utterance {
		c.utterances++
		c.candidates, _ = c.candidates.Observe(doc, clean.Text, clean.Entities, subthreshold)
	}
}

// summary returns the summary that the stream would write, before the gate.
func (c *call) summary() *schemas.CallSummary {
	estimated := c.candidates.CallRisk(c.utterances, c.memory)
	return &schemas.CallSummary{
		Utterances: c.utterances, Entities: c.memory.Entities(), EstimatedRisk: &estimated, Release: true, ClosedBy: schemas.ClosedByEnd,
	}
}

func newCalls(keep int) *calls {
	return &calls{
		seed:  maphash.MakeSeed(),
		known: map[string]*call{},
		ended: make([]string, keep),
		gone:  map[uint64]struct{}{},
	}
}

// get returns the state of a call, a new one for a new call, and nil for a call whose state was
// dropped.
func (c *calls) get(id string) *call {
	if m := c.known[id]; m != nil {
		return m
	}
	if _, gone := c.gone[maphash.String(c.seed, id)]; gone {
		return nil
	}
	m := &call{memory: state.NewCall()}
	c.known[id] = m
	return m
}

// end records that a call has ended; a second END changes nothing.
func (c *calls) end(id string, m *call) {
	if m.ended {
		return
	}
	m.ended = true
	if oldest := c.ended[c.next]; oldest != "" {
		delete(c.known, oldest)
		c.gone[maphash.String(c.seed, oldest)] = struct{}{}
	}
	c.ended[c.next] = id
	c.next = (c.next + 1) % len(c.ended)
}
