package transcript

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strings"
)

// Source is the text of a file with the changes to it. What is not changed keeps its bytes.
type Source struct {
	text  string
	edits []edit
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	with       string
}

// NewSource returns the source with a text.
func NewSource(text string) *Source { return &Source{text: text} }

// Text is the text without the changes.
func (s *Source) Text() string { return s.text }

// Replace replaces the bytes from start to end. Of changes to one place, the last one counts.
// Changes within a place that is replaced as a whole do not count.
func (s *Source) Replace(start, end int, with string) {
	s.edits = append(s.edits, edit{start, end, with})
}

// Changed returns the text with the changes.
func (s *Source) Changed() string {
	edits := slices.Clone(s.edits)
	slices.Reverse(edits) // the last one of equal ones comes first
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out []byte
	at := 0
	for i, e := range edits {
		if e.start < at || i > 0 && e.start == edits[i-1].start && e.end == edits[i-1].end {
			continue
		}
		out = append(append(out, s.text[at:e.start]...), e.with...)
		at = e.end
	}
	return string(append(out, s.text[at:]...))
}

// Setter returns the function that replaces the bytes from start to end.
func (s *Source) Setter(start, end int) func(string) {
	return func(with string) { s.Replace(start, end, with) }
}

// Encode is Changed in the form of Document.Encode.
func (s *Source) Encode() ([]byte, error) { return []byte(s.Changed()), nil }

// Line is a line of a text, without its line break, and where it is.
type Line struct {
	Text  string
	Start int
}

// Lines splits a text, whatever its line breaks.
func Lines(s string) (all []Line) {
	for start := 0; ; {
		n := strings.IndexAny(s[start:], "\r\n")
		if n < 0 {
			return append(all, Line{s[start:], start})
		}
		all = append(all, Line{s[start : start+n], start})
		if strings.HasPrefix(s[start+n:], "\r\n") {
			n++
		}
		start += n + 1
	}
}

// Attribute returns an attribute of an element of XML, "" if it has none of that name.
func Attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
