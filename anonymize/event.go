package anonymize

import (
	"cmp"
	"slices"
	"strings"

	"sotto/anonymize/dialogue"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/pattern"
	"sotto/schemas"
	"sotto/state"
)

// eventPass is one event of one call on its way through the engine.
type eventPass struct {
	*Engine
	call  *state.Call
	event *schemas.RawEvent
	turn  dialogue.Turn
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
	pass := eventPass{Engine: e, call: c, event: ev, turn: dialogue.TurnOf(ev), remote: p.Remote}
	if p.Explain != nil {
		pass.explainer = &explainer{before: c.Entities()}
	}
	clean = schemas.CleanEvent{
		CallID: ev.CallID, Seq: ev.Seq, Type: schemas.Utterance,
		Context: shortWord(ev.Context, 32), Tenant: shortWord(ev.Tenant, 64), Language: shortWord(ev.Language, 35),
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
		w = e.prepare(ev) // it was applied before, which used up the workspace
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

// text anonymizes the text of an utterance, which Prepare has read. Each line below is
// one stage; the findings of the text are in the document until they are resolved.
func (p *eventPass) text(w *workspace) (string, []schemas.Entity, []detectors.SubthresholdFinding) {
	d := &w.doc

	// Find. Prepare searched the text for itself; if the dialogue so far bears on it,
	// it is searched again.
	p.findExpected(w)
	dialogue.ContinueDictation(d, p.call, p.turn)
	p.tag(w)
	dialogue.FindSymbols(d, p.call, p.turn)
	dialogue.FindExplained(d, p.call, p.turn)

	// Query the call for what it knows, and the user's rules.
	w.matcher.Match(d, p.call)
	w.tagger.Settle(d)
	p.rules.Adjust(d)

	// Resolve what overlaps.
	found := p.resolve(w, p.explainer)
	if p.addLexical(w, found) {
		found = w.resolve()
	}

	questions := dialogue.TrackQuestions(d, p.call, p.turn, &w.asked, found)
	strict := p.foreign || p.opts.Keep != nil
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

// findExpected searches the text again if the open questions and topics of the call
// bear on it. What Prepare found then does not count, since the detectors weigh the
// same words differently.
func (p *eventPass) findExpected(w *workspace) {
	if !dialogue.Expect(&w.doc, p.call, p.turn) {
		return
	}
	p.findValues(w, p.event.Tenant)
	dialogue.FillSlots(&w.doc, p.call, p.turn)
}

// tag adds what the tagger finds in the light of the call, which also weighs what the rules found.
func (p *eventPass) tag(w *workspace) {
	if p.untagged || p.foreign { // the tagger knows English only
		return
	}
	context := dialogue.ContextOf(p.call, p.turn)
	w.reading.read = false
	var reading ner.Reading
	if w.tagger.Weigh(&w.doc, &context) && p.encoder != nil {
		reading = p.encode(w)
	}
	w.tagger.Decide(&w.doc, &context, reading)
}

// findKnown returns what is found in another form of the event's text, with all that the
// call expects and knows.
func (p *eventPass) findKnown(w *workspace) []detectors.Finding {
	p.findExpected(w)
	p.tag(w)
	w.matcher.Match(&w.doc, p.call)
	p.rules.Adjust(&w.doc)
	return p.resolve(w, nil)
}

// resolve drops the findings that the user does not want masked, and makes the others
// disjoint. They are the workspace's until the next call.
func (p *eventPass) resolve(w *workspace, x *explainer) []detectors.Finding {
	if p.rules.Masks(detectors.Time) {
		pattern.Times(&w.doc)
	}
	p.rules.Filter(&w.doc, p.event.Tenant, x.dropped())
	w.resolver.Explain = x != nil
	return w.resolve()
}

func (p *eventPass) rememberTurn(w *workspace, found []detectors.Finding) {
	if !p.untagged && !p.foreign {
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
	return p.speakers.speaker(alias, p.label(s.Label), role(s.Role))
}

func role(r schemas.Role) schemas.Role {
	if _, ok := roles[r]; ok {
		return r
	}
	return schemas.RoleUnknown
}

// shortWord passes a free string on only if it looks like an identifier: at most max of
// A-Z, a-z, 0-9, "_", "-" and ".". Anything else could be somebody's name or number and
// is dropped.
func shortWord(s string, max int) string {
	if len(s) > max || strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != "" {
		return ""
	}
	return s
}
