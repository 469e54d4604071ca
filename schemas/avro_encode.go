package schemas

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// The generated encoders write the bodies of our own, current schemas with the functions of this
// file, field by field in the order of the .avsc files. Tests compare them with goavro, which would
// need a map for every record.

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

// appendOptString writes ["null", "string"]. An empty string is null, because the Go types do not
// distinguish the two.
func appendOptString(b []byte, s string) []byte {
	if s == "" {
		return appendLong(b, 0)
	}
	return appendString(appendLong(b, 1), s)
}

func appendOptLong(b []byte, v *int64) []byte {
	if v == nil {
		return appendLong(b, 0)
	}
	return appendLong(appendLong(b, 1), *v)
}

func appendOptInt(b []byte, v *int) []byte {
	if v == nil {
		return appendLong(b, 0)
	}
	return appendLong(appendLong(b, 1), int64(*v))
}

// appendLongOrNull writes ["null", "long"] with 0 as null.
func appendLongOrNull(b []byte, v int64) []byte {
	if v == 0 {
		return appendLong(b, 0)
	}
	return appendLong(appendLong(b, 1), v)
}

func appendStrings(b []byte, list []string) []byte {
	if len(list) > 0 {
		b = appendLong(b, int64(len(list)))
		for _, s := range list {
			b = appendString(b, s)
		}
	}
	return appendLong(b, 0)
}
