// Package lookalike escapes text that looks like a tag, [PERSON_NAME_1], or like an annotation,
// (words)[MISSED_SSN], so that a speaker cannot forge what Sotto or an annotator writes.
//
// A backslash after the opening bracket marks it: [\PERSON_NAME_1]. If there are backslashes
// already, it is one more, so that Unescape restores any text exactly. What looks like a tag
// depends on its form alone, and not on which infoTypes are configured:
//
//   - in square brackets, a word of letters, digits and underscores that begins with a letter and
//     either is all in capitals or has an underscore
//   - in square brackets or parentheses, what begins with MISSED_ in any case, or with MISSED and
//     a space or hyphen
//
// Full-width forms and letters that look like Latin ones count as these, and invisible
// characters do not count.
package lookalike

import (
	"strings"
	"unicode/utf8"

	"sotto/detectors"
)

// Mark is what escapes a look-alike.
const Mark = '\\'

// Match is a look-alike in a text, escaped or not.
type Match struct {
	// Inside is the byte offset after its opening bracket.
	Inside int
	// Marks counts the marks there; without any, it is not escaped.
	Marks int
}

// Find returns the look-alikes of a text in order.
func Find(text string) []Match { return AppendMatches(nil, text) }

// AppendMatches appends the look-alikes of a text, in order, to found.
func AppendMatches(found []Match, text string) []Match {
	for i := firstOpening(text); i < len(text); {
		if c := text[i]; c != '[' && c != '(' && c != fullWidth {
			i++
			continue
		}
		n, square := opening(text[i:])
		if n == 0 {
			i++
			continue
		}
		i += n
		m := Match{Inside: i}
		for i < len(text) && text[i] == Mark {
			i++
		}
		m.Marks = i - m.Inside
		if isBody(text[i:], square) {
			found = append(found, m)
		}
	}
	return found
}

// firstOpening returns a byte offset before which a text has no opening bracket.
func firstOpening(text string) int {
	first := len(text)
	for _, c := range [...]byte{'[', '(', fullWidth} {
		if i := strings.IndexByte(text[:first], c); i >= 0 {
			first = i
		}
	}
	return first
}

// fullWidth is the first byte of full-width forms.
const fullWidth = 0xEF

// opening returns the length of the opening bracket that a text begins with, 0 if it begins with
// none.
func opening(s string) (n int, square bool) {
	for _, bracket := range [...]string{"[", "［", "(", "（"} {
		if strings.HasPrefix(s, bracket) {
			return len(bracket), bracket == "[" || bracket == "［"
		}
	}
	return 0, false
}

const missed = "missed"

// word is what follows a bracket, read rune by rune.
type word struct {
	length               int
	capitals, underscore bool
	// missed reports whether the word is the beginning of "missed", in any case, or all of it.
	missed bool
}

// isBody reports whether s begins with what makes a bracket a look-alike. It never looks beyond
// the next opening bracket, so that Find takes linear time.
func isBody(s string, square bool) bool {
	w := word{capitals: true, missed: true}
	for _, r := range s {
		c, upper, visible := detectors.FoldRune(r)
		if !visible {
			continue
		}
		letter := 'a' <= c && c <= 'z'
		if !letter && (w.length == 0 || c != '_' && (c < '0' || c > '9')) {
			return w.endsWith(c, square)
		}
		if c == '_' && w.isMissed() {
			return true
		}
		w.missed = w.missed && w.length < len(missed) && c == rune(missed[w.length])
		w.capitals = w.capitals && (upper || !letter)
		w.underscore = w.underscore || c == '_'
		w.length++
	}
	return false
}

func (w *word) isMissed() bool { return w.missed && w.length == len(missed) }

// endsWith reports whether the word is a look-alike now that c follows, which is no part of it.
func (w *word) endsWith(c rune, square bool) bool {
	if w.isMissed() && w.capitals && (c == ' ' || c == '-') {
		return true
	}
	return square && c == ']' && w.length > 0 && (w.capitals || w.underscore)
}

// Escape marks the look-alikes of a text.
func Escape(text string) string {
	return EscapeAt(text, Find(text))
}

// EscapeAt marks some of the look-alikes of a text, which are in order.
func EscapeAt(text string, matches []Match) string {
	if len(matches) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(matches))
	at := 0
	for _, m := range matches {
		b.WriteString(text[at:m.Inside])
		b.WriteByte(Mark)
		at = m.Inside
	}
	b.WriteString(text[at:])
	return b.String()
}

// Unescape undoes Escape. Text that Escape did not return stays as it is, except that its marks
// are taken for those of Escape.
func Unescape(text string) string {
	original, _ := UnescapeAt(text)
	return original
}

// UnescapeAt is Unescape, and returns the positions of the marks that it removes, in code points
// of text.
func UnescapeAt(text string) (original string, marks []int) {
	matches := Find(text)
	if len(matches) == 0 {
		return text, nil
	}
	var b strings.Builder
	b.Grow(len(text))
	at, points := 0, 0
	for _, m := range matches {
		points += utf8.RuneCountInString(text[at:m.Inside])
		b.WriteString(text[at:m.Inside])
		at = m.Inside
		if m.Marks > 0 {
			marks = append(marks, points)
			points++
			at++
		}
	}
	b.WriteString(text[at:])
	return b.String(), marks
}
