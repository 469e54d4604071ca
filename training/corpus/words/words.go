// Package words splits transcripts into the words that the tools for training data count, mask,
// predict and export. A tag of Sotto, or another marker in square brackets such as [MASK], is one
// word.
package words

import (
	"regexp"
	"unicode/utf8"

	"sotto/detectors"
)

// Mask is the marker of a masked word.
const Mask = "[MASK]"

// Word is one word of a text. Start and End are byte offsets.
type Word struct {
	Start, End int
	// Text is the word in lower case and without accents, or the marker as it stands.
	Text string
	// Hash is that of detectors.Token: 0 for a number or a marker.
	Hash uint64
	// Class is that of the token, detectors.Other for a marker.
	Class detectors.Class
	// Marker reports that it stands for something that was masked.
	Marker bool
}

// Splitter splits texts. It is reused, and not safe for concurrent use.
type Splitter struct {
	doc   detectors.Document
	words []Word
}

// Split returns the words of a text. Punctuation marks and symbols are left out. The result is
// valid until the next call.
func (s *Splitter) Split(text string) []Word {
	s.doc.Reset(text)
	s.words = s.words[:0]
	end := 0 // of the last marker
	for i := range s.doc.Tokens {
		t := &s.doc.Tokens[i]
		start := int(t.Start)
		if start < end {
			continue
		}
		if n := len(atMarker.FindString(text[start:])); n > 0 {
			end = start + n
			s.words = append(s.words, Word{Start: start, End: end, Text: text[start:end], Class: detectors.Other, Marker: true})
			continue
		}
		if t.Class == detectors.Punct || t.Class == detectors.Other {
			continue
		}
		s.words = append(s.words, Word{Start: start, End: int(t.End), Text: string(s.doc.Word(i)), Hash: t.Hash, Class: t.Class})
	}
	return s.words
}

// RuneOffset makes a count of code points of a byte offset into the text that was split last.
func (s *Splitter) RuneOffset(b int) int { return s.doc.RuneOffset(b) }

// Marker is a tag of Sotto, or another marker.
var Marker = regexp.MustCompile(`\[[A-Z][A-Z0-9_]*\]`)

var atMarker = regexp.MustCompile(`^` + Marker.String())

// Texts returns the words of a text as strings, markers included.
func (s *Splitter) Texts(text string) []string {
	split := s.Split(text)
	out := make([]string, len(split))
	for i := range split {
		out[i] = split[i].Text
	}
	return out
}

// Markers returns where the markers of a text begin and end, in code points.
func Markers(text string) (all [][2]int) {
	for _, at := range Marker.FindAllStringIndex(text, -1) {
		start := utf8.RuneCountInString(text[:at[0]])
		all = append(all, [2]int{start, start + at[1] - at[0]}) // it is ASCII
	}
	return all
}
