package anonymize

import (
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/detectors/cue"
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
	if q.Answered || q.FromEnd > 0 || q.Asker == t.speaker && t.speaker != 0 && t.call.Speakers() > 1 {
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
	d.Expect, d.Prior = d.Expect[:0], d.Prior[:0]
	for i := range t.call.Questions() {
		q := &t.call.Questions()[i]
		if s := t.strength(q); s > 0 {
			d.Expect = append(d.Expect, detectors.Expectation{
				Type: detectors.InfoType(q.Type), Strength: s, Spelled: q.Spell, Part: q.Partial,
			})
		}
		if h, at := t.prior(q); h != detectors.HotNone {
			d.Prior = append(d.Prior, detectors.HotwordHit{Hotword: h, Start: at - 1, End: at})
		}
	}
	if len(d.Expect) == 0 && (len(d.Prior) == 0 || len(d.Runs) == 0) {
		return
	}
	d.Findings = d.Findings[:0]
	t.detect(d, t.event.Tenant)
	for i := range t.call.Questions() {
		q := &t.call.Questions()[i]
		if s := t.strength(q); s > 0 {
			t.answer(d, q, s)
			retype(d, q)
		}
	}
}

// retype makes a number without a type what was asked for. A part of a value,
// the first of several turns, has no form by which a detector could know it.
func retype(d *detectors.Document, q *state.Question) {
	infoType := detectors.InfoType(q.Type)
	if infoType == detectors.DateOfBirth {
		for i := range d.Findings {
			if f := &d.Findings[i]; f.Type == detectors.Date {
				f.Type = infoType
				f.Evidence |= detectors.ByExpectation
			}
		}
		return
	}
	if _, sure := fullLength(infoType); !sure && infoType != detectors.GenericID {
		return
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Type == detectors.Numeric && f.Evidence&detectors.ByHotword == 0 {
			f.Type = infoType
			f.Evidence |= detectors.ByExpectation
		}
	}
}

const (
	// priorTurns is for how many events a hotword counts after its own.
	priorTurns = 2
	// turnGap is how many characters a turn between is taken to have, since its
	// length is not remembered.
	turnGap = 30
)

// prior returns the hotword of an earlier turn that a remembered topic is, and
// its place before this text.
func (t *turn) prior(q *state.Question) (detectors.Hotword, int) {
	distance := t.event.Seq - q.Seq
	if q.FromEnd == 0 || distance <= 0 || distance > priorTurns {
		return detectors.HotNone, 0
	}
	return cue.HotwordOf(detectors.InfoType(q.Type)), -q.FromEnd - int(distance-1)*turnGap
}

// topics appends to the questions what the end of the turn speaks of without
// giving it: "my account number is", whose value may come in the next turn.
func (t *turn) topics(next []state.Question, found []detectors.Finding) []state.Question {
	d := &t.work.doc
	for i := range d.Hotwords {
		h := &d.Hotwords[i]
		infoType, ok := cue.TypeOf(h.Hotword)
		back := len(d.Text) - h.End
		if !ok || back > d.HotwordWindow || back > maxTail && !strings.ContainsRune(d.Text[h.Start:h.End], ' ') ||
			slices.ContainsFunc(next, func(q state.Question) bool { return q.Type == string(infoType) }) ||
			slices.ContainsFunc(found, func(f detectors.Finding) bool { return f.Start >= h.End }) {
			continue
		}
		next = append(next, state.Question{
			Type: string(infoType), FromEnd: back + 1, Asker: t.speaker, Seq: t.event.Seq, TimeMS: endOf(t.event),
		})
	}
	return next
}

// maxTail is how many characters before the end of a turn a hotword of one word
// may stand to count for the next turn. Longer ones ("account number") may
// stand anywhere within the window.
const maxTail = 15

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
	changed := true
	switch {
	case len(next) > 0:
		t.changed = t.call.Dictate(state.Dictation{}) || t.changed
	case t.work.again && len(open) > 0 && (open[0].Asker == t.speaker || open[0].Answered):
		// "Can you repeat that?"
		t.changed = t.call.Dictate(state.Dictation{}) || t.changed
		next = slices.Clone(open)
		for i := range next {
			next[i].Answered, next[i].Asker = false, t.speaker
			next[i].Seq, next[i].TimeMS = t.event.Seq, endOf(t.event)
			next[i].Spell = next[i].Spell || t.spells()
		}
	default:
		next, changed = t.settle(open, found)
	}
	n := len(next)
	if next = t.topics(next, found); changed || len(next) > n {
		t.changed = t.call.Ask(next) || t.changed
	}
}

// settle returns the open questions, those that were answered marked, without
// topics that do not count any more. changed tells whether any was answered:
// only then is it worth a write.
func (t *turn) settle(open []state.Question, found []detectors.Finding) (next []state.Question, changed bool) {
	for _, q := range open {
		if q.FromEnd > 0 && t.event.Seq-q.Seq > priorTurns {
			continue
		}
		if t.strength(&q) > 0 && slices.ContainsFunc(found, func(f detectors.Finding) bool { return string(f.Type) == q.Type }) {
			q.Answered, changed = true, true
		}
		next = append(next, q)
	}
	return next, changed
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
