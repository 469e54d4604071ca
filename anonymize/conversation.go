package anonymize

import (
	"context"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/schemas"
	"sotto/state"
)

// Conversation is one call on its way through an engine. It is the API for most callers:
//
//	engine, err := anonymize.New(anonymize.Options{})
//	conversation := anonymize.NewConversation(engine)
//	out := conversation.Add(event)
//
// A program that prepares events in parallel, that must be able to repeat or to undo a step, or
// that keeps the call's state elsewhere, uses Apply, of which Add is made, and Resume, which
// continues any state. The Conversation itself keeps nothing: all it knows is in the Call, which
// may be cloned, restored and sealed between any two of its methods.
//
// Copies of a Conversation share its Call. It is not safe for concurrent use.
type Conversation struct {
	anonymizer Anonymizer
	call       *state.Call
}

// Anonymizer is what a Conversation drives: an Engine, or a type that embeds one and
// replaces some of its methods, as tests do to inject faults.
type Anonymizer interface {
	// Policy is a short hash of everything that decides the outcome.
	Policy() string
	// Sensitivity is the operating point for a tenant and a context, which the risk is estimated for.
	Sensitivity(tenant, context string) ner.Sensitivity
	Prepare(*schemas.RawEvent) *Prepared
	Apply(*state.Call, *Prepared) (clean schemas.CleanEvent, changed bool)
	// Doubt says whether a remote tier is worth asking about an event.
	Doubt(*Prepared) Doubt
	Reread(context.Context, []*schemas.CleanEvent) ([][]detectors.Finding, error)
	ClosingPass(*state.Call, *schemas.CleanEvent, []detectors.Finding) (final schemas.CleanEvent, added []schemas.Entity, changed bool)
	Renumber(*state.Call, *schemas.CleanEvent) schemas.CleanEvent
	MaskWords(*state.Call, *schemas.CleanEvent, []schemas.Span) (masked schemas.CleanEvent, changed bool)

	discard(*Prepared)
}

// NewConversation starts a call of which nothing is known.
func NewConversation(a Anonymizer) Conversation { return Resume(a, state.NewCall()) }

// Resume continues a call. The call may have been started by another engine.
func Resume(a Anonymizer, c *state.Call) Conversation { return Conversation{a, c} }

// Call returns the state of the call, which the methods of the Conversation change.
func (c Conversation) Call() *state.Call { return c.call }

// Output is an anonymized event.
type Output struct {
	// Clean is the event. Its CallID is the raw one, and the Call of an END is nil: the
	// caller fills both. Its Speaker is shared with other events and must not be changed.
	Clean schemas.CleanEvent
	// Changed reports whether the state changed so that later events may depend on it.
	Changed bool
	// Subthreshold is what was found in the text and not masked, because it was not likely enough.
	Subthreshold []detectors.SubthresholdFinding
	// LanguageDecision is what was decided because of the event's language. If it is Held,
	// the clean event must not be written.
	LanguageDecision
	// Explanations are those that Prepared.Explain asks for.
	Explanations []Explanation
	// Err is set by Add for an event without a type, or with one that there is not: nothing of its text was
	// anonymized, and Clean has none.
	Err error
}

// Add anonymizes the next event of the call.
func (c Conversation) Add(ev *schemas.RawEvent) Output {
	out := c.Apply(c.anonymizer.Prepare(ev))
	out.Err = ev.Type.Check()
	return out
}

// Apply anonymizes an event with the state of the call, and updates the state.
//
// If the engine panics, the state may be half changed: it must be restored from a copy that was
// taken before.
func (c Conversation) Apply(p *Prepared) Output {
	clean, changed := c.anonymizer.Apply(c.call, p)
	out := Output{Clean: clean, Changed: changed, Subthreshold: p.Subthreshold, LanguageDecision: p.LanguageDecision}
	if p.Explain != nil {
		out.Explanations = *p.Explain
	}
	return out
}

// Finish is Engine.Reread, Engine.ClosingPass and Engine.Renumber for all events of a call, which it replaces. From then on,
// the Call counts its entities as the final version has them. The error is that of ctx, after which some events are as they were.
func (c Conversation) Finish(ctx context.Context, events []*schemas.CleanEvent) error {
	again, err := c.anonymizer.Reread(ctx, events)
	if err != nil {
		return err
	}
	for i, clean := range events {
		if err := ctx.Err(); err != nil {
			return err
		}
		*clean, _, _ = c.anonymizer.ClosingPass(c.call, clean, again[i])
	}
	c.call.Settle()
	if c.call.Renumbered() != nil {
		for _, clean := range events {
			*clean = c.anonymizer.Renumber(c.call, clean)
		}
		c.call.Unite()
	}
	return nil
}
