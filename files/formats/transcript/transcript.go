// Package transcript is what all file formats have in common: a document with calls, whose texts
// can be replaced and which can then be written in the format in which it was read.
//
// A format says of each text of a file whether somebody said it (Turn), whether it repeats what was
// said (Repeat), or whether it is neither (Call.Others). What a format does not know is one of the
// others, and so is anonymized as text.
package transcript

import (
	"sotto/files/formats/harmless"
	"sotto/schemas"
)

// Document is a file that was read.
type Document struct {
	Calls []*Call
	// Notes say in one line each what was guessed or removed, without text of the file.
	Notes []string
	// Encode writes the file with what was replaced so far.
	Encode func() ([]byte, error)
}

// Call is one call of a document.
type Call struct {
	// ID is "" if the file does not say it.
	ID string
	// SetID replace the ID, each in one place.
	SetID []func(string)
	// Participants are values that the file gives as personal.
	Participants []schemas.Participant
	// Turns are in the order in which they were said.
	Turns []*Turn
	// Others are texts that belong to the call and are no turn: summaries, further hypotheses,
	// metadata.
	Others []*Turn
	// Labels are further places that name a speaker.
	Labels []Label
	// Repeats are places that say again what several turns said.
	Repeats []Repeat
}

// AddOther adds a text that is no turn.
func (c *Call) AddOther(text string, set func(clean string)) {
	c.Others = append(c.Others, &Turn{Text: text, Set: set})
}

// AddValue adds a value of somebody's file, unless its name and its form show that it is harmless. What is
// not written in words is replaced as a whole.
func (c *Call) AddValue(limits harmless.Limits, name, value string, set func(clean string)) {
	switch {
	case value == "" || limits.Value(name, value):
	case harmless.Opaque(name, value) || harmless.Encoded(value):
		set(harmless.OpaqueMark)
	default:
		c.AddOther(value, set)
	}
}

// Turn is a text of which all words belong together.
type Turn struct {
	Speaker schemas.Speaker
	Text    string
	// Lexical is the recognizer's unformatted form, "" if there is none.
	Lexical        string
	StartMS, EndMS *int64
	// Plain means that the text is ordinary words of the file's format: only what the call knows to be
	// personal is masked in it. Turns are never plain.
	Plain bool
	// Set replaces the text; nil if the text is only in the repeats.
	Set func(clean string)
	// SetLabel replaces the speaker's label; nil if the turn has no place of its own for it.
	SetLabel func(clean string)
	// Repeats are places that say the words of this turn again.
	Repeats []Repeat
	// Moved is called with where a position in the text is in the clean text, in code points;
	// nil if the file holds no positions.
	Moved func(at func(int) int)
}

// Label is a place outside of the turns that names a speaker.
type Label struct {
	Speaker schemas.Speaker
	Set     func(clean string)
}

// Repeat is a place that repeats the words of turns, in pieces: the words of a list, or the words
// of a text.
type Repeat struct {
	// Of are the turns that are repeated; nil means the turn that the repeat is of, or all turns.
	Of []*Turn
	// Pieces are in order. A piece may consist of several words, or of punctuation.
	Pieces []string
	// Set replaces pieces. The spans are disjoint and in order.
	Set func([]Span)
	// Times returns when a piece is said, in milliseconds from the beginning of the recording, and nil where the file does
	// not say it. It is nil if the file says it of no piece.
	Times func(piece int) (start, end *int64)
}

// Span is a sequence of pieces, from First to Last, that becomes one piece.
type Span struct {
	First, Last int
	Text        string
}
