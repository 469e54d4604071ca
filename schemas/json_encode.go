package schemas

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// JSON is what encoding/json writes for the same event without HTML escaping, byte for byte, with
// three deliberate differences: the text of an utterance is written even when it is empty, and absent
// entities and counts are written as empty ones and not as null. Tests compare the two.

// isFinite is false for NaN and the infinities.
func isFinite(f float64) bool { return f-f == 0 }

const hexDigits = "0123456789abcdef"

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0 // of what is not yet written
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		var r rune
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		b = appendEscape(append(b, s[start:i]...), c, r)
		i += size
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// appendEscape writes the escape of a byte c or, where that begins a rune of several, of r.
func appendEscape(b []byte, c byte, r rune) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	switch {
	case c < ' ':
		return append(append(b, `\u00`...), hexDigits[c>>4], hexDigits[c&0xF])
	case r == utf8.RuneError:
		return append(b, `\ufffd`...)
	}
	// Line and paragraph separator, which end a line in older JavaScript.
	return append(append(b, `\u202`...), hexDigits[r&0xF])
}

// appendFloat writes a number as ECMAScript does, which is what encoding/json
// follows.
func appendFloat(b []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		b = strconv.AppendFloat(b, f, 'e', -1, 64)
		// e-09 is written e-9.
		if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
		return b
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}
