package state

import (
	"strings"
	"unicode/utf8"

	"sotto/state/linking"
)

// Canonical reduces a value to what it is compared by: digits and ASCII letters in upper
// case. It removes separators, spaces and signs, so that "555-0134" and "555 0134" are one
// value, and keeps letters of other scripts.
func Canonical[T string | []byte](value T) string {
	plain := true
	for i := 0; i < len(value) && plain; i++ {
		b := value[i]
		plain = '0' <= b && b <= '9' || 'A' <= b && b <= 'Z'
	}
	if plain {
		return string(value)
	}
	var buf [64]byte
	dst := buf[:0]
	for _, r := range string(value) {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z':
			dst = append(dst, byte(r))
		case 'a' <= r && r <= 'z':
			dst = append(dst, byte(r-'a'+'A'))
		case r >= utf8.RuneSelf:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return string(dst)
}

const (
	// minSuffix is how many characters of a code must agree if only its end was said
	// ("ending in 0134"), or its beginning, before all of it.
	minSuffix = 4
	// minCross is how many characters two codes must have to be linked although they were
	// read as different infoTypes: a speaker who repeats a piece of a number means the same one.
	minCross = 3
)

// The scores by which a code or a text is linked. Only their order matters.
const (
	scoreExact = 100 // it is an alias
	scoreJoin  = 90  // an alias, differently divided into words or with characters that are confused
	scorePart  = 60  // part of an alias, or the reverse
	scoreSound = 30  // it sounds like an alias
)

func codeScore(e *entity, m *Mention, sameType bool) int {
	loose := e.Weak || m.Weak || sameType
	for k := range e.Aliases.Len() {
		f := e.Aliases.At(k)
		switch {
		case f == m.Code:
			if loose || len(f) >= minCross {
				return scoreExact
			}
		case !loose:
		case len(f) == len(m.Code) && confused.Replace(f) == confused.Replace(m.Code):
			return scoreJoin
		case k == 0 && (endsWith(f, m.Code) || endsWith(m.Code, f) || beginsWith(f, m.Code) || beginsWith(m.Code, f)):
			return scorePart
		}
	}
	return 0
}

// endsWith reports whether a code ends with b, which is all digits.
func endsWith(a, b string) bool {
	return len(b) >= minSuffix && len(b) < len(a) && strings.HasSuffix(a, b) && digits(b)
}

// beginsWith reports whether a code begins with b, which is mostly digits, and goes on for more than one character:
// with one more, it may be corrected. What is mostly letters may be the names of two people.
func beginsWith(a, b string) bool {
	n := 0 // digits
	for _, c := range []byte(b) {
		if '0' <= c && c <= '9' {
			n++
		}
	}
	return len(b) >= minSuffix && 2*n > len(b) && len(b)+1 < len(a) && strings.HasPrefix(a, b)
}

// confused maps the characters that recognizers confuse: O and 0, I and 1.
var confused = strings.NewReplacer("O", "0", "I", "1")

// textScore scores how well words agree with a known text: they are the same, or the longer
// begins with the shorter, which has at least two words or is long enough to stand for it. byEar
// says that a single word that sounds alike agrees, too.
func textScore(e *entity, form string, byEar bool) int {
	top := 0
	for k := range e.Aliases.Len() {
		f := e.Aliases.At(k)
		switch {
		case f == form:
			return scoreExact
		case linking.SameLetters(f, form):
			top = scoreJoin
		case begins(f, form) || begins(form, f):
			top = max(top, scorePart)
		case byEar && !strings.Contains(f, " ") && !strings.Contains(form, " ") && len(form) >= minSuffix && linking.SoundAlike(f, form):
			top = max(top, scoreSound)
		}
	}
	return top
}

// begins reports whether a begins with the words of b, which are at least two or long enough to stand for it.
func begins(a, b string) bool {
	return len(a) > len(b) && a[:len(b)] == b && a[len(b)] == ' ' && (strings.Contains(b, " ") || len(b) >= 5)
}
