package state

import (
	"slices"
	"strings"
)

// Question is something that was asked and may be answered next. Its age follows from the
// sequence number and the time of the event that asked, and not from a counter, so that a
// turn that adds nothing leaves the state unchanged.
type Question struct {
	// Type is the infoType that was asked for.
	Type string `cbor:"1,keyasint,omitempty"`
	Part Part   `cbor:"2,keyasint,omitempty"`
	// Spell means that it was asked for letter by letter.
	Spell bool `cbor:"3,keyasint,omitempty"`
	// Asker is who asked.
	Asker SpeakerID `cbor:"4,keyasint,omitempty"`
	// Seq is the sequence number of the event that asked; TimeMS when it ended, -1 if that is
	// not known.
	Seq    int64 `cbor:"5,keyasint,omitempty"`
	TimeMS int64 `cbor:"6,keyasint,omitempty"`
	// Partial means that only a part was asked for, such as the last digits.
	Partial bool `cbor:"7,keyasint,omitempty"`
	// Answered means that a value was given. The question is kept, since the value may be
	// asked for again without naming it.
	Answered bool `cbor:"8,keyasint,omitempty"`
	// FromEnd is 0 for a question. For a topic, words that only mentioned a value, it is how many
	// characters before the end of their turn they were, plus 1.
	FromEnd int `cbor:"9,keyasint,omitempty"`
}

// Dictation is a value that is being given over several turns.
type Dictation struct {
	// Entity is the position of the entity plus one; 0 if nothing is being dictated.
	Entity int `cbor:"1,keyasint,omitempty"`
	// Speaker is who dictates.
	Speaker SpeakerID `cbor:"2,keyasint,omitempty"`
	// Code is what has been said so far.
	Code string `cbor:"3,keyasint,omitempty"`
	// Seq and TimeMS are those of the last event that added to it.
	Seq    int64 `cbor:"4,keyasint,omitempty"`
	TimeMS int64 `cbor:"5,keyasint,omitempty"`
}

const (
	maxQuestions = 4
	maxDictation = 64
)

// Questions returns the open questions, oldest first. The slice must not be changed and is valid
// until SetQuestions.
func (c *Call) Questions() []Question { return c.questions }

// SetQuestions replaces the open questions by the first four of q.
func (c *Call) SetQuestions(q []Question) {
	q = q[:min(len(q), maxQuestions)]
	if slices.Equal(q, c.questions) {
		return
	}
	if c.own&questionsField == 0 {
		c.questions = nil
	}
	c.questions = append(c.questions[:0], q...)
	c.own |= questionsField
	c.others++
}

// ContinueDictation adds a further part to what is being dictated, so that the whole is known
// too, and returns the entity. Something must be being dictated.
func (c *Call) ContinueDictation(code string, s SpeakerID, seq, timeMS int64) Ref {
	d := c.dictation
	d.Code += code
	d.Speaker, d.Seq, d.TimeMS = s, seq, timeMS
	i := d.Entity - 1
	form := d.Code
	if c.entities[i].Kind != KindCode {
		form = strings.ToLower(form)
	}
	c.addAlias(i, form)
	c.SetDictation(d)
	return c.ref(i)
}

// DictatedType returns the infoType of what is being dictated, "" if nothing is.
func (c *Call) DictatedType() string {
	if c.dictation.Entity == 0 {
		return ""
	}
	return c.types[c.entities[c.dictation.Entity-1].Type]
}

// Dictation returns what is being dictated; the second result is false if nothing is.
func (c *Call) Dictation() (Dictation, bool) { return c.dictation, c.dictation.Entity > 0 }

// SetDictation replaces what is being dictated; the zero Dictation ends it.
func (c *Call) SetDictation(d Dictation) {
	if len(d.Code) > maxDictation || d.Entity > len(c.entities) {
		d = Dictation{}
	}
	if d != c.dictation {
		c.dictation = d
		c.others++
	}
}
