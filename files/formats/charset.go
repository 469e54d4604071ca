package formats

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// ErrBinary means that a file is no text in an encoding that is known.
var ErrBinary = errors.New("it is binary, not a text; give a transcript, or Parquet")

// charset is the encoding of a text and its byte order mark.
type charset struct {
	mark     []byte
	encoding encoding.Encoding // nil for UTF-8
}

var (
	utf8Mark    = []byte{0xEF, 0xBB, 0xBF}
	littleMark  = []byte{0xFF, 0xFE}
	bigMark     = []byte{0xFE, 0xFF}
	utf16Little = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16Big    = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

// decode returns a text as UTF-8 without byte order mark. UTF-16 is recognized by its mark, or by
// its zero bytes; what is not UTF-8 otherwise is Latin-1, as Windows writes it.
func decode(data []byte) (string, charset, error) {
	c := charset{}
	switch {
	case bytes.HasPrefix(data, utf8Mark):
		c.mark = utf8Mark
	case bytes.HasPrefix(data, littleMark):
		c = charset{littleMark, utf16Little}
	case bytes.HasPrefix(data, bigMark):
		c = charset{bigMark, utf16Big}
	case everySecondZero(data, 1):
		c.encoding = utf16Little
	case everySecondZero(data, 0):
		c.encoding = utf16Big
	case !utf8.Valid(data):
		c.encoding = charmap.Windows1252
	}
	data = data[len(c.mark):]
	if c.encoding != nil {
		decoded, err := c.encoding.NewDecoder().Bytes(data)
		if err != nil {
			return "", c, ErrBinary
		}
		data = decoded
	}
	if isBinary(data) {
		return "", c, ErrBinary
	}
	return string(data), c, nil
}

// encode returns a text in the encoding in which it was read. What the encoding lacks becomes a
// question mark.
func (c charset) encode(text []byte) ([]byte, error) {
	if c.encoding != nil {
		var err error
		if text, _, err = transform.Bytes(encoding.ReplaceUnsupported(c.encoding.NewEncoder()), text); err != nil {
			return nil, err
		}
	}
	return append(bytes.Clone(c.mark), text...), nil
}

// everySecondZero reports whether most bytes of the beginning at even positions (offset 0) or at odd
// ones (offset 1) are 0, and few of the others.
func everySecondZero(data []byte, offset int) bool {
	data = data[:min(len(data), 1024)&^1]
	zero, other := 0, 0
	for i, b := range data {
		if b != 0 {
			continue
		}
		if i%2 == offset {
			zero++
		} else {
			other++
		}
	}
	return len(data) >= 4 && zero*10 >= len(data)/2*9 && other*20 <= len(data)
}

// isBinary reports whether a text has characters that no text has.
func isBinary(text []byte) bool {
	control := 0
	for _, b := range text {
		if b == 0 {
			return true
		}
		if b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1B {
			control++
		}
	}
	return control*100 > len(text) || bytes.Count(text, []byte("\uFFFD"))*30 > len(text)
}
