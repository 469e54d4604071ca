package risk

import (
	"slices"
	"strings"
	"unicode"
)

// Value is a value in normal form: what was said, however it was written. It
// is personal information wherever the original is.
type Value struct {
	words  []string
	sounds []string // how each word sounds; empty where that is no guide
}

// String returns the normal form as one key: two values with one key are the
// same value.
func (v Value) String() string { return strings.Join(v.words, " ") }

// Empty reports that the value holds no letter and no digit.
func (v Value) Empty() bool { return len(v.words) == 0 }

// Normalize brings a value into normal form: lower case; punctuation and space
// dropped; dictated digits ("five", "oh", "double two") as digits; runs of
// digits and of single letters joined, so that M-A-R-K, "M A R K" and Mark, or
// 555-0134, "555 0134" and "five five five oh one three four" are one value.
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
	v := Value{words: words, sounds: make([]string, len(words))}
	for i, w := range words {
		if len(w) >= 3 && !isDigits(w) {
			v.sounds[i] = phonetic(w)
		}
	}
	return v
}

// compareLength orders values by how much they say.
func (v Value) compareLength(w Value) int {
	if d := len(v.words) - len(w.words); d != 0 {
		return d
	}
	return len(v.String()) - len(w.String())
}

// split cuts a text at everything that is neither letter nor digit, and
// between letters and digits; apostrophes vanish. Letters come out in lower
// case.
func split(s string) []string {
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
	for _, r := range s {
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
		case r == '\'' || r == '’':
		default:
			flush()
		}
	}
	flush()
	return words
}

var digitWords = map[string]string{
	"zero": "0", "oh": "0", "o": "0", "nought": "0", "naught": "0",
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
	"six": "6", "seven": "7", "eight": "8", "nine": "9", "niner": "9",
}

var multiples = map[string]int{"double": 2, "triple": 3, "treble": 3}

func isDigits(s string) bool {
	for _, r := range s {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

// Same reports whether two values of one infoType are one piece of
// information: equal in normal form, one said within the other ("Jim" within
// "Jim Halpert", the last digits of a number within the number), or, for names
// of people, organizations and places, words that sound alike (Mark, Marc).
//
// It knows nothing of the call: two people of one name come out as one. Where
// that matters, Piece.Key tells them apart.
func Same(infoType string, a, b Value) bool {
	if a.Empty() || b.Empty() {
		return a.Empty() && b.Empty()
	}
	if infoType == "PERSON_NAME" {
		a, b = a.withoutTitle(), b.withoutTitle()
	}
	if a.compareLength(b) > 0 {
		a, b = b, a
	}
	byEar := spoken[infoType]
	for i := range len(b.words) - len(a.words) + 1 {
		if a.within(b, i, byEar) {
			return true
		}
	}
	// A number told again in part: its last symbols.
	if len(a.words) == 1 && isDigits(a.words[0]) && len(a.words[0]) >= 4 {
		return slices.ContainsFunc(b.words, func(w string) bool {
			return isDigits(w) && strings.HasSuffix(w, a.words[0])
		})
	}
	return false
}

// spoken are the infoTypes that a recogniser spells by ear.
var spoken = map[string]bool{
	"PERSON_NAME": true, "ORGANIZATION_NAME": true, "PRODUCT": true, "LOCATION": true,
	"STREET_ADDRESS": true, "SPELLED_WORD": true, "USER_NAME": true,
}

var titles = map[string]bool{"mr": true, "mrs": true, "ms": true, "miss": true, "mister": true, "missus": true, "dr": true, "doctor": true}

func (v Value) withoutTitle() Value {
	if len(v.words) > 1 && titles[v.words[0]] {
		return Value{words: v.words[1:], sounds: v.sounds[1:]}
	}
	return v
}

// within reports whether v's words are those of w from the i-th on.
func (v Value) within(w Value, i int, byEar bool) bool {
	for k, word := range v.words {
		alike := word == w.words[i+k] || byEar && v.sounds[k] != "" && v.sounds[k] == w.sounds[i+k]
		if !alike {
			return false
		}
	}
	return true
}

// phonetic maps letters that sound alike in English onto one, drops repeated
// and silent ones, and keeps of the vowels the first only, so that mark and
// marc agree while mark and mike do not. Names of other
// languages pass through unchanged but for case, which errs towards counting
// twice.
func phonetic(w string) string {
	w = phoneticPairs.Replace(w)
	var b strings.Builder
	var last rune
	vowel := false
	for i, r := range w {
		switch r {
		case 'c', 'q':
			r = 'k'
		case 'z':
			r = 's'
		case 'v':
			r = 'f'
		case 'y':
			if i > 0 {
				r = 'i'
			}
		}
		switch r {
		case 'a', 'e', 'i', 'o', 'u':
			if vowel {
				last = 0
				continue
			}
			vowel = true
		case 'h', 'w':
			if i > 0 {
				continue
			}
		}
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

var phoneticPairs = strings.NewReplacer(
	"ph", "f", "ck", "k", "gh", "g", "ce", "se", "ci", "si", "cy", "sy", "sch", "sh", "tz", "s", "ks", "x", "kn", "n", "wr", "r", "ei", "i", "ee", "i", "ea", "i", "ie", "i",
)
