package anonymize

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/detectors"
)

// readable is a text as the encoder reads it: digits and letters of any script that look like ASCII ones, and what is written with
// characters that nobody sees, as the detectors read them. It keeps its memory between texts.
type readable struct {
	text string
	// stretches tell where the text comes from, in order; none if it is the text of the event.
	stretches []stretch
	buffer    []byte
}

// stretch is a part of a readable text, which begins there at byte at, and the part of the event's text that it stands for. Where the
// two are not the same, folded is set.
type stretch struct {
	at, raw, rawEnd int
	folded          bool
}

// of makes r the readable form of a document's text.
func (r *readable) of(d *detectors.Document) {
	r.stretches = r.stretches[:0]
	if r.text = d.Text; d.IsASCII() {
		return
	}
	r.buffer = r.buffer[:0]
	add := func(raw, rawEnd int, text []byte) {
		if raw < rawEnd {
			r.stretches = append(r.stretches, stretch{len(r.buffer), raw, rawEnd, text != nil})
			if text == nil {
				r.buffer = append(r.buffer, d.Text[raw:rawEnd]...)
			} else {
				r.buffer = append(r.buffer, text...)
			}
		}
	}
	at := 0
	for i := range d.Tokens {
		start, end := int(d.Tokens[i].Start), int(d.Tokens[i].End)
		add(at, start, nil)
		add(start, end, foldedWord(d, i))
		at = end
	}
	add(at, len(d.Text), nil)
	r.text = string(r.buffer)
}

// foldedWord returns a word as the detectors read it, with its case, nil if it is in ASCII.
func foldedWord(d *detectors.Document, i int) []byte {
	raw, folded := d.Raw(i), d.Word(i)
	first, _ := utf8.DecodeRuneInString(raw)
	switch {
	case strings.IndexFunc(raw, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 || len(folded) == 0:
		return nil
	case !unicode.IsUpper(first):
		return folded
	case len(folded) > 1 && strings.IndexFunc(raw, unicode.IsLower) < 0:
		return bytes.ToUpper(folded)
	}
	return slices.Concat(bytes.ToUpper(folded[:1]), folded[1:])
}

// raw returns where a part of the readable text is in the event's text.
func (r *readable) raw(start, end int) (rawStart, rawEnd int) {
	if len(r.stretches) == 0 {
		return start, end
	}
	s, e := r.stretches[r.find(start)], r.stretches[r.find(end-1)]
	rawStart, rawEnd = s.raw, e.rawEnd
	if !s.folded {
		rawStart += start - s.at
	}
	if !e.folded {
		rawEnd = e.raw + end - e.at
	}
	return rawStart, rawEnd
}

// find returns the stretch that a byte of the readable text is in.
func (r *readable) find(at int) int {
	i, found := slices.BinarySearchFunc(r.stretches, at, func(s stretch, at int) int { return s.at - at })
	if !found {
		i--
	}
	return i
}
