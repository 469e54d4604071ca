package dialogue

import (
	"strings"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/cue"
	"sotto/state"
)

// Continuation is whether a text ends within something that the speaker's next
// utterance may continue.
type Continuation uint8

const (
	// Complete: nothing is left open.
	Complete Continuation = iota
	// InRun: digits or letters are being dictated.
	InRun
	// InWords: words may continue it, too: an e-mail address, the answer to a question
	// for an address.
	InWords
)

const (
	// nearQuestion is the strength from which a question for an answer counts as just
	// asked.
	nearQuestion = 0.6
	// minPostal is how many digits a postal code has at least.
	minPostal = 5
)

// MayContinue is a cheap test that holds for every text that is not Complete.
func MayContinue(d *detectors.Document, c *state.Call) bool {
	return len(c.Questions()) > 0 || len(d.Runs) > 0 && d.Runs[len(d.Runs)-1].Closes || endsWithConnector(d)
}

// ContinuationOf judges a text by what was found in it.
func ContinuationOf(d *detectors.Document, found []detectors.Finding, r *mention.Reader) Continuation {
	if questions, again := cue.Questions(d, nil); len(questions) > 0 || again {
		return Complete // the speaker asks, and gives nothing
	}
	if endsWithConnector(d) || answerBegun(d, found) {
		return InWords
	}
	if len(d.Runs) == 0 {
		return Complete
	}
	last := &d.Runs[len(d.Runs)-1]
	if !last.Closes || last.Claimed || last.Scaled {
		return Complete
	}
	for i := range found {
		if f := &found[i]; f.Start <= last.Start && last.End <= f.End {
			if isIncomplete(d, f, r) {
				return InRun
			}
			return Complete
		}
	}
	if last.Len() >= 2 && !last.Quantity || isCodeAsked(d) || isAnnounced(d, last) {
		return InRun
	}
	return Complete
}

// ContinuedBy reports whether the speaker's next utterance may continue a text.
func (c Continuation) ContinuedBy(next *detectors.Document, asked *Asked) bool {
	if c == Complete || asked.Any() {
		return false
	}
	i := firstContent(next)
	if i < 0 {
		return false
	}
	if r := next.RunAt(i); r >= 0 {
		return next.Runs[r].Len() > 1 || next.Runs[r].Closes || next.Tokens[i].Hash != wordOh // "oh, wait"
	}
	t := &next.Tokens[i]
	return t.Is(detectors.Connect) || t.Ch == '@' || c == InWords && !isSentence(next) // "K O W" - "at gmail dot com"
}

// isSentence reports whether a text is a sentence rather than the words of a value:
// most of its words are grammar words, "hold on, let me get my glasses".
func isSentence(d *detectors.Document) bool {
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

// firstContent returns the token with which an utterance begins that continues the one
// before: the first that is not a backchannel, a filler, or a word like "and"; -1 for
// none.
func firstContent(d *detectors.Document) int {
	for i := range d.Tokens {
		switch t := &d.Tokens[i]; {
		case t.Ch == '@', d.RunAt(i) >= 0:
			return i
		case t.Class == detectors.Punct, t.Is(detectors.Filler | detectors.Backchannel), t.Is(detectors.Function) && beforeContinuation.Has(t.Hash):
		default:
			return i
		}
	}
	return -1
}

// lastContent returns the last token that is neither a filler nor a mark at the end of
// the text, -1 for none.
func lastContent(d *detectors.Document) int {
	for i := len(d.Tokens) - 1; i >= 0; i-- {
		t := &d.Tokens[i]
		if t.Class != detectors.Punct && !t.Is(detectors.Filler) || t.Class == detectors.Punct && isConnectorMark(t.Ch) {
			return i
		}
	}
	return -1
}

// isConnectorMark reports whether a mark at the end of a text belongs to what it
// follows.
func isConnectorMark(ch byte) bool { return ch == '@' || ch == '_' || ch == '-' || ch == '/' }

// endsWithConnector reports whether the last word connects the words before it to
// those that follow: "john dot", "smith @".
func endsWithConnector(d *detectors.Document) bool {
	i := lastContent(d)
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
	// "at", "dot" and "point" are everyday words: they must connect the parts of an
	// e-mail or web address, or the symbols of a run.
	return d.RunAt(i-1) >= 0 || d.Expected(detectors.EmailAddress) > 0 || d.HasHotword(detectors.HotEmail) || hasAddressSign(d, i)
}

// hasAddressSign reports whether one of the tokens up to i is a "dot", or one before it
// an "@" or an underscore.
func hasAddressSign(d *detectors.Document, i int) bool {
	for k := range i {
		t := &d.Tokens[k]
		if t.Is(detectors.Connect) && t.Ch == '_' || t.Ch == '@' && t.Class == detectors.Punct || t.Hash == wordDot {
			return true
		}
	}
	return d.Tokens[i].Hash == wordDot
}

// isAnnounced reports whether a hotword stands right before a run, "my number is six".
func isAnnounced(d *detectors.Document, r *detectors.Run) bool {
	for i := range d.Hotwords {
		h := &d.Hotwords[i]
		if h.Hotword.InfoType() != "" && h.End <= r.Start && r.Start-h.End <= maxTail {
			return true
		}
	}
	return false
}

// isIncomplete reports whether a value with the last run lacks something that the next
// utterance may bring.
func isIncomplete(d *detectors.Document, f *detectors.Finding, r *mention.Reader) bool {
	switch f.Type {
	case detectors.Date, detectors.Time, detectors.DateOfBirth, detectors.Age, detectors.StreetAddress:
		return false
	}
	full, sure := fullLength(f.Type)
	if isPart(d, f.Type) || f.Evidence&detectors.ByChecksum != 0 && sure || f.Detector == dictation {
		return false
	}
	return len(r.Code(d, f)) < full
}

// isCodeAsked reports whether a value of digits or letters was just asked for.
func isCodeAsked(d *detectors.Document) bool {
	for i := range d.Expect {
		e := &d.Expect[i]
		if e.Part || e.Strength < nearQuestion {
			continue
		}
		isCode := mention.Kind(e.Type) == state.KindCode
		if isCode && e.Type != detectors.Age && e.Type != detectors.Date && e.Type != detectors.Time || e.Spelled {
			return true
		}
	}
	return false
}

// answerBegun reports whether the answer to a question whose value has no fixed length,
// an address or a date, has begun and is not complete.
func answerBegun(d *detectors.Document, found []detectors.Finding) bool {
	for i := range d.Expect {
		e := &d.Expect[i]
		if e.Part || e.Strength < nearQuestion {
			continue
		}
		switch e.Type {
		case detectors.EmailAddress:
			if !hasType(found, e.Type) && (len(d.Runs) > 0 || d.Has(detectors.Connect) || hasType(found, detectors.PersonName) || hasType(found, detectors.SpelledWord)) {
				return true
			}
		case detectors.StreetAddress:
			if !hasPostalCode(d, found) && (len(d.Runs) > 0 || hasType(found, e.Type)) {
				return true
			}
		case detectors.DateOfBirth:
			if !hasYearOfBirth(found) && (len(d.Runs) > 0 || d.Has(detectors.Month|detectors.Ordinal)) {
				return true
			}
		}
	}
	return false
}

// hasYearOfBirth reports whether a date of birth is complete: its value, YYYYMMDD, has
// a year.
func hasYearOfBirth(found []detectors.Finding) bool {
	for i := range found {
		if f := &found[i]; f.Type == detectors.DateOfBirth && !strings.HasPrefix(f.Value, "0000") {
			return true
		}
	}
	return false
}

// hasPostalCode reports whether an address ends with a run that may be its postal code.
func hasPostalCode(d *detectors.Document, found []detectors.Finding) bool {
	street := false
	for i := range found {
		f := &found[i]
		if f.Type != detectors.StreetAddress {
			continue
		}
		k := d.RunFrom(d.TokenAt(f.End - 1))
		if k < len(d.Runs) && d.Runs[k].End == f.End && (street || d.Runs[k].Start > f.Start) && d.Runs[k].Len() >= minPostal {
			return true
		}
		street = true
	}
	return false
}

// maxAside bounds the words of an aside.
const maxAside = 8

// IsBackchannel reports whether a text is nothing but signs of listening.
func IsBackchannel(d *detectors.Document) bool {
	for i := range d.Tokens {
		if t := &d.Tokens[i]; t.Class != detectors.Punct && !t.Is(detectors.Filler|detectors.Backchannel) || t.Ch == '?' {
			return false
		}
	}
	return true
}

// IsAside reports whether the other party only says something in passing, "go ahead",
// "got it, four five", and neither asks nor tells anything.
func IsAside(d *detectors.Document, asked *Asked) bool {
	words := 0
	for i := range d.Tokens {
		switch t := &d.Tokens[i]; {
		case t.Ch == '?':
			return false
		case t.Class != detectors.Punct:
			words++
		}
	}
	return words <= maxAside && !asked.Any()
}
