// Package mask hides words of transcripts by the techniques of "Recovering from Privacy-Preserving
// Masking with Large Language Models" (Vats et al.), and measures what each of them hides and leaves.
package mask

import (
	"slices"
	"strings"

	"sotto/detectors/allowlist"
	"sotto/internal/gold"
	"sotto/training/corpus/words"
)

// The techniques.
const (
	AllowList  = allowlist.Common
	Vocabulary = allowlist.Vocabulary
	Entity     = "entity"
)

// Masker masks texts. It is not safe for concurrent use.
type Masker struct {
	// Keep is the list of the words that stay; nil if all do.
	Keep     *allowlist.List
	splitter words.Splitter
}

// hide returns the words of a text, and which of them are hidden: those that Keep does not keep,
// those that a finding touches, and markers, which hide something already.
func (m *Masker) hide(text string, found []gold.Span) ([]words.Word, []bool) {
	split := m.splitter.Split(text)
	hidden := make([]bool, len(split))
	for i := range split {
		w := &split[i]
		hidden[i] = w.Marker || m.Keep != nil && !m.Keep.Keeps(w.Class, w.Hash) ||
			slices.ContainsFunc(found, func(s gold.Span) bool { return m.touches(s, w) })
	}
	return split, hidden
}

func (m *Masker) touches(s gold.Span, w *words.Word) bool {
	return s.Start < m.splitter.RuneOffset(w.End) && m.splitter.RuneOffset(w.Start) < s.End
}

// Mask returns the text with words.Mask for each hidden word.
func (m *Masker) Mask(text string, found []gold.Span) string {
	split, hidden := m.hide(text, found)
	var b strings.Builder
	at := 0
	for i, w := range split {
		if hidden[i] {
			b.WriteString(text[at:w.Start])
			b.WriteString(words.Mask)
			at = w.End
		}
	}
	b.WriteString(text[at:])
	return b.String()
}

// Tally is what a technique hides of a set.
type Tally struct {
	Words  int `json:"words"`
	Masked int `json:"masked"`
	// Direct counts labelled identifiers, Partial those of which a word stays, and Left those of
	// which nothing is hidden.
	Direct  int `json:"direct_identifiers"`
	Partial int `json:"partly_left"`
	Left    int `json:"left"`
}

// Add counts a text with its labelled identifiers.
func (t *Tally) Add(m *Masker, text string, found, labelled []gold.Span) {
	split, hidden := m.hide(text, found)
	t.Words += len(split)
	for _, h := range hidden {
		if h {
			t.Masked++
		}
	}
	for _, s := range labelled {
		in, left := 0, 0
		for i := range split {
			if m.touches(s, &split[i]) {
				in++
				if !hidden[i] {
					left++
				}
			}
		}
		if in == 0 {
			continue // punctuation only
		}
		t.Direct++
		switch left {
		case 0:
		case in:
			t.Left++
		default:
			t.Partial++
		}
	}
}
