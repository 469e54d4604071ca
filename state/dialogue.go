package state

import "strings"

// Question is something that was asked and may be answered next. Its age is
// told by the sequence number and the time of the event that asked, not by a
// counter, so that a turn that teaches nothing leaves the memory as it is.
type Question struct {
	// Type is the infoType that was asked for.
	Type string
	Part Part
	// Spell says that it was asked for letter by letter.
	Spell bool
	// Partial says that only a part was asked for, such as the last digits.
	Partial bool
	// Answered says that a value was given. It is kept, since it may be asked
	// for again without naming it.
	Answered bool
	// FromEnd is 0 for a question. For words that only spoke of a value it is how
	// many characters before the end of their turn they stood, plus 1.
	FromEnd int
	// Asker is who asked.
	Asker SpeakerID
	// Seq is the sequence number of the event that asked; TimeMS when it ended,
	// -1 where it had no time.
	Seq, TimeMS int64
}

// Dictation is a value that is being told over several turns.
type Dictation struct {
	// Entity is the position of the entity plus one; 0 means that nothing is
	// being dictated.
	Entity int
	// Speaker is who dictates.
	Speaker SpeakerID
	// Code is what has been said so far.
	Code string
	// Seq and TimeMS are those of the last event that added to it.
	Seq, TimeMS int64
}

const (
	maxQuestions = 4
	maxDictation = 64
)

// Questions returns the open questions, oldest first. The slice must not be
// written to.
func (c *Call) Questions() []Question { return c.questions }

// Ask replaces the open questions, at most four of them, the first ones.
func (c *Call) Ask(q []Question) (changed bool) {
	if len(q) > maxQuestions {
		q = q[:maxQuestions]
	}
	if len(q) == len(c.questions) {
		same := true
		for i := range q {
			same = same && q[i] == c.questions[i]
		}
		if same {
			return false
		}
	}
	c.questions = append([]Question(nil), q...)
	return true
}

// Continue adds a further part to what is being dictated, which the memory then
// knows as a whole, and returns the entity.
func (c *Call) Continue(code string, s SpeakerID, seq, timeMS int64) (Ref, bool) {
	d := c.dictation
	d.Code += code
	d.Speaker, d.Seq, d.TimeMS = s, seq, timeMS
	i := d.Entity - 1
	form := d.Code
	if c.entities[i].kind != KindCode {
		form = strings.ToLower(form)
	}
	changed := c.addAlias(i, form)
	changed = c.Dictate(d) || changed
	e := &c.entities[i]
	return Ref{Type: c.types[e.typ], N: int(e.num), Source: e.source}, changed
}

// DictatedType returns the infoType of what is being dictated.
func (c *Call) DictatedType() string {
	if c.dictation.Entity == 0 {
		return ""
	}
	return c.types[c.entities[c.dictation.Entity-1].typ]
}

// Dictation returns what is being dictated; the second result is false when
// nothing is.
func (c *Call) Dictation() (Dictation, bool) { return c.dictation, c.dictation.Entity > 0 }

// Dictate replaces what is being dictated; the zero Dictation ends it.
func (c *Call) Dictate(d Dictation) (changed bool) {
	if len(d.Code) > maxDictation || d.Entity > len(c.entities) {
		d = Dictation{}
	}
	if d == c.dictation {
		return false
	}
	c.dictation = d
	return true
}
