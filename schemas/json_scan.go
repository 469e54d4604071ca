package schemas

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonReader reads one JSON text (RFC 8259), stricter than encoding/json where
// that would guess: names are matched as they are written, half a surrogate
// pair is an error, and so is a known field that occurs twice. The text must be
// valid UTF-8. The first failure stays in reason; after it every read returns
// zero and ends its loop, so that callers need to look once at the end.
type jsonReader struct {
	data   []byte
	pos    int
	depth  int
	reason string // empty: none
}

// newJSONReader returns a reader of the JSON text of an event, which is an object.
func newJSONReader(data []byte) (jsonReader, error) {
	r := jsonReader{data: data}
	// One pass over the whole is cheaper than a check for every string, and
	// skipped fields are covered too.
	if !utf8.Valid(data) {
		return r, bad(ReasonInvalidUTF8)
	}
	if r.peek() != '{' {
		return r, bad(ReasonUnknownFormat)
	}
	return r, nil
}

func (r *jsonReader) fail(reason string) {
	if r.reason == "" {
		r.reason = reason
	}
	r.pos = len(r.data)
}

func (r *jsonReader) end() error {
	if r.space(); r.reason == "" && r.pos < len(r.data) {
		r.reason = ReasonTrailingData
	}
	if r.reason != "" {
		return bad(r.reason)
	}
	return nil
}

func (r *jsonReader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// peek returns the first byte of the next token, 0 at the end.
func (r *jsonReader) peek() byte {
	r.space()
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

// accept takes c if it comes next.
func (r *jsonReader) accept(c byte) bool {
	if r.peek() != c || r.pos >= len(r.data) {
		return false
	}
	r.pos++
	return true
}

func (r *jsonReader) expect(c byte) {
	if !r.accept(c) {
		r.fail(ReasonInvalidJSON)
	}
}

func (r *jsonReader) literal(word string) bool {
	if len(r.data)-r.pos < len(word) || string(r.data[r.pos:r.pos+len(word)]) != word {
		return false
	}
	r.pos += len(word)
	return true
}

// null reads a null if it comes next, and reports whether it did.
func (r *jsonReader) null() bool { return r.peek() == 'n' && r.literal("null") }

// enter opens an object or an array with c and reports whether it did. If not, the next value is of
// another type.
func (r *jsonReader) enter(c byte) bool {
	if !r.accept(c) {
		r.wrongType()
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.fail(ReasonTooDeep)
		return false
	}
	return true
}

// object reads an object and calls field for each name; field must read the
// value. The name is valid during the call, until the value is read.
func (r *jsonReader) object(field func(name []byte)) {
	r.sequence('{', '}', func() {
		r.space()
		name := r.string()
		if r.expect(':'); r.reason == "" {
			field(name)
		}
	})
}

// array reads an array and calls item for each of its values, which it must
// read.
func (r *jsonReader) array(item func()) { r.sequence('[', ']', item) }

func (r *jsonReader) sequence(begin, end byte, item func()) {
	if !r.enter(begin) {
		return
	}
	if !r.accept(end) {
		for r.reason == "" {
			item()
			if r.accept(end) {
				break
			}
			r.expect(',')
		}
	}
	r.depth--
}

// string reads a string. What it returns is valid until the next string is read.
func (r *jsonReader) string() []byte {
	if r.pos >= len(r.data) || r.data[r.pos] != '"' {
		r.fail(ReasonInvalidJSON)
		return nil
	}
	r.pos++
	start := r.pos
	for i := start; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			r.pos = i + 1
			return r.data[start:i]
		case c == '\\':
			r.pos = i
			return r.escaped(start)
		case c < ' ':
			r.fail(ReasonInvalidJSON)
			return nil
		}
	}
	r.fail(ReasonInvalidJSON)
	return nil
}

// escaped continues a string that began at start, from its first backslash.
func (r *jsonReader) escaped(start int) []byte {
	end := r.pos
	for end < len(r.data) && r.data[end] != '"' {
		if r.data[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(r.data) {
		r.fail(ReasonInvalidJSON)
		return nil
	}
	quoted := r.data[start-1 : end+1]
	r.pos = end + 1
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		r.fail(ReasonInvalidJSON)
		return nil
	}
	// encoding/json reads half a surrogate pair as U+FFFD.
	if strings.Count(s, "\uFFFD") > bytes.Count(quoted, []byte("\uFFFD"))+len(replacement.FindAll(quoted, -1)) {
		r.fail(ReasonInvalidUTF8)
	}
	return []byte(s)
}

// replacement is U+FFFD as an escape.
var replacement = regexp.MustCompile(`(?i)\\ufffd`)

// number reads a number and returns it as it is written, nothing if another value or none comes next.
func (r *jsonReader) number() []byte {
	if c := r.peek(); c != '-' && (c < '0' || c > '9') {
		r.wrongType()
		return nil
	}
	start := r.pos
	for r.pos < len(r.data) && strings.IndexByte("+-.0123456789eE", r.data[r.pos]) >= 0 {
		r.pos++
	}
	text := r.data[start:r.pos]
	if !json.Valid(text) {
		r.fail(ReasonInvalidJSON)
		return nil
	}
	return text
}

// skip reads any value.
func (r *jsonReader) skip() {
	switch c := r.peek(); {
	case c == '{':
		r.object(func([]byte) { r.skip() })
	case c == '[':
		r.array(r.skip)
	case c == '"':
		r.string()
	case c == '-' || '0' <= c && c <= '9':
		r.number()
	case c == 't' && r.literal("true"), c == 'f' && r.literal("false"), c == 'n' && r.literal("null"):
	default:
		r.fail(ReasonInvalidJSON)
	}
}

// text reads a string or null, which is an absent one.
func (r *jsonReader) text() []byte {
	if r.null() {
		return nil
	}
	if r.peek() != '"' {
		r.wrongType()
		return nil
	}
	return r.string()
}

// wrongType fails because of the value that comes next; if even its grammar is
// wrong, that is the reason.
func (r *jsonReader) wrongType() {
	r.skip()
	r.fail(ReasonWrongType)
}

func (r *jsonReader) long() int64 {
	v, err := strconv.ParseInt(string(r.number()), 10, 64)
	if err != nil { // a number with a fraction or an exponent is none
		r.fail(ReasonWrongType)
		return 0
	}
	return v
}

func (r *jsonReader) bool() bool {
	r.space()
	if r.literal("true") {
		return true
	}
	if !r.literal("false") {
		r.wrongType()
	}
	return false
}

func (r *jsonReader) double() float64 {
	v, err := strconv.ParseFloat(string(r.number()), 64)
	if err != nil {
		r.fail(ReasonWrongType)
		return 0
	}
	return v
}
