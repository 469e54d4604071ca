package anonymize

import (
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// Conversation is one call on its way through an engine. It is the API for most callers:
//
//	engine, err := anonymize.New(anonymize.Options{})
//	conversation := anonymize.NewConversation(engine)
//	for _, out := range conversation.Add(event) { ... }
//
// A program that prepares events in parallel, that must be able to repeat or to undo a step, or
// that keeps the call's state elsewhere, uses Accept, Release and Apply, from which Add and Flush
// are built, and Resume, which continues any state. The Conversation itself keeps nothing: all it
// knows is in the Call, which may be cloned, restored and sealed between any two of its methods.
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
	Prepare(*schemas.RawEvent) *Prepared
	Apply(*state.Call, *Prepared) (clean schemas.CleanEvent, changed bool)
	// Doubt says whether a remote tier is worth asking about an event.
	Doubt(*Prepared) Doubt
	Explain(*state.Call, *Prepared) (clean schemas.CleanEvent, changed bool, why []Explanation)
	Review(*state.Call, *schemas.CleanEvent) (final schemas.CleanEvent, added []schemas.Entity, changed bool)
	MaskWords(*state.Call, *schemas.CleanEvent, []schemas.Span) (masked schemas.CleanEvent, changed bool)

	accept(*state.Call, *Prepared, state.RecordPosition) (released []Released, changed bool)
	stage(*state.Call, *Prepared, state.RecordPosition) bool
	releaseDeferred(*state.Call) []Released
	overdue(c *state.Call, clock int64) bool
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
	// Explanations are those of Explain.
	Explanations []Explanation
}

// Add takes the next event of the call, and returns the events that are anonymized now, in
// order. It is one event unless Options.HoldBack is set: then an utterance may be deferred,
// and come with those that follow it.
func (c Conversation) Add(ev *schemas.RawEvent) []Output {
	released, _ := c.Accept(c.anonymizer.Prepare(ev), state.RecordPosition{})
	return c.applyAll(released)
}

// Flush returns the events that are still deferred. It is called when no event follows, or
// when none came for long enough.
func (c Conversation) Flush() []Output {
	released, _ := c.Release()
	return c.applyAll(released)
}

func (c Conversation) applyAll(released []Released) []Output {
	var outputs []Output
	for _, r := range released {
		outputs = append(outputs, c.Apply(r))
	}
	return outputs
}

// Accept takes the next event of the call, with the position of its record, and returns the
// events that must be applied now, in the order in which they came. Apply must be called for
// each of them before any other method. changed reports whether the state changed.
//
// An utterance is deferred if it ends within something that the speaker's next one may
// continue: digits or letters that are dictated, an e-mail address, the answer to a
// question. It is then part of the state and not of what is returned. No event is deferred
// for more than Options.HoldBack utterances. It is the caller's duty to call Release once the
// events are Overdue and when the call ends.
func (c Conversation) Accept(p *Prepared, at state.RecordPosition) (released []Released, changed bool) {
	return c.anonymizer.accept(c.call, p, at)
}

// AcceptLast is Accept for an event that is not deferred, because the call is over. It
// releases the deferred events before it.
func (c Conversation) AcceptLast(p *Prepared) (released []Released, changed bool) {
	released, changed = c.Release()
	return append(released, Released{Prepared: p}), changed
}

// Stage moves an event with the answers of remote tiers into the state, behind those that are
// staged already, and reports whether there was room for it. Release returns what is staged. Between
// the two, the caller saves the state: what is made of the event then depends on nothing but the
// state, whatever fails and whatever the tiers would answer the next time.
//
// Once an event of a call is staged, all that follow must be, so that they keep their order. An
// engine with hold-back stages none.
func (c Conversation) Stage(p *Prepared, at state.RecordPosition) bool {
	return c.anonymizer.stage(c.call, p, at)
}

// Release returns the deferred events, for which the state then keeps nothing. They must be
// applied as those of Accept.
func (c Conversation) Release() (released []Released, changed bool) {
	if len(c.call.Deferred()) == 0 {
		return nil, false
	}
	return c.anonymizer.releaseDeferred(c.call), true
}

// Overdue reports whether an event has been deferred for Options.HoldBackTime, now that the
// clock of the record positions shows a time, in ms.
func (c Conversation) Overdue(clock int64) bool { return c.anonymizer.overdue(c.call, clock) }

// Apply anonymizes an event with the state of the call, and updates the state.
//
// If the engine panics, the state may be half changed: it must be restored from a copy that was
// taken before.
func (c Conversation) Apply(r Released) Output {
	clean, changed := c.anonymizer.Apply(c.call, r.Prepared)
	return Output{Clean: clean, Changed: changed, Subthreshold: r.Subthreshold, LanguageDecision: r.LanguageDecision}
}

// Explain is Apply with the reasons for each entity.
func (c Conversation) Explain(r Released) Output {
	clean, changed, why := c.anonymizer.Explain(c.call, r.Prepared)
	return Output{Clean: clean, Changed: changed, Subthreshold: r.Subthreshold, LanguageDecision: r.LanguageDecision, Explanations: why}
}

// Review masks in a clean event of the call what was learned after it was published, and
// returns the event as it should have been, with the entities that are new in it. changed
// reports whether the state changed. See Engine.Review.
func (c Conversation) Review(clean *schemas.CleanEvent) (final schemas.CleanEvent, added []schemas.Entity, changed bool) {
	return c.anonymizer.Review(c.call, clean)
}

// MaskWords masks words of a clean event that would identify somebody although they are no personal
// information. changed reports whether the state changed. See Engine.MaskWords.
func (c Conversation) MaskWords(clean *schemas.CleanEvent, words []schemas.Span) (masked schemas.CleanEvent, changed bool) {
	return c.anonymizer.MaskWords(c.call, clean, words)
}
