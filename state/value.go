package state

import "strings"

// Canonical reduces a value to what its sameness is decided by: ASCII letters
// in upper case and digits. Separators, spaces and signs go away, so that
// "555-0134" and "555 0134" are one value; letters of other scripts stay.
func Canonical(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		b := s[i]
		plain = '0' <= b && b <= '9' || 'A' <= b && b <= 'Z'
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z':
			b.WriteRune(r)
		case 'a' <= r && r <= 'z':
			b.WriteRune(r - 'a' + 'A')
		case r >= 0x80:
			b.WriteRune(r)
		}
	}
	return b.String()
}

const (
	// minSuffix is how many characters of a code must agree when only its end
	// was said ("ending in 0134").
	minSuffix = 4
	// minCross is how many characters two codes must have to be the same
	// information although they were read as two different infoTypes.
	minCross = 6
)

// codeScore tells how well a code agrees with a known one.
func codeScore(e *entity, m *Mention, sameType bool) int {
	loose := e.weak || m.Weak || sameType
	for k, f := range e.aliases {
		switch {
		case f == m.Code:
			if loose || len(f) >= minCross {
				return scoreForm
			}
		case !loose:
		case equalConfused(f, m.Code):
			return scoreJoin
		case k == 0 && (endsWith(f, m.Code) || endsWith(m.Code, f)):
			return scorePart
		}
	}
	return 0
}

// endsWith tells whether the end of a code is b, both mostly digits.
func endsWith(a, b string) bool {
	if len(b) < minSuffix || len(b) >= len(a) || !strings.HasSuffix(a, b) {
		return false
	}
	for i := 0; i < len(b); i++ {
		if b[i] < '0' || b[i] > '9' {
			return false
		}
	}
	return true
}

// equalConfused tells whether two codes differ only in the characters that
// recognisers confuse in a code: O and 0, I and 1.
func equalConfused(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if unconfused(a[i]) != unconfused(b[i]) {
			return false
		}
	}
	return true
}

func unconfused(b byte) byte {
	switch b {
	case 'O':
		return '0'
	case 'I':
		return '1'
	}
	return b
}

// textScore tells how well words agree with a known text: the same, or the
// longer begins with the shorter and that is two words at least.
func textScore(e *entity, form string) int {
	top := 0
	for _, f := range e.aliases {
		switch {
		case f == form:
			return scoreForm
		case sameLetters(f, form):
			top = scoreJoin
		case begins(f, form) || begins(form, f):
			top = max(top, scorePart)
		}
	}
	return top
}

// begins tells whether the first words of a are b, two at least.
func begins(a, b string) bool {
	return len(a) > len(b) && a[:len(b)] == b && a[len(b)] == ' ' && strings.Contains(b, " ")
}

// orgScore tells how well a name agrees with that of a known organization.
// Legal forms are already left out of both.
func orgScore(e *entity, form string) int {
	top := 0
	for _, f := range e.aliases {
		switch {
		case f == form:
			return scoreForm
		case sameLetters(f, form):
			top = scoreJoin
		case begins(f, form) || begins(form, f) || firstWord(f, form) || firstWord(form, f):
			top = max(top, scorePart)
		case !strings.Contains(f, " ") && !strings.Contains(form, " ") && len(form) >= minSuffix && soundAlike(f, form):
			top = max(top, scoreSound)
		}
	}
	return top
}

// firstWord tells whether b is the first word of a and long enough to stand
// for it.
func firstWord(a, b string) bool {
	return len(b) >= 5 && len(a) > len(b) && a[:len(b)] == b && a[len(b)] == ' '
}
