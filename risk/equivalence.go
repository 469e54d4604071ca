package risk

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"sotto/detectors"
	"sotto/state"
	"sotto/state/linking"
)

// Value is a value in normal form: what was said, however it was written. It is personal
// information if the original is.
type Value struct {
	words []string
}

// String returns the normal form as one key: two values with one key are the
// same value.
func (v Value) String() string { return strings.Join(v.words, " ") }

// Empty reports whether the value has no letter and no digit.
func (v Value) Empty() bool { return len(v.words) == 0 }

// compareLength orders values by how much they say.
func (v Value) compareLength(w Value) int {
	return cmp.Or(len(v.words)-len(w.words), len(v.String())-len(w.String()))
}

// Normalize returns the normal form of a value: lower case, without punctuation, spaces and a
// possessive 's, with dictated digits ("five", "oh", "double two") as digits, and with sequences
// of digits and of single letters joined. So M-A-R-K, "M A R K" and Mark are one value, and so
// are 555-0134, "555 0134" and "five five five oh one three four".
func Normalize(s string) Value {
	var words []string
	repeat := 1
	open := false // the last word is a run that may grow
	for _, raw := range split(s) {
		if n, ok := multiples[raw]; ok {
			repeat = n
			continue
		}
		w, isDigit := digitWords[raw]
		if !isDigit {
			w = raw
		}
		single := isDigit || isDigits(w) || len([]rune(w)) == 1
		w = strings.Repeat(w, repeat)
		repeat = 1
		if single && open && isDigits(w) == isDigits(words[len(words)-1]) {
			words[len(words)-1] += w
			continue
		}
		words = append(words, w)
		open = single
	}
	return Value{words: words}
}

// split splits a text at everything that is neither letter nor digit, and between letters and
// digits. It removes apostrophes, and folds letters to lower case.
func split(s string) []string {
	s = strings.ReplaceAll(s, "’", "'")
	var words []string
	var b strings.Builder
	const (
		none = iota
		letter
		digit
	)
	last := none
	flush := func() {
		if b.Len() > 0 {
			words = append(words, b.String())
			b.Reset()
		}
		last = none
	}
	skip := 0
	for i, r := range s {
		if skip > 0 {
			skip--
			continue
		}
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			if last == digit {
				flush()
			}
			b.WriteRune(unicode.ToLower(r))
			last = letter
		case unicode.IsDigit(r):
			if last == letter {
				flush()
			}
			b.WriteRune(r)
			last = digit
		case r == '\'':
			if possessive(s[i:]) {
				flush()
				skip = 1
			}
		default:
			flush()
		}
	}
	flush()
	return words
}

func isDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// possessive reports whether a text begins with the 's that ends a word.
func possessive(s string) bool {
	if len(s) < 2 || s[1] != 's' && s[1] != 'S' {
		return false
	}
	for _, r := range s[2:] {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return true
}

// Equivalent reports whether two values of one infoType are one piece of information by the
// rules by which the engine links entities, in state.Call.LinkOrCreate: for names, parts of them
// and words that sound alike; for numbers, their last digits. It does not know who speaks, so
// two people with one name are equivalent. Where that matters, Piece.Key keeps them apart.
func Equivalent(infoType string, a, b Value) bool {
	if a.Empty() || b.Empty() {
		return a.Empty() && b.Empty()
	}
	if a.compareLength(b) < 0 {
		a, b = b, a
	}
	call := state.NewCall()
	return call.LinkOrCreate(mention(infoType, a), 2) == call.LinkOrCreate(mention(infoType, b), 2)
}

// mention is a value as the engine would have found it.
func mention(infoType string, v Value) state.Mention {
	m := state.Mention{Type: infoType, Kind: kindOf(infoType), Words: v.words, Talk: linking.NameTalk}
	switch {
	case m.Kind == detectors.KindName && len(v.words) > 1 && slices.Contains(titles, v.words[0]):
		m.Words = v.words[1:]
	case m.Kind == detectors.KindCode:
		m.Words, m.Code = nil, state.Canonical(v.String())
		m.Spelled = infoType == "SPELLED_WORD"
		m.Weak = infoType == "SPELLED_WORD" || infoType == "NUMERIC"
	}
	return m
}

// kindOf returns how values of an infoType are compared. Only their words are known here, so dates
// and the like are compared as text, as are values of infoTypes that the catalog does not have.
func kindOf(infoType string) detectors.Kind {
	row := detectors.InfoType(infoType).Row()
	if row == nil || row.Compare == detectors.CompareValue {
		return detectors.KindText
	}
	return row.Compare.Kind()
}
