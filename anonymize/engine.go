// Package anonymize turns the raw events of a call into clean ones.
//
// Conversation is its API. An event takes this path; each step is one file:
//
//	conversation.go  takes the event, and returns the events that are ready
//	prepare.go       reads the text and runs the detectors that need no state; may run ahead
//	deferral.go      defers an event that the next one may continue
//	joint.go         reads deferred events as one text
//	event.go         takes an event through the stages below, in order
//	participants.go  adds what a START says about the participants to the state
//	language.go      decides how a turn in another language is treated
//	strict.go        masks every word that is not on the list
//	label.go         anonymizes the speaker's label
//	speakers.go      the speakers of clean events, which many events share
//	lexical.go       adds what only the recognizer's unformatted form shows
//	remote.go        adds what remote tiers found
//	link.go          links findings to the entities of the call
//	address.go       splits addresses into their parts
//	render.go        replaces the findings
//	lookalike.go     escapes what looks like a tag or an annotation
//	subthreshold.go  lists what was found and not masked
//	doubt.go         says whether a remote tier is worth asking
//	explain.go       gives the reasons
//	review.go        masks in published events what was learned later
//
// Package dialogue follows questions, answers and dictation from one utterance to the next,
// package mention compares findings with what the call knows, and package policy holds the
// user's rules and dictionaries.
package anonymize

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"sotto/anonymize/policy"
	"sotto/detectors/allowlist"
	"sotto/detectors/language"
	"sotto/detectors/lexicon"
	"sotto/detectors/ner"
	"sotto/replace"
	"sotto/schemas"
	"sotto/state"
)

// DefaultMaxEntities is the bound on remembered entities if Options set none.
const DefaultMaxEntities = 1000

// Options configure an Engine. The zero value is the default policy.
type Options struct {
	// DictionaryDir is the folder of the user's dictionaries, exclusion lists and
	// policy.yaml, "" for none. docs/policy.md describes them.
	DictionaryDir string
	// Model is the model of the statistical tagger; nil means the built-in one.
	Model *ner.Model
	// RawOffsets adds the raw positions to the entities of clean events.
	RawOffsets bool
	// MaxEntities bounds the entities that a call remembers. Further ones are masked with
	// tags that have no number. 0 means DefaultMaxEntities.
	MaxEntities int
	// HoldBack is for how many utterances one may be deferred that ends within something;
	// 0 for none. See Conversation.Accept.
	HoldBack int
	// HoldBackTime is the event time after which deferred events are overdue; see
	// Conversation.Overdue. It must be above 0 if HoldBack is.
	HoldBackTime time.Duration
	// Replace says how to replace; nil means with numbered tags.
	Replace *replace.Plan
	// RemoteTiers identifies the remote tiers that the caller asks, and the rules by which it asks
	// them; "" if there are none. It is a part of the policy.
	RemoteTiers string
	// MaskWords says by which rules the caller marks or masks words with MaskWords; "" if it does
	// not. It is a part of the policy.
	MaskWords string
	// OtherLanguages says how turns in languages other than English are treated; "" means
	// MaskOther.
	OtherLanguages OtherLanguages
	// Keep makes masking strict: in addition to what detection finds, it masks every number
	// and every word that Keep does not list. nil means that detection alone decides.
	Keep *allowlist.List
}

// Engine is a function of (policy, state, event): it uses no clock and no random source. A
// Conversation drives it.
//
// It is immutable and safe for concurrent use, as long as each Call and each Prepared is used
// by one goroutine at a time.
type Engine struct {
	opts  Options
	rules *policy.Policy
	plan  *replace.Plan
	hash  string
	// untagged leaves the tagger out, to measure the rules alone.
	untagged bool
	speakers speakerTable
	// scratch holds *workspace: documents and buffers that are reused for further events.
	scratch sync.Pool
}

// New builds an engine. It reads the dictionaries, and fails with an error that names file and
// line if one is not valid.
func New(o Options) (*Engine, error) {
	if o.MaxEntities < 0 {
		return nil, fmt.Errorf("anonymize: MaxEntities is %d and must not be negative", o.MaxEntities)
	}
	if o.HoldBack < 0 || o.HoldBack >= state.MaxDeferred {
		return nil, fmt.Errorf("anonymize: HoldBack is %d and must be 0 to %d", o.HoldBack, state.MaxDeferred-1)
	}
	if o.HoldBack > 0 && o.RemoteTiers != "" {
		return nil, errors.New("anonymize: HoldBack cannot be used with RemoteTiers")
	}
	if o.HoldBack > 0 && o.HoldBackTime <= 0 {
		return nil, fmt.Errorf("anonymize: HoldBackTime is %v and must be above 0", o.HoldBackTime)
	}
	switch o.OtherLanguages {
	case "":
		o.OtherLanguages = MaskOther
	case MaskOther, HoldOther, PassOther:
	default:
		return nil, fmt.Errorf("anonymize: OtherLanguages is none of mask, hold and pass")
	}
	if o.MaxEntities == 0 {
		o.MaxEntities = DefaultMaxEntities
	}
	if o.Model == nil {
		o.Model = ner.Builtin()
	}
	e := &Engine{opts: o, plan: o.Replace, rules: policy.Default()}
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
	e.scratch.New = func() any { return &workspace{tagger: ner.NewTagger(o.Model)} }
	e.hash = e.policyHash()
	return e, nil
}

// Policy is a short hash of everything that decides the outcome: 12 hexadecimal digits.
func (e *Engine) Policy() string { return e.hash }

// ruleVersion is the version of the rules in code that decide the outcome. It changes with them, so
// that the policy hash of an event identifies the rules that produced it.
const ruleVersion = 4

func (e *Engine) policyHash() string {
	h := sha256.New()
	fmt.Fprintf(h, "rules %d\nreplacement %x\nentities %d\nlexicon %x\nmodel %x\n",
		ruleVersion, e.plan.Digest(), e.opts.MaxEntities, lexicon.Digest(), e.opts.Model.Digest())
	e.rules.WriteDigest(h)
	fmt.Fprintf(h, "other languages %s %x\n", e.opts.OtherLanguages, language.Digest())
	if e.opts.HoldBack > 0 {
		fmt.Fprintf(h, "hold back %d %d\n", e.opts.HoldBack, e.opts.HoldBackTime.Milliseconds())
	}
	if e.opts.Keep != nil {
		fmt.Fprintf(h, "keep %x\n", e.opts.Keep.Digest())
	}
	if e.opts.RemoteTiers != "" {
		fmt.Fprintf(h, "remote tiers %s\n", e.opts.RemoteTiers)
	}
	if e.opts.MaskWords != "" {
		fmt.Fprintf(h, "words %s\n", e.opts.MaskWords)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// Apply anonymizes a prepared event with the state of its call, and updates the state. changed
// reports whether later decisions may depend on the update. The clean event's CallID is the raw
// one, and the Call of an END is nil: the caller fills both. Its Speaker is shared with other events
// and must not be changed.
//
// A speaker beyond those that the state can remember is s0.
func (e *Engine) Apply(c *state.Call, p *Prepared) (clean schemas.CleanEvent, changed bool) {
	return e.apply(c, p, nil)
}
