package schemas

import (
	"encoding/binary"
	"math"
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
