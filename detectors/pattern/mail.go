package pattern

import (
	"strings"

	d "sotto/detectors"
)

// maxLocal bounds the tokens of the part before the @.
const maxLocal = 96

// mailAt reads the address around the @ at token k, and returns the token after it; 0 when there is none.
func mailAt(doc *d.Document, k int, s *scan) int {
	if k+1 >= len(doc.Tokens) || doc.Tokens[k+1].Class == d.Punct {
		return 0
	}
	first, h := localBefore(doc, k), &s.host
	switch {
	case !readHost(doc, k+1, h):
		if !doc.Tokens[k+1].Glued() {
			return 0
		}
		return s.mailWithoutSuffix(doc, first, k)
	case first < k:
		s.addMail(doc, first, k, h.end, h.bytes(), d.ByStructure|d.ByList, 0.98)
	default: // a part before it that was spelled badly is missing
		s.addMail(doc, k, k, h.end, h.bytes(), d.ByStructure|d.Partial, 0.85)
	}
	return h.end
}

// localBefore returns the first token of the part of an address before the @ at token k; k when there is none.
func localBefore(doc *d.Document, k int) int {
	first := k
	for first > 0 && (first == k || doc.Tokens[first].Glued()) && k-first < maxLocal && (isWordOrNumber(&doc.Tokens[first-1]) || localMark(doc.Tokens[first-1].Ch) && doc.Tokens[first-1].Class == d.Punct) {
		first--
	}
	for first < k && doc.Tokens[first].Class == d.Punct {
		first++
	}
	return first
}

// localMark reports whether a mark may be inside of a local part.
func localMark(ch byte) bool { return strings.IndexByte("._-+'&%#!~*", ch) >= 0 }

// mailWithoutSuffix reads "john@company" and the handle "@john", whose @ is token k.
func (s *scan) mailWithoutSuffix(doc *d.Document, first, k int) int {
	end := k + 2
	for end+1 < len(doc.Tokens) && doc.Tokens[end].Glued() && (doc.Tokens[end].Class != d.Punct || doc.Tokens[end+1].Glued() && localMark(doc.Tokens[end].Ch)) {
		end++
	}
	if first < k && doc.Tokens[k].Glued() {
		s.addMail(doc, first, k, end, doc.Word(k+1), d.ByShape|d.ByStructure, 0.7)
		return end
	}
	add(doc, k, end, d.Finding{Type: d.UserName, Value: codeOf(doc, k+1, end), Score: 0.75, Detector: "mail", Evidence: d.ByStructure})
	return end
}

// addMail adds the address whose local part begins at token first, whose @ is
// token at, and which ends before token end.
func (s *scan) addMail(doc *d.Document, first, at, end int, name []byte, e d.Evidence, score float32) {
	value := appendLocal(s.value[:0], doc, first, at)
	value = append(value, '@')
	value = append(value, name...)
	s.value = value
	add(doc, first, end, d.Finding{Type: d.EmailAddress, Value: string(value), Score: score, Detector: "mail", Evidence: e})
}

// appendLocal appends the words, numbers and marks of the tokens from first to end.
func appendLocal(b []byte, doc *d.Document, first, end int) []byte {
	for i := first; i < end; i++ {
		if t := &doc.Tokens[i]; t.Class != d.Punct {
			b = append(b, doc.Word(i)...)
		} else if localMark(t.Ch) {
			b = append(b, t.Ch)
		}
	}
	return b
}

// codeOf is what the tokens spell, as a string.
func codeOf(doc *d.Document, first, end int) string {
	var buf [128]byte
	return string(appendLocal(buf[:0], doc, first, end))
}
