package schemas

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// appendLong writes Avro's int or long: zigzag, then base 128.
func appendLong(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendDouble(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		// As encoding/json does it: one U+FFFD for each bad byte.
		s = string([]rune(s))
	}
	b = appendLong(b, int64(len(s)))
	return append(b, s...)
}

// JSON is what encoding/json writes for the same event without HTML escaping, byte for byte, with
// three deliberate differences: the text of an utterance is written even when it is empty, and absent
// entities and counts are written as empty ones and not as null. Tests compare the two.

func isFinite(f float64) bool { return f-f == 0 }

func appendQuoted(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var escaped bytes.Buffer
	e := json.NewEncoder(&escaped)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no error
	return append(b, bytes.TrimSuffix(escaped.Bytes(), []byte("\n"))...)
}

// isPlain reports whether nothing of a text must be escaped.
func isPlain(s string) bool {
	ascii := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.ValidString(s) && !strings.ContainsAny(s, "\u2028\u2029")
}

// appendFloat writes a number as ECMAScript does, which is what encoding/json
// follows.
func appendFloat(b []byte, f float64) []byte {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		e, _ := json.Marshal(f) // a finite number has no error
		return append(b, e...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}
