// Package anonymize turns one raw event of one call into a clean one:
// detectors find, the call's memory numbers, replacement renders.
package anonymize

import (
	"sotto/schemas"
	"sotto/state"
)

// Options configure an Engine. The zero value is the default policy.
type Options struct {
	// DictionaryDir holds the user's dictionaries and exclusion lists; empty
	// for none.
	DictionaryDir string
	// RawOffsets asks for the raw positions in the clean event's entities.
	RawOffsets bool
	// MaxEntities bounds the entities remembered of a call; further ones are
	// masked with tags that have no number. 0 means the default, 1,000.
	MaxEntities int
}

// Engine is a function of (policy, state, event): it has no clock and no
// random source. It is immutable and safe for concurrent use, as long as each
// Call is used by one goroutine at a time.
type Engine struct {
	opts Options
}

// New builds an engine. It reads the dictionaries and fails with an error that
// names file and line when one is not valid.
func New(o Options) (*Engine, error) { return &Engine{opts: o}, nil }

// Policy is a short hash of everything that decides the outcome.
func (e *Engine) Policy() string { return "000000" }

// Prepared is an event after all the work that needs no state. It may be made
// ahead, in any order and in parallel.
type Prepared struct {
	Event *schemas.RawEvent
}

// Prepare does the part of the work that needs no state.
func (e *Engine) Prepare(ev *schemas.RawEvent) *Prepared { return &Prepared{Event: ev} }

// Apply anonymizes a prepared event with the memory of its call, and updates
// the memory. changed tells whether later decisions may depend on the update.
// The clean event's CallID is the raw one and an END's Call is left nil: both
// are the caller's to fill.
func (e *Engine) Apply(c *state.Call, p *Prepared) (clean schemas.CleanEvent, changed bool) {
	return schemas.CleanEvent{CallID: p.Event.CallID, Seq: p.Event.Seq, Type: p.Event.Type}, false
}

// ApplyLate anonymizes an event whose call's memory is gone: its tags have no
// numbers and it is marked late.
func (e *Engine) ApplyLate(p *Prepared) schemas.CleanEvent {
	return schemas.CleanEvent{CallID: p.Event.CallID, Seq: p.Event.Seq, Type: p.Event.Type, Late: true}
}
