package state

import (
	"strings"
	"unicode/utf8"
)

// Canonical reduces a value to what it is compared by: digits and ASCII letters in upper
// case. It removes separators, spaces and signs, so that "555-0134" and "555 0134" are one
// value, and keeps letters of other scripts.
func Canonical(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		b := s[i]
		plain = '0' <= b && b <= '9' || 'A' <= b && b <= 'Z'
	}
	if plain {
		return s
	}
	var buf [64]byte
	dst := buf[:0]
	for _, r := range s {
		dst = appendCanonical(dst, r)
	}
	return string(dst)
}

// CanonicalBytes is Canonical of a value in bytes.
func CanonicalBytes(value []byte) string {
	var buf [64]byte
	dst := buf[:0]
	for len(value) > 0 {
		r, n := utf8.DecodeRune(value)
		dst, value = appendCanonical(dst, r), value[n:]
	}
	return string(dst)
}

// appendCanonical appends what a character of a value counts as.
func appendCanonical(dst []byte, r rune) []byte {
	switch {
	case '0' <= r && r <= '9', 'A' <= r && r <= 'Z':
		return append(dst, byte(r))
	case 'a' <= r && r <= 'z':
		return append(dst, byte(r-'a'+'A'))
	case r >= utf8.RuneSelf:
		return utf8.AppendRune(dst, r)
	}
	return dst
}

const (
	// minSuffix is how many characters of a code must agree if only its end was said
	// ("ending in 0134").
	minSuffix = 4
	// minCross is how many characters two codes must have to be linked although they were
	// read as different infoTypes: a speaker who repeats a piece of a number means the same one.
	minCross = 3
)

// codeScore scores how well a code agrees with a known one.
func codeScore(e *entity, m *Mention, sameType bool) int {
	loose := e.weak || m.Weak || sameType
	for k := range e.aliases.len() {
		f := e.aliases.at(k)
		switch {
		case f == m.Code:
			if loose || len(f) >= minCross {
				return scoreExact
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

// endsWith reports whether a code ends with b, which is all digits.
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

// equalConfused reports whether two codes differ only in characters that recognizers confuse:
// O and 0, I and 1.
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

// textScore scores how well words agree with a known text: they are the same, or the longer
// begins with the shorter, which has at least two words or is long enough to stand for it.
func textScore(e *entity, form string) int {
	return aliasScore(e, form, func(string) int { return 0 })
}

// aliasScore is textScore with what else makes an alias agree.
func aliasScore(e *entity, form string, otherwise func(alias string) int) int {
	top := 0
	for k := range e.aliases.len() {
		f := e.aliases.at(k)
		switch {
		case f == form:
			return scoreExact
		case sameLetters(f, form):
			top = scoreJoin
		case begins(f, form) || begins(form, f) || firstWord(f, form) || firstWord(form, f):
			top = max(top, scorePart)
		default:
			top = max(top, otherwise(f))
		}
	}
	return top
}

// begins reports whether a begins with the words of b, at least two.
func begins(a, b string) bool {
	return len(a) > len(b) && a[:len(b)] == b && a[len(b)] == ' ' && strings.Contains(b, " ")
}

// orgScore scores how well a name agrees with that of a known organization. Neither contains
// a legal form.
func orgScore(e *entity, form string) int {
	return aliasScore(e, form, func(f string) int {
		switch {
		case firstWord(f, form) || firstWord(form, f):
			return scorePart
		case !strings.Contains(f, " ") && !strings.Contains(form, " ") && len(form) >= minSuffix && soundAlike(f, form):
			return scoreSound
		}
		return 0
	})
}

// firstWord reports whether b is the first word of a, and long enough to stand for it.
func firstWord(a, b string) bool {
	return len(b) >= 5 && len(a) > len(b) && a[:len(b)] == b && a[len(b)] == ' '
}
