// Package anonymize turns one raw event of one call into a clean one:
// detectors find, the call's memory numbers, replacement renders.
package anonymize

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/ner"
	"sotto/replace"
	"sotto/schemas"
	"sotto/state"
)

// DefaultMaxEntities is the bound on remembered entities when Options set none.
const DefaultMaxEntities = 1000

// Options configure an Engine. The zero value is the default policy.
type Options struct {
	// DictionaryDir holds the user's dictionaries, exclusion lists and
	// policy.yaml; empty for none. See docs/policy.md for their form.
	DictionaryDir string
	// Model is the statistical tagger's; nil means the one that is part of the
	// program.
	Model *ner.Model
	// RawOffsets asks for the raw positions in the clean event's entities.
	RawOffsets bool
	// MaxEntities bounds the entities remembered of a call; further ones are
	// masked with tags that have no number. 0 means DefaultMaxEntities.
	MaxEntities int
	// HoldBack is for how many utterances one may wait that ends within something
	// that is still being told; 0 for none. See Hold.
	HoldBack int
	// HoldBackTime is after how much event time it is let go all the same, see
	// Overdue. It is above 0 where HoldBack is.
	HoldBackTime time.Duration
	// Replace says how to replace; nil means by numbered tags.
	Replace *replace.Plan
}

// Engine is a function of (policy, state, event): it has no clock and no
// random source. It is immutable and safe for concurrent use, as long as each
// Call and each Prepared is used by one goroutine at a time.
type Engine struct {
	opts      Options
	detectors []detectors.Detector
	rules     *policy.Policy
	plan      *replace.Plan
	hash      string
	// scratch holds *workspace: documents and buffers that go from event to
	// event.
	scratch sync.Pool
}

// New builds an engine. It reads the dictionaries and fails with an error that
// names file and line when one is not valid.
func New(o Options) (*Engine, error) {
	if o.MaxEntities < 0 {
		return nil, fmt.Errorf("anonymize: MaxEntities is %d and must not be negative", o.MaxEntities)
	}
	if o.HoldBack < 0 || o.HoldBack >= state.MaxDeferred {
		return nil, fmt.Errorf("anonymize: HoldBack is %d and must be 0 to %d", o.HoldBack, state.MaxDeferred-1)
	}
	if o.HoldBack > 0 && o.HoldBackTime <= 0 {
		return nil, fmt.Errorf("anonymize: HoldBackTime is %v and must be above 0", o.HoldBackTime)
	}
	if o.MaxEntities == 0 {
		o.MaxEntities = DefaultMaxEntities
	}
	if o.Model == nil {
		o.Model = ner.Builtin()
	}
	e := &Engine{opts: o, plan: o.Replace, detectors: stateless(o.Model), rules: policy.Default()}
	if e.plan == nil {
		var err error
		if e.plan, err = replace.New(replace.Config{}); err != nil {
			return nil, err
		}
	}
	if o.DictionaryDir != "" {
		var err error
		if e.rules, err = policy.Read(o.DictionaryDir); err != nil {
			return nil, err
		}
	}
	e.scratch.New = func() any { return new(workspace) }
	e.hash = e.policyHash()
	return e, nil
}

// Policy is a short hash of everything that decides the outcome: 12 hexadecimal
// digits.
func (e *Engine) Policy() string { return e.hash }

// ruleVersion stands for the rules in code that decide the outcome. It changes with
// them, so that events tell by which rules they were made.
const ruleVersion = 2

func (e *Engine) policyHash() string {
	h := sha256.New()
	fmt.Fprintf(h, "rules %d\nreplacement %x\nentities %d\nlexicon %x\nmodel %x\n",
		ruleVersion, e.plan.Digest(), e.opts.MaxEntities, lexicon.Digest(), e.opts.Model.Digest())
	e.rules.WriteDigest(h)
	if e.opts.HoldBack > 0 {
		fmt.Fprintf(h, "hold back %d %d\n", e.opts.HoldBack, e.opts.HoldBackTime.Milliseconds())
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// Apply anonymizes a prepared event with the memory of its call, and updates
// the memory. changed tells whether later decisions may depend on the update.
// The clean event's CallID is the raw one and an END's Call is left nil: both
// are the caller's to fill.
//
// A speaker beyond those that the memory holds has the alias s0.
func (e *Engine) Apply(c *state.Call, p *Prepared) (clean schemas.CleanEvent, changed bool) {
	return e.apply(c, p, e.opts.MaxEntities, nil)
}

// ApplyLate anonymizes an event whose call's memory is gone: its tags have no
// numbers, its speaker is s0, and it is marked late.
func (e *Engine) ApplyLate(p *Prepared) schemas.CleanEvent {
	clean, _ := e.apply(state.NewCall(), p, 0, nil)
	if clean.Speaker != nil {
		clean.Speaker.ID = "s0"
	}
	clean.Late = true
	return clean
}
