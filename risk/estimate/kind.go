package estimate

import (
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Kind is what makes a candidate suspicious. The values are part of sealed
// states: none may change its meaning.
type Kind uint8

// The kinds.
const (
	none Kind = iota
	// Number has three or four digits and nothing beside it that counts
	// something; LongNumber has five or more.
	Number
	LongNumber
	// Code is letters and digits together.
	Code
	// Dictated is three or more number words in a row.
	Dictated
	// Spelled is three or more single letters in a row.
	Spelled
	// Address is an @, or a top-level domain behind a dot.
	Address
	// Beside is a capitalised word right beside a masked span.
	Beside
	// CapName, CapUnknown and CapWord are capitalised within a sentence: more
	// often a name than a word, no English word, an English word.
	CapName
	CapUnknown
	CapWord
	// FirstName and FirstUnknown are the same at the beginning of a sentence.
	FirstName
	FirstUnknown
	// LowName and LowUnknown are in lower case in a text with capital letters.
	LowName
	LowUnknown
	// FlatName and FlatUnknown are in a text without any capital letter.
	FlatName
	FlatUnknown
	// WeakName, MiddlingName and StrongName are what a detector saw and left,
	// because it was not likely enough: by its score, under 0.1, under 0.2 and
	// over. RestOfName are its further words.
	WeakName
	MiddlingName
	StrongName
	RestOfName

	kinds
)

var kindNames = [kinds]string{"", "number", "long number", "code", "dictated number", "spelled letters", "address", "beside a mask",
	"capitalised name", "capitalised unknown", "capitalised word", "first-word name", "first-word unknown",
	"lower-case name", "lower-case unknown", "uncased name", "uncased unknown",
	"weakly detected", "middlingly detected", "strongly detected", "other detections"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// harmless are the roles of words that are never a candidate.
const harmless = detectors.Function | detectors.Backchannel | detectors.Filler | detectors.Month | detectors.Weekday | detectors.Correct |
	detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Scale | detectors.Mult | detectors.Ordinal | detectors.Measure |
	detectors.Currency | detectors.Clock | detectors.Title | detectors.Connect

// counted are the roles of words beside a number that say what it counts.
const counted = detectors.Measure | detectors.Currency | detectors.Clock | detectors.Month | detectors.Model | detectors.Scale

const shortest = 3

// word judges the word at token i, which is not masked.
func (s *scanner) word(i int) Kind {
	t := &s.doc.Tokens[i]
	if t.Len() < shortest || t.Is(harmless) {
		return none
	}
	e := lexicon.LookupHash(t.Hash)
	name, unknown := likeName(e), e.Common() == 0
	switch {
	case t.Class == detectors.Lower && !s.cased:
		return pick(name, FlatName, unknown, FlatUnknown)
	case t.Class == detectors.Lower:
		return pick(name, LowName, unknown, LowUnknown)
	case s.first(i):
		return pick(name, FirstName, unknown, FirstUnknown)
	case s.beside(i):
		return Beside
	case name:
		return CapName
	case unknown:
		return CapUnknown
	}
	return CapWord
}

func pick(name bool, ifName Kind, unknown bool, ifUnknown Kind) Kind {
	switch {
	case name:
		return ifName
	case unknown:
		return ifUnknown
	}
	return none
}

// likeName reports whether a word is more often a name than a word. The scales of
// the lexicon are both logarithmic.
func likeName(e lexicon.Entry) bool { return e.Name() >= 5 && e.Name() > e.Common() }

// first reports whether token i begins a sentence, where capital letters mean
// nothing.
func (s *scanner) first(i int) bool {
	if i == 0 {
		return true
	}
	p := &s.doc.Tokens[i-1]
	return p.Class == detectors.Punct && strings.IndexByte(`.?!:"`, p.Ch) >= 0
}

// beside reports whether a masked span touches token i, or only a space is between them.
func (s *scanner) beside(i int) bool {
	t := &s.doc.Tokens[i]
	gap := func(from, to int) bool { return to >= from && to-from <= 1 }
	return s.at > 0 && gap(s.masks[s.at-1].End, s.rune(int(t.Start))) ||
		s.at < len(s.masks) && gap(s.rune(int(t.End)), s.masks[s.at].Start)
}

// digits judges the number at token i and returns how many tokens it has.
func (s *scanner) digits(i int) (Kind, int) {
	n, last := s.number(i)
	size := last - i + 1
	switch {
	case n < 3 || s.quantity(i, last) || last == i && n == 4 && s.year(i):
		return none, size
	case n >= 5:
		return LongNumber, size
	}
	return Number, size
}

// number reads the number at token i: groups of digits side by side are one. It returns how many
// digits there are, and the last token.
func (s *scanner) number(i int) (digits, last int) {
	tokens := s.doc.Tokens
	digits, last = tokens[i].Len(), i
	for last+1 < len(tokens) && !s.masked(last+1) {
		next := last + 1
		if tokens[next].Class == detectors.Punct && (tokens[next].Ch == '-' || tokens[next].Ch == '.') && next+1 < len(tokens) {
			next++
		}
		if tokens[next].Class != detectors.Digits || s.masked(next) {
			break
		}
		digits += tokens[next].Len()
		last = next
	}
	return digits, last
}

// quantity reports whether the words and signs around the tokens first to last make them an amount,
// a count or a share.
func (s *scanner) quantity(first, last int) bool {
	tokens := s.doc.Tokens
	if first > 0 {
		// A sign before an amount, or between its thousands.
		if before := &tokens[first-1]; before.Is(counted) || before.Ch == '$' || before.Ch == ',' {
			return true
		}
	}
	if last+1 == len(tokens) {
		return false
	}
	next := &tokens[last+1]
	return next.Is(counted) || next.Class != detectors.Digits && next.Glued() && (next.Ch == '%' || next.Ch == ',' || next.Ch == ':')
}

func (s *scanner) year(i int) bool {
	w := s.doc.Word(i)
	return w[0] == '1' && w[1] == '9' || w[0] == '2' && w[1] == '0'
}

// run returns how many tokens from i on are of a dictated number or of spelled
// letters, and which of the two.
func (s *scanner) run(i int) (Kind, int) {
	tokens := s.doc.Tokens
	numbers, letters, at := 0, 0, i
	for ; at < len(tokens); at++ {
		t := &tokens[at]
		switch {
		case s.masked(at):
		case t.Is(detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Mult):
			numbers++
			continue
		case t.Class == detectors.Letter && t.Ch != 'a' && t.Ch != 'i':
			letters++
			continue
		case at > i && t.Class == detectors.Punct && t.Ch == '-':
			continue
		}
		break
	}
	switch {
	case tokens[i].Class == detectors.Letter && letters >= 3:
		return Spelled, at - i
	case numbers >= 3 && !(at < len(tokens) && tokens[at].Is(counted)):
		return Dictated, at - i
	}
	return none, 1
}
