package anonymize

import (
	"cmp"
	"slices"

	"sotto/anonymize/dialogue"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/schemas"
	"sotto/state"
)

// eventPass is one event of one call on its way through the engine.
type eventPass struct {
	engine *Engine // the one of the event's tenant and context
	call   *state.Call
	event  *schemas.RawEvent
	turn   dialogue.Turn
	// context is what the tagger knows of the turns before, uncertain whether it wants the encoder to read the text, and reading
	// what that says, nil if it did not.
	context   ner.Context
	uncertain bool
	reading   ner.Reading
	// published is the clean event that the closing pass looks at, and again what Reread found in it.
	published *schemas.CleanEvent
	again     []detectors.Finding
	// dictated is the entity of which the text gives a further part.
	dictated state.Ref
	// place is which finding of the text is being linked.
	place int
	// nameEnd is where the last name before it ends, 0 if there is none.
	nameEnd int
	// said counts the characters that were given before it.
	said int
	// foreign means that the text is in another language than English, of which only frequent
	// words stay.
	foreign bool
	// remote is what remote tiers answered, nil if none was asked.
	remote *RemoteAnswer
	// explainer is nil unless explanations were asked for.
	explainer *explainer
}

// Apply anonymizes a prepared event with the state of its call, and updates the state. changed
// reports whether later decisions may depend on the update. The clean event's CallID is the raw
// one, and the Call of an END is nil: the caller fills both. Its Speaker is shared with other events
// and must not be changed.
//
// A speaker beyond those that the state can remember is s0.
//
// First come the participants of a START, then the speaker and the label, then the text.
func (e *Engine) Apply(c *state.Call, p *Prepared) (clean schemas.CleanEvent, changed bool) {
	ev, before := p.Event, c.Changes()
	e = e.of(ev.Tenant, ev.Context)
	pass := eventPass{engine: e, call: c, event: ev, turn: dialogue.TurnOf(ev), remote: p.Remote}
	if p.Explain != nil {
		pass.explainer = &explainer{before: c.Entities()}
	}
	clean = schemas.CleanEvent{
		CallID: ev.CallID, Seq: ev.Seq, Type: schemas.Utterance,
		Context: wordOf(ev.Context, schemas.MaxContext), Tenant: wordOf(ev.Tenant, schemas.MaxTenant), Language: wordOf(ev.Language, schemas.MaxLanguage),
		Entities: []schemas.Entity{}, Policy: e.hash, Strategy: e.plan.Name(),
		StartMS: ev.StartMS, EndMS: ev.EndMS, TimestampMS: ev.TimestampMS,
	}
	if ev.Type == schemas.Start || ev.Type == schemas.End {
		clean.Type = ev.Type
	}
	if p.Remote != nil {
		clean.Tiers = p.Remote.Tiers
	}
	w := p.work
	if w == nil {
		w = e.prepare(ev) // Doubt used up the workspace, or it was applied before
	}
	p.work = nil
	if p.LanguageDecision = pass.judgeLanguage(w); p.Held {
		e.release(w)
		return clean, c.Changes() != before
	}
	pass.foreign = p.Language != "" && e.opts.OtherLanguages == MaskOther
	if ev.Type == schemas.Start {
		pass.addParticipants()
	}
	if ev.Speaker != nil {
		clean.Speaker = pass.speaker()
	}
	if w != nil {
		clean.Text, clean.Entities, p.Subthreshold = pass.text(w)
		e.release(w)
	}
	if p.Explain != nil {
		*p.Explain = pass.explainer.explanations
	}
	return clean, c.Changes() != before
}

// text anonymizes the text of an utterance, which Prepare has read. The findings of the text are in the document
// until they are disjoint; stages says in which order they come about.
func (p *eventPass) text(w *workspace) (string, []schemas.Entity, []detectors.SubthresholdFinding) {
	d := &w.doc
	p.run(w, onTurn, continueDictation, addUnformatted)
	found := w.found

	questions := dialogue.TrackQuestions(d, p.call, p.turn, &w.asked, found)
	strict := p.foreign || p.engine.opts.Keep != nil
	if len(found) == 0 && !strict && !p.remote.found() {
		questions.Apply(p.call)
		p.rememberTurn(w, nil)
		p.explainer.explain(w, nil, nil)
		return escapeLookAlikes(p.event.Text, nil), []schemas.Entity{}, unmasked(d, nil)
	}

	// Number.
	found, refs := p.numberAgain(w, found)

	// Add what remote tiers found, which only the masks depend on.
	masked, maskedRefs := found, refs
	if p.remote.found() {
		found = slices.Clone(found) // the workspace's are used again
		masked, maskedRefs = p.addRemote(w)
	}

	// Replace.
	if strict {
		masked, maskedRefs = p.maskStrictly(w, masked, maskedRefs)
	}
	text, entities := p.render(w, masked, maskedRefs, 0)

	// Remember what the next turn may answer or continue.
	questions.Apply(p.call)
	p.rememberTurn(w, found)
	p.rememberDictation(w, found)

	p.explainer.explain(w, masked, entities)
	return text, entities, unmasked(d, masked)
}

func (p *eventPass) rememberTurn(w *workspace, found []detectors.Finding) {
	if p.isTagged() {
		dialogue.RememberTurn(&w.doc, p.call, p.turn, w.tagger.Asked(), found)
		if w.reading.read {
			p.call.SetWindow(w.reading.window)
		}
	}
}

// rememberDictation remembers that the value at the end of the turn may go on in the
// speaker's next one.
func (p *eventPass) rememberDictation(w *workspace, found []detectors.Finding) {
	if p.dictated != (state.Ref{}) {
		return
	}
	if f := dialogue.LastGiven(&w.doc, found); f != nil {
		dialogue.StartDictation(&w.doc, p.call, p.turn, f, p.mention(w, f))
	}
}

// speaker registers who speaks and anonymizes the label.
func (p *eventPass) speaker() *schemas.Speaker {
	s := p.event.Speaker
	p.turn.Speaker = p.call.Speaker(cmp.Or(s.ID, s.Label))
	alias := p.call.NumberSpeaker(p.turn.Speaker)
	return p.engine.speakers.speaker(alias, p.label(s.Label), role(s.Role))
}

func role(r schemas.Role) schemas.Role {
	if _, ok := roles[r]; ok {
		return r
	}
	return schemas.RoleUnknown
}

// wordOf passes a free string on if it may be in a clean event, and drops it otherwise.
func wordOf(s string, max int) string {
	if schemas.IsWord(s, max) {
		return s
	}
	return ""
}
