// Package anonymize turns the raw events of a call into clean ones.
//
// Conversation is its API. An event takes this path; each step is one file:
//
//	conversation.go  takes the event, and returns the clean one
//	prepare.go       reads the text and runs the detectors that need no state; may run ahead
//	event.go         takes an event through the stages, and replaces what they found
//	stages.go        all stages of detection, in order, and which texts take them
//	participants.go  adds what a START says about the participants to the state
//	language.go      decides how a turn in another language is treated
//	strict.go        masks every word that is not on the list
//	label.go         anonymizes the speaker's label
//	speakers.go      the speakers of clean events, which many events share
//	lexical.go       adds what only the recognizer's unformatted form shows
//	remote.go        adds what remote tiers found
//	staged.go        keeps events with such answers in the state until it is saved
//	link.go          links findings to the entities of the call
//	join.go          joins the parts of one value
//	render.go        replaces the findings
//	lookalike.go     escapes what looks like a tag or an annotation
//	doubt.go         says whether a remote tier is worth asking, and lists what was found and not masked
//	explain.go       gives the reasons
//	closing.go       masks in published events what was learned later
//	renumber.go      gives persons who turned out to be one the same number
//
// Package dialogue follows questions, answers and dictation from one utterance to the next,
// package mention compares findings with what the call knows, and package policy holds the
// user's rules and dictionaries.
package anonymize

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"sotto/anonymize/policy"
	"sotto/anonymize/replace"
	"sotto/detectors"
	"sotto/detectors/allowlist"
	"sotto/detectors/encoder"
	"sotto/detectors/ner"
	"sotto/internal/ruledata"
	"sotto/state"
)

// DefaultMaxEntities is the bound on remembered entities if Options set none.
const DefaultMaxEntities = 1000

// Options configure an Engine. The zero value is the default policy.
type Options struct {
	// Policy is the folder of the user's dictionaries, exclusion lists and policy.yaml, which docs/policy.md
	// describes: os.DirFS, an embed.FS or any other. nil means none.
	Policy fs.FS
	// Detectors are the user's own.
	Detectors []policy.Detector
	// Model is the model of the statistical tagger; nil means the built-in one.
	Model *ner.Model
	// Sensitivity is the operating point of detection; "" means ner.High.
	Sensitivity ner.Sensitivity
	// Thresholds, if they are not nil, are used instead of those of Sensitivity, to find better ones.
	Thresholds *ner.Thresholds
	// Encoder reads the turns that may contain something personal, and finished calls; nil means the built-in one.
	// Engines may share it.
	Encoder *encoder.Reader
	// Fast leaves the encoder out, as is always so where none is built in (WebAssembly).
	Fast bool
	// ReadOnce leaves out the second reading of finished calls.
	ReadOnce bool
	// RawOffsets adds the raw positions to the entities of clean events. It is no part of the policy:
	// programs that need the positions for themselves have the policy of those that do not.
	RawOffsets bool
	// MaxEntities bounds the entities that a call remembers. Further ones are masked with
	// tags that have no number. 0 means DefaultMaxEntities.
	MaxEntities int
	// Replace says how to replace; nil means with numbered tags.
	Replace *replace.Plan
	// RemoteTiers identifies the remote tiers that the caller asks, "" if there are none. It is a part
	// of the policy.
	RemoteTiers string
	// Settings identifies what the caller decides about the events by itself, such as which words it
	// masks with MaskWords, when it asks remote tiers, and which calls it releases. It is a part of the
	// policy.
	Settings string
	// OtherLanguages says how turns in languages other than English are treated; "" means
	// MaskOther.
	OtherLanguages OtherLanguages
	// Linked, if it is not nil, is told each mention right before it is linked, with its event and place. Its Words
	// are valid during the call. It is for the training of the model of pairs.
	Linked func(seq int64, start, end int, m state.Mention)
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
	// overlays are the engines of single tenants and contexts. They have none.
	overlays map[policy.Scope]*Engine
	hash     string
	// untagged leaves the tagger out, to measure the rules alone.
	untagged bool
	speakers speakerTable
	// finished is the probability from which a second reading masks.
	finished float32
	// encoder reads turns and finished calls; nil if nothing is to be read by it.
	encoder *encoder.Reader
	labels  *ner.Labels
	// scratch holds *workspace: documents and buffers that are reused for further events.
	scratch sync.Pool
}

// New builds an engine. It reads the dictionaries, and fails with an error that names file and
// line if one is not valid.
func New(o Options) (_ *Engine, err error) {
	o.MaxEntities, o.Sensitivity = cmp.Or(o.MaxEntities, DefaultMaxEntities), cmp.Or(o.Sensitivity, ner.High)
	o.OtherLanguages = cmp.Or(o.OtherLanguages, MaskOther)
	if o.MaxEntities < 0 {
		return nil, fmt.Errorf("anonymize: MaxEntities is %d and must not be negative", o.MaxEntities)
	}
	if !slices.Contains([]OtherLanguages{MaskOther, HoldOther, PassOther}, o.OtherLanguages) {
		return nil, fmt.Errorf("anonymize: OtherLanguages is none of mask, hold and pass")
	}
	if o.Model == nil {
		o.Model = ner.Builtin()
	}
	e := &Engine{opts: o, plan: o.Replace, rules: policy.Default()}
	if e.plan == nil {
		if e.plan, err = replace.New(replace.Config{}); err != nil {
			return nil, err
		}
	}
	e.readBy(o.Encoder, o.Fast)
	if o.Policy != nil || len(o.Detectors) > 0 {
		if e.rules, err = policy.Read(o.Policy, o.Detectors...); err != nil {
			return nil, err
		}
	}
	return e.At(o.Sensitivity, o.Settings)
}

// readBy sets the encoder that reads, unless none should or none is there.
func (e *Engine) readBy(reader *encoder.Reader, fast bool) {
	if fast {
		return
	}
	if model := encoder.Builtin(); reader == nil && model != nil {
		reader = model.NewReader()
	}
	if e.encoder = reader; reader != nil {
		e.labels = ner.NewLabels(reader.Model().Labels())
	}
}

// At returns an engine with another operating point, and with the Options.Settings that go with it. The two
// share the model, the user's rules and everything else that takes memory.
func (e *Engine) At(s ner.Sensitivity, settings string) (*Engine, error) {
	other, err := e.with(s, settings, e.rules, e.plan)
	if err != nil {
		return nil, err
	}
	return other, other.addOverlays()
}

// with returns an engine that has its own thresholds, rules and plan, and shares the rest.
func (e *Engine) with(s ner.Sensitivity, settings string, rules *policy.Policy, plan *replace.Plan) (*Engine, error) {
	thresholds, ok := ner.ThresholdsOf(s, e.encoder != nil)
	if !ok {
		return nil, fmt.Errorf("anonymize: Sensitivity is none of %v", ner.Sensitivities())
	}
	if e.opts.Thresholds != nil {
		thresholds = *e.opts.Thresholds
	}
	rules.Move(&thresholds)
	other := &Engine{opts: e.opts, rules: rules, plan: plan, untagged: e.untagged, finished: thresholds.Finished, encoder: e.encoder, labels: e.labels}
	other.opts.Sensitivity, other.opts.Settings = s, settings
	other.scratch.New = func() any { return &workspace{tagger: ner.NewTagger(e.opts.Model, thresholds, e.labels)} }
	other.hash = other.policyHash(&thresholds)
	return other, nil
}

// addOverlays makes the engines of the tenants. They have the hash of all: the policy is one.
func (e *Engine) addOverlays() error {
	all := e.rules.Overlays()
	if len(all) == 0 {
		return nil
	}
	e.overlays = make(map[policy.Scope]*Engine, len(all))
	h := sha256.New()
	fmt.Fprintln(h, e.hash)
	for _, scope := range slices.SortedFunc(maps.Keys(all), func(a, b policy.Scope) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Context, b.Context))
	}) {
		o, plan := all[scope], e.plan
		if o.Strategy != nil {
			var err error
			if plan, err = plan.With(*o.Strategy); err != nil {
				return fmt.Errorf("policy.yaml, tenant %q: %w", scope.Tenant, err)
			}
		}
		own, err := e.with(cmp.Or(o.Sensitivity, e.opts.Sensitivity), e.opts.Settings, o.Policy, plan)
		if err != nil {
			return err
		}
		e.overlays[scope] = own
		fmt.Fprintf(h, "%q %s\n", scope, own.hash)
	}
	e.hash = hex.EncodeToString(h.Sum(nil)[:6])
	for _, own := range e.overlays {
		own.hash = e.hash
	}
	return nil
}

// of returns the engine for the events of a tenant in a context.
func (e *Engine) of(tenant, context string) *Engine {
	return cmp.Or(e.overlays[policy.Scope{Tenant: tenant, Context: context}], e.overlays[policy.Scope{Tenant: tenant}], e)
}

// Policy is a short hash of everything that decides the outcome: 12 hexadecimal digits.
func (e *Engine) Policy() string { return e.hash }

// Sensitivity is the operating point for the calls of a tenant in a context; "" is one that the policy does not name.
func (e *Engine) Sensitivity(tenant, context string) ner.Sensitivity {
	return e.of(tenant, context).opts.Sensitivity
}

// RuleVersion is the version of the rules in code. Whoever changes the code so that the output changes
// raises it: the policy hash then changes, too. TestOutputHasItsPolicy of batch fails if
// somebody forgets it. A change of data (catalog, word lists, model, tables) changes the hash by itself.
const RuleVersion = 41

func (e *Engine) policyHash(thresholds *ner.Thresholds) string {
	h := sha256.New()
	fmt.Fprintf(h, "rules %d\ndata %x\ncatalog %x\nmodel %x\nreplacement %x\n",
		RuleVersion, ruledata.Digest(), detectors.CatalogDigest(), e.opts.Model.Digest(), e.plan.Digest())
	e.rules.WriteDigest(h)
	if e.encoder != nil {
		fmt.Fprintf(h, "encoder %s\n", e.encoder.Model().Digest())
	}
	fmt.Fprintf(h, "thresholds %v\nread once %t\nentities %d\nother languages %s\n", *thresholds, e.opts.ReadOnce, e.opts.MaxEntities, e.opts.OtherLanguages)
	if e.opts.Keep != nil {
		fmt.Fprintf(h, "keep %x\n", e.opts.Keep.Digest())
	}
	fmt.Fprintf(h, "remote tiers %s\nsettings %s\n", e.opts.RemoteTiers, e.opts.Settings)
	return hex.EncodeToString(h.Sum(nil)[:6])
}
