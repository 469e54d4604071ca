package anonymize

import (
	"strings"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/cue"
	"sotto/state"
)

// openness is whether a text ends within something that is still being told.
type openness uint8

const (
	closed openness = iota
	// openRun: digits or letters are being dictated.
	openRun
	// openWords: words may go on with it, too: an e-mail address, the answer to a
	// question for an address.
	openWords
)

// continuedBy tells whether the speaker's next utterance may go on with a text
// that is open.
func (o openness) continuedBy(w *workspace) bool {
	d := &w.doc
	if o == closed || len(w.questions) > 0 || w.again {
		return false
	}
	i := firstSaid(d)
	if i < 0 {
		return false
	}
	if r := d.RunAt(i); r >= 0 {
		return d.Runs[r].Len() > 1 || d.Runs[r].Closes || string(d.Word(i)) != "oh" // "oh, wait"
	}
	t := &d.Tokens[i]
	return t.Is(detectors.Connect) || t.Ch == '@' || o == openWords && !chats(d) // "K O W" - "at gmail dot com"
}

// chats tells whether a text is a sentence rather than words of a value: most of
// its words carry grammar, "hold on, let me get my glasses".
func chats(d *detectors.Document) bool {
	words, grammar := 0, 0
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			continue
		}
		words++
		if t.Is(detectors.Function) && !t.Is(detectors.Connect) || t.Class == detectors.Clitic {
			grammar++
		}
	}
	return 2*grammar > words
}

// firstSaid returns the token with which an utterance begins that goes on with
// what came before it: the first one that is not a sign of listening, a
// hesitation, or a word like "and"; -1 for none.
func firstSaid(d *detectors.Document) int {
	for i := range d.Tokens {
		switch t := &d.Tokens[i]; {
		case t.Ch == '@', d.RunAt(i) >= 0:
			return i
		case t.Class == detectors.Punct, t.Is(detectors.Filler | detectors.Backchannel), t.Is(detectors.Function) && leads(string(d.Word(i))):
		default:
			return i
		}
	}
	return -1
}

func leads(word string) bool {
	return word == "and" || word == "then" || word == "so" || word == "well"
}

// mayOpen is a cheap test that holds for every text that can be open.
func mayOpen(c *state.Call, d *detectors.Document) bool {
	return len(c.Questions()) > 0 || len(d.Runs) > 0 && d.Runs[len(d.Runs)-1].Closes || endsJoining(d)
}

// endsJoining tells whether the last word joins what stands before it to what
// comes: "john dot", "smith @".
func endsJoining(d *detectors.Document) bool {
	i := lastSaid(d)
	if i <= 0 {
		return false
	}
	switch t := &d.Tokens[i]; {
	case t.Class == detectors.Punct:
		return t.Glued() || t.Ch == '@'
	case !t.Is(detectors.Connect):
		return false
	case t.Ch != '@' && t.Ch != '.' && t.Ch != '-':
		return true
	}
	// "at", "dot" and "point" are everyday words: it must be an e-mail or web
	// address that they join, or the symbols of a run.
	if d.RunAt(i-1) >= 0 || d.Expected(detectors.EmailAddress) > 0 || d.HasHotword(detectors.HotEmail) {
		return true
	}
	for k := range i {
		if t := &d.Tokens[k]; t.Is(detectors.Connect) && t.Ch == '_' || t.Ch == '@' && t.Class == detectors.Punct || string(d.Word(k)) == "dot" {
			return true
		}
	}
	return string(d.Word(i)) == "dot"
}

// lastSaid returns the last token that is neither a hesitation nor a mark at the
// end of the text, -1 for none.
func lastSaid(d *detectors.Document) int {
	for i := len(d.Tokens) - 1; i >= 0; i-- {
		if t := &d.Tokens[i]; t.Class != detectors.Punct && !t.Is(detectors.Filler) || joinsOn(t) {
			return i
		}
	}
	return -1
}

// joinsOn tells whether a mark belongs to what it stands at the end of.
func joinsOn(t *detectors.Token) bool {
	return t.Class == detectors.Punct && (t.Ch == '@' || t.Ch == '_' || t.Ch == '-' || t.Ch == '/')
}

// openness judges the text that was read, in which found was found.
func (t *turn) openness(found []detectors.Finding) openness {
	d := &t.work.doc
	if questions, again := cue.Questions(d, nil); len(questions) > 0 || again {
		return closed // he asks, and does not tell
	}
	if endsJoining(d) {
		return openWords
	}
	if o := t.begun(found); o != closed {
		return o
	}
	if len(d.Runs) == 0 {
		return closed
	}
	r := &d.Runs[len(d.Runs)-1]
	if !r.Closes || r.Claimed || r.Scaled {
		return closed
	}
	for i := range found {
		if f := &found[i]; f.Start <= r.Start && r.End <= f.End {
			return t.incomplete(d, r, f)
		}
	}
	if r.Len() >= 2 && !r.Quantity || t.codeAsked() || announced(d, r) {
		return openRun
	}
	return closed
}

// announced tells whether a hotword stands right before a run, "my number is
// six".
func announced(d *detectors.Document, r *detectors.Run) bool {
	for i := range d.Hotwords {
		h := &d.Hotwords[i]
		if _, ok := cue.TypeOf(h.Hotword); ok && h.End <= r.Start && r.Start-h.End <= maxTail {
			return true
		}
	}
	return false
}

// incomplete tells whether a value lacks something that the next utterance may
// bring.
func (t *turn) incomplete(d *detectors.Document, r *detectors.Run, f *detectors.Finding) openness {
	full, sure := fullLength(f.Type)
	switch f.Type {
	case detectors.Date, detectors.Time, detectors.DateOfBirth, detectors.Age, detectors.StreetAddress:
		return closed
	}
	if t.partial(f.Type) || f.Evidence&detectors.ByChecksum != 0 && sure || f.Detector == dictation {
		return closed
	}
	code := t.work.mentions.Code(d, f)
	if len(code) < full {
		return openRun
	}
	return closed
}

// codeAsked tells whether a value of digits or letters was just asked for.
func (t *turn) codeAsked() bool {
	for i := range t.work.doc.Expect {
		switch e := &t.work.doc.Expect[i]; {
		case e.Part || e.Strength < nearQuestion:
		case mention.Kind(e.Type) == state.KindCode && e.Type != detectors.Age && e.Type != detectors.Date && e.Type != detectors.Time, e.Spelled:
			return true
		}
	}
	return false
}

// nearQuestion is the strength of a question for whose answer is waited.
const nearQuestion = 0.6

// begun tells whether the answer to a question whose value has no fixed length,
// an address or a date, has begun and is not complete.
func (t *turn) begun(found []detectors.Finding) openness {
	d := &t.work.doc
	for i := range d.Expect {
		e := &d.Expect[i]
		if e.Part || e.Strength < nearQuestion {
			continue
		}
		switch e.Type {
		case detectors.EmailAddress:
			if !has(found, e.Type) && (len(d.Runs) > 0 || d.Has(detectors.Connect) || hasName(found)) {
				return openWords
			}
		case detectors.StreetAddress:
			if !postal(d, found) && (len(d.Runs) > 0 || has(found, e.Type)) {
				return openWords
			}
		case detectors.DateOfBirth:
			if !withYear(found) && (len(d.Runs) > 0 || d.Has(detectors.Month|detectors.Ordinal)) {
				return openWords
			}
		}
	}
	return closed
}

func has(found []detectors.Finding, t detectors.InfoType) bool {
	for i := range found {
		if found[i].Type == t {
			return true
		}
	}
	return false
}

// withYear tells whether a date of birth is complete: its value, YYYYMMDD, has a
// year.
func withYear(found []detectors.Finding) bool {
	for i := range found {
		if f := &found[i]; f.Type == detectors.DateOfBirth && !strings.HasPrefix(f.Value, "0000") {
			return true
		}
	}
	return false
}

func hasName(found []detectors.Finding) bool {
	return has(found, detectors.PersonName) || has(found, detectors.SpelledWord)
}

// postal tells whether an address is followed by a run that a postal code may
// be.
func postal(d *detectors.Document, found []detectors.Finding) bool {
	street := false
	for i := range found {
		f := &found[i]
		if f.Type != detectors.StreetAddress {
			continue
		}
		if k := d.RunFrom(d.TokenAt(f.End - 1)); k < len(d.Runs) && d.Runs[k].End == f.End && (street || d.Runs[k].Start > f.Start) && d.Runs[k].Len() >= 5 {
			return true
		}
		street = true
	}
	return false
}
