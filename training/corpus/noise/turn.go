package noise

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"sotto/internal/gold"
)

// turn is an utterance as words. A turn that cannot be taken apart keeps its utterance as it is;
// it has no words, and only its speaker may change.
type turn struct {
	speaker string
	words   []word
	kept    *gold.Utterance
	// formatted: it had capital letters or punctuation to begin with.
	formatted bool
}

// word is a stretch of text without white space, which a label covers wholly or not at all.
type word struct {
	text string
	// label is nil outside of labels. Words next to each other with one label are one span; a label
	// whose words do not touch becomes several spans.
	label *label
	// glued: no white space stands before it. The first word of a turn never is.
	glued bool
}

type label struct {
	infoType  string
	ofSpeaker bool
}

func wordsOf(text string) (words []word) {
	for w := range strings.FieldsSeq(text) {
		words = append(words, word{text: w})
	}
	return words
}

func (w *word) is(infoTypes ...string) bool {
	return w.label != nil && slices.Contains(infoTypes, w.label.infoType)
}

// takeApart makes words of an utterance. Spans that overlap or hold nothing but white space cannot
// be expressed by words.
func takeApart(u *gold.Utterance) turn {
	spans := slices.SortedStableFunc(slices.Values(u.Entities), func(a, b gold.Span) int {
		return cmp.Or(a.Start-b.Start, a.End-b.End)
	})
	kept := turn{speaker: u.Speaker, kept: u}
	text := []rune(u.Text)
	var words []word
	at, space := 0, false // space: white space ends what was read so far
	read := func(piece []rune, l *label) {
		for i := 0; i < len(piece); {
			from := i
			for i < len(piece) && !unicode.IsSpace(piece[i]) {
				i++
			}
			if i > from {
				words, space = append(words, word{text: string(piece[from:i]), label: l, glued: !space}), false
				continue
			}
			space = true
			i++
		}
	}
	for _, s := range spans {
		if s.Start < at {
			return kept
		}
		read(text[at:s.Start], nil)
		before := len(words)
		read(text[s.Start:s.End], &label{s.Type, s.OfSpeaker})
		if len(words) == before {
			return kept
		}
		at = s.End
	}
	read(text[at:], nil)
	if len(words) == 0 {
		return kept
	}
	words[0].glued = false
	formatted := strings.ContainsFunc(u.Text, unicode.IsUpper) || strings.ContainsAny(u.Text, ".?!")
	return turn{speaker: u.Speaker, words: words, formatted: formatted}
}

// utterance puts the words together again.
func (t *turn) utterance() gold.Utterance {
	if t.kept != nil {
		u := *t.kept
		u.Speaker = t.speaker
		u.Entities = slices.Clone(u.Entities)
		return u
	}
	u := gold.Utterance{Speaker: t.speaker}
	var text strings.Builder
	points := 0
	var last *label
	for i := range t.words {
		w := &t.words[i]
		if i > 0 && !w.glued {
			text.WriteByte(' ')
			points++
		}
		start := points
		text.WriteString(w.text)
		points += len([]rune(w.text))
		switch w.label {
		case nil:
		case last:
			u.Entities[len(u.Entities)-1].End = points
		default:
			u.Entities = append(u.Entities, gold.Span{Start: start, End: points, Type: w.label.infoType, OfSpeaker: w.label.ofSpeaker})
		}
		last = w.label
	}
	u.Text = text.String()
	return u
}

// free reports whether white space stands before and after word i, so that it is a word of its own.
func (t *turn) free(i int) bool {
	return !t.words[i].glued && (i+1 == len(t.words) || !t.words[i+1].glued)
}

// replace puts other texts, at least one, in the place of words from to to, which have one label.
func (t *turn) replace(from, to int, texts ...string) {
	first := &t.words[from]
	words := make([]word, len(texts))
	for i, text := range texts {
		words[i] = word{text: text, label: first.label, glued: first.glued && i == 0}
	}
	t.words = slices.Replace(t.words, from, to, words...)
}

// rewrite offers the words from each place on to f, which returns how many of them it has read, and what
// takes their place; nothing leaves them as they are.
func (t *turn) rewrite(f func(i int) (read int, by []string)) {
	for i := 0; i < len(t.words); {
		read, by := f(i)
		if len(by) > 0 {
			t.replace(i, i+read, by...)
			read = len(by)
		}
		i += max(read, 1)
	}
}

// remove deletes a word. What was glued to it becomes a word of its own.
func (t *turn) remove(i int) {
	t.words = slices.Delete(t.words, i, i+1)
	if i < len(t.words) {
		t.words[i].glued = false
	}
}

// removable reports whether a word may go: neither the turn nor its label may lose its last word.
func (t *turn) removable(i int) bool {
	l, n := t.words[i].label, 0
	if l == nil {
		return len(t.words) > 1
	}
	for k := range t.words {
		if t.words[k].label == l {
			n++
		}
	}
	return n > 1
}
