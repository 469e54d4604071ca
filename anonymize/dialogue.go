package anonymize

import (
	"slices"

	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

const (
	// questionTurns is for how many events an open question is remembered to be
	// open. Where the numbers of events jump, as they do when a producer numbers
	// hypotheses too, questionMS is the time for which it is.
	questionTurns = 6
	questionMS    = 20_000
)

// strength tells how much an open question still bears on the turn: 1 right
// after it, less later, 0 when it is closed or was asked by the speaker himself.
func (t *turn) strength(q *state.Question) float32 {
	if q.Answered || q.Asker == t.speaker && t.speaker != 0 && t.call.Speakers() > 1 {
		return 0
	}
	switch distance := t.event.Seq - q.Seq; {
	case distance <= 0:
		return 0
	case distance == 1:
		return 1
	case distance == 2:
		return 0.8
	case distance <= 4:
		return 0.6
	case distance <= questionTurns:
		return 0.4
	}
	if q.TimeMS >= 0 && t.event.StartMS != nil {
		if since := *t.event.StartMS - q.TimeMS; since >= 0 && since <= questionMS {
			return 0.6
		}
	}
	return 0
}

// expect reads the text again in the light of the open questions, if any bears
// on it.
func (t *turn) expect(d *detectors.Document) {
	d.Expect = d.Expect[:0]
	for i := range t.call.Questions() {
		q := &t.call.Questions()[i]
		if s := t.strength(q); s > 0 {
			d.Expect = append(d.Expect, detectors.Expectation{
				Type: detectors.InfoType(q.Type), Strength: s, Spelled: q.Spell, Part: q.Partial,
			})
		}
	}
	if len(d.Expect) == 0 {
		return
	}
	d.Findings = d.Findings[:0]
	t.detect(d, t.event.Tenant)
	for i := range t.call.Questions() {
		q := &t.call.Questions()[i]
		if s := t.strength(q); s > 0 {
			t.answer(d, q, s)
		}
	}
}

// ask takes over what the text asks for, and which open questions what was
// found in it answers.
func (t *turn) ask(found []detectors.Finding) {
	open := t.call.Questions()
	next := open[:0:0]
	for _, q := range t.work.questions {
		if slices.ContainsFunc(found, func(f detectors.Finding) bool { return f.Type == q.Type }) {
			continue // he says it himself: a read-back
		}
		next = append(next, state.Question{
			Type: string(q.Type), Part: partOf(q.Part), Spell: q.Spelled, Partial: q.Partial,
			Asker: t.speaker, Seq: t.event.Seq, TimeMS: endOf(t.event),
		})
	}
	switch {
	case len(next) > 0:
	case t.work.again && len(open) > 0 && (open[0].Asker == t.speaker || open[0].Answered):
		// "Can you repeat that?"
		next = slices.Clone(open)
		for i := range next {
			next[i].Answered, next[i].Asker = false, t.speaker
			next[i].Seq, next[i].TimeMS = t.event.Seq, endOf(t.event)
			next[i].Spell = next[i].Spell || t.work.doc.Has(detectors.IsHotword) && t.spells()
		}
	default:
		next = slices.Clone(open)
		for i := range next {
			q := &next[i]
			q.Answered = q.Answered || t.strength(q) > 0 && slices.ContainsFunc(found, func(f detectors.Finding) bool {
				return string(f.Type) == q.Type
			})
		}
	}
	t.changed = t.call.Ask(next) || t.changed
}

// spells tells whether the text speaks of spelling.
func (t *turn) spells() bool {
	return slices.ContainsFunc(t.work.doc.Hotwords, func(h detectors.HotwordHit) bool { return h.Hotword == detectors.HotSpell })
}

func partOf(h detectors.Hint) state.Part {
	switch h {
	case detectors.HintGiven:
		return state.PartGiven
	case detectors.HintSurname:
		return state.PartSurname
	}
	return state.PartAny
}

// endOf is when the event ended, as far as that is known; -1 when it is not.
func endOf(ev *schemas.RawEvent) int64 {
	switch {
	case ev.EndMS != nil:
		return max(*ev.EndMS, -1)
	case ev.StartMS != nil:
		return max(*ev.StartMS, -1)
	}
	return -1
}
