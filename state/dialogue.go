package state

import (
	"bytes"
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/state/linking"
)

// Question is something that was asked and may be answered next. Its age follows from the
// sequence number and the time of the event that asked, and not from a counter, so that a
// turn that adds nothing leaves the state unchanged.
type Question struct {
	// Type is the infoType that was asked for.
	Type string       `cbor:"1,keyasint,omitempty"`
	Part linking.Part `cbor:"2,keyasint,omitempty"`
	// Spell means that it was asked for letter by letter.
	Spell bool `cbor:"3,keyasint,omitempty"`
	// Asker is who asked.
	Asker linking.SpeakerID `cbor:"4,keyasint,omitempty"`
	// Seq is the sequence number of the event that asked; TimeMS when it ended, -1 if that is
	// not known.
	Seq    int64 `cbor:"5,keyasint,omitempty"`
	TimeMS int64 `cbor:"6,keyasint,omitempty"`
	// Partial means that only a part was asked for, such as the last digits. Only states of former versions have it.
	Partial bool `cbor:"7,keyasint,omitempty"`
	// Answered means that a value was given. Only states of former versions have it.
	Answered bool `cbor:"8,keyasint,omitempty"`
	// FromEnd is 0 for a question. States of former versions have topics, too, words that only mentioned a value: of these, it is
	// how many characters before the end of their turn they were, plus 1.
	FromEnd int `cbor:"9,keyasint,omitempty"`
	// Whose is whose value was asked for.
	Whose Whose `cbor:"10,keyasint,omitempty"`
	// Number means that a number or a code was asked for in so many words.
	Number bool `cbor:"11,keyasint,omitempty"`
}

// Whose says whose value a question asks for.
type Whose uint8

const (
	// OfAnybody: the question does not say.
	OfAnybody Whose = iota
	// OfListener: "your".
	OfListener
	// OfThird: "her", "your wife's".
	OfThird

	whoses = iota
)

// Dictation is a value that is being given over several turns.
type Dictation struct {
	// Entity is the position of the entity plus one; 0 if nothing is being dictated.
	Entity int `cbor:"1,keyasint,omitempty"`
	// Speaker is who dictates.
	Speaker linking.SpeakerID `cbor:"2,keyasint,omitempty"`
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
func (c *Call) ContinueDictation(code string, s linking.SpeakerID, seq, timeMS int64) Ref {
	d := c.dictation
	d.Code += code
	d.Speaker, d.Seq, d.TimeMS = s, seq, timeMS
	i := d.Entity - 1
	form := d.Code
	if c.entities[i].Kind != detectors.KindCode {
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

// Turn is what later turns need to know of an earlier one. Its meaning is the tagger's; the state
// only keeps it.
type Turn struct {
	Speaker linking.SpeakerID `cbor:"1,keyasint,omitempty"`
	// Seq is the sequence number of its event; TimeMS when it ended, -1 if it had no time.
	Seq    int64 `cbor:"2,keyasint,omitempty"`
	TimeMS int64 `cbor:"3,keyasint,omitempty"`
	// Asked is what it asks for, Kinds what it contains and End what is at its end.
	Asked uint32 `cbor:"4,keyasint,omitempty"`
	Kinds uint16 `cbor:"5,keyasint,omitempty"`
	End   uint8  `cbor:"6,keyasint,omitempty"`
}

// maxTurns bounds the turns that a call remembers.
const maxTurns = 8

// Turns returns the last turns that asked for something or contained something, oldest first. The
// slice must not be written to and is valid until the next AddTurn.
func (c *Call) Turns() []Turn { return c.turns }

// AddTurn remembers a turn and forgets the oldest of more than eight.
func (c *Call) AddTurn(t Turn) {
	own(c, turnsField, &c.turns, 3)
	if len(c.turns) >= maxTurns {
		n := copy(c.turns, c.turns[len(c.turns)+1-maxTurns:])
		c.turns = c.turns[:n]
	}
	c.turns = append(c.turns, t)
	c.others++
}

// MaxWindow bounds the bytes of what the encoder has read of a call.
const MaxWindow = 2048

// Window returns what the encoder has read of the last turns, as SetWindow set it. The slice must not be written to.
func (c *Call) Window() []byte { return c.window }

// SetWindow replaces what the encoder has read by w, which must not be written to afterwards. Its meaning is the
// encoder's; the state only keeps it. A longer one than MaxWindow is not kept.
func (c *Call) SetWindow(w []byte) {
	if len(w) > MaxWindow {
		w = nil
	}
	if !bytes.Equal(w, c.window) {
		c.window = w
		c.others++
	}
}

// maxLanguage bounds the language codes that a state contains.
const maxLanguage = 8

// Language returns the code of the language of the last turn that said in which language it
// is, "" for English.
func (c *Call) Language() string { return c.language }

// SetLanguage sets the language of the last turn.
func (c *Call) SetLanguage(code string) {
	if c.language != code {
		c.language = code
		c.others++
	}
}

// Withheld returns the code of the language because of which the call must not be released,
// "" if there is none.
func (c *Call) Withheld() string { return c.withheld }

// Withhold notes that the call must not be released because of a turn in another language. The
// first such language is kept.
func (c *Call) Withhold(code string) {
	if c.withheld == "" {
		c.withheld = code
		c.others++
	}
}

// isLanguage reports whether a string may be a language code: a few letters.
func isLanguage(s string) bool {
	return len(s) <= maxLanguage && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}
