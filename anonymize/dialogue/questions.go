package dialogue

import (
	"slices"

	"sotto/detectors"
	"sotto/state"
)

// Asked is what a text asks for.
type Asked struct {
	// Questions lack who asked them, and when.
	Questions []state.Question
	// Again means that it asks for the same as before.
	Again bool

	// name is where a name that the text asks for would follow, in bytes.
	name int
	// next is the memory of the last QuestionUpdate.
	next []state.Question
}

// ReadQuestions returns what a text asks for. It reuses the memory of the Asked.
func (a *Asked) ReadQuestions(d *detectors.Document) {
	a.Questions, a.Again, a.name = questionsIn(d, a.Questions[:0])
}

// Any reports whether the text asks for anything.
func (a *Asked) Any() bool { return len(a.Questions) > 0 || a.Again }

// QuestionUpdate is what a turn does to the open questions of its call.
type QuestionUpdate struct {
	questions []state.Question
	// differ means that questions replace the open ones.
	differ bool
	// asks means that the turn asks for something, so that nothing is being dictated after it.
	asks bool
}

// TrackQuestions returns how a turn changes the open questions of its call: by what it asks for.
// It leaves the call as it is. The update is in the memory of asked, and
// valid until the next one.
func TrackQuestions(d *detectors.Document, c *state.Call, turn Turn, asked *Asked, found []detectors.Finding) QuestionUpdate {
	open := c.Questions()
	u := QuestionUpdate{questions: asked.next[:0]}
	for _, q := range asked.Questions {
		isGiven := func(f detectors.Finding) bool {
			return string(f.Type) == q.Type && (!isForName(q) || f.End > asked.name && !isAddress(d, c, &f)) // "Thanks, Ida. And your last name?"
		}
		if slices.ContainsFunc(found, isGiven) {
			continue // the speaker gives it: a read-back
		}
		q.Asker, q.Seq, q.TimeMS = turn.Speaker, turn.Seq, turn.EndMS
		u.questions = append(u.questions, q)
	}
	switch {
	case len(u.questions) > 0:
		u.differ, u.asks = true, true
	case asked.Again && len(open) > 0:
		u.questions, u.differ, u.asks = askAgain(d, turn, u.questions, open), true, true
	default:
		for _, q := range open {
			if !isReadBack(d, &q, turn, found) {
				u.questions = append(u.questions, q)
			}
		}
		u.differ = len(u.questions) < len(open)
	}
	asked.next = u.questions
	return u
}

// isReadBack reports whether who asked for a number of a known length reads it back as a whole, so that what comes next is another one.
func isReadBack(d *detectors.Document, q *state.Question, turn Turn, found []detectors.Finding) bool {
	row := detectors.InfoType(q.Type).Row()
	if row == nil || row.Length == 0 || q.Asker != turn.Speaker || q.Seq >= turn.Seq {
		return false
	}
	return slices.ContainsFunc(found, func(f detectors.Finding) bool { return f.Type == row.Type && symbolsIn(d, &f) >= row.Length })
}

// symbolsIn counts the digits and letters of the runs in a finding.
func symbolsIn(d *detectors.Document, f *detectors.Finding) (n int) {
	for i := range d.Runs {
		if r := &d.Runs[i]; f.Start <= r.Start && r.End <= f.End {
			n += r.Len()
		}
	}
	return n
}

// isAddress reports whether a name that the call knows is between a comma and the end of a question: "And your last name, Ida?"
func isAddress(d *detectors.Document, c *state.Call, f *detectors.Finding) bool {
	first, last := d.TokenAt(f.Start), d.TokenAt(f.End)
	known := len(c.Index().Word(d.Tokens[first].Hash)) > 0
	for first > 0 && (d.Tokens[first-1].Is(detectors.Title) || d.IsMark(first-1, '.')) {
		first--
	}
	return known && d.IsMark(first-1, ',') && d.IsMark(last, '?')
}

// Apply makes the update. It comes after what the turn says has been linked: a turn may continue a
// dictation and then ask for something else.
func (u QuestionUpdate) Apply(c *state.Call) {
	if u.asks {
		c.SetDictation(state.Dictation{})
	}
	if u.differ {
		c.SetQuestions(u.questions)
	}
}

// askAgain appends to next, which is empty, the open questions as the turn asks them once more: "Can
// you repeat that?"
func askAgain(d *detectors.Document, turn Turn, next, open []state.Question) []state.Question {
	next = append(next, open...)
	for i := range next {
		next[i].Asker = turn.Speaker
		next[i].Seq, next[i].TimeMS = turn.Seq, turn.EndMS
		next[i].Spell = next[i].Spell || d.HasHotword(detectors.HotSpell)
	}
	return next
}
