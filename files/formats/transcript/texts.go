package transcript

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Slot is one text of a file and the function that replaces it.
type Slot struct {
	Text string
	Set  func(string)
	// StartMS and EndMS are nil if the file does not say when it was said.
	StartMS, EndMS *int64
}

// word is a word of a slot.
type word struct {
	slot, start, end int
}

// TextsRepeat is the repeat that consists of texts, one after the other: a lexical form, or the
// sentences of a turn. What covers words of several texts is written to the first of them.
func TextsRepeat(slots []Slot) Repeat {
	var words []word
	var pieces []string
	for i := range slots {
		for start, end := range Words(slots[i].Text) {
			words = append(words, word{i, start, end})
			pieces = append(pieces, slots[i].Text[start:end])
		}
	}
	return Repeat{Pieces: pieces, Set: func(spans []Span) { setTexts(slots, words, spans) }, Times: func(piece int) (start, end *int64) {
		slot := &slots[words[piece].slot]
		return slot.StartMS, slot.EndMS
	}}
}

// Words yields where the words of a text begin and end, in bytes.
func Words(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start, end := nextWord(text, 0); start < end && yield(start, end); {
			start, end = nextWord(text, end)
		}
	}
}

// nextWord returns where the next word of a text begins and ends; start is end if there is none.
func nextWord(text string, at int) (start, end int) {
	start = strings.IndexFunc(text[at:], func(r rune) bool { return !unicode.IsSpace(r) })
	if start < 0 {
		return len(text), len(text)
	}
	start += at
	if n := strings.IndexFunc(text[start:], unicode.IsSpace); n >= 0 {
		return start, start + n
	}
	return start, len(text)
}

func setTexts(slots []Slot, words []word, spans []Span) {
	sources := make([]*Source, len(slots))
	for _, s := range spans {
		first := words[s.First]
		for i := s.First; i <= s.Last; {
			slot, start, end := words[i].slot, words[i].start, words[i].end
			for ; i <= s.Last && words[i].slot == slot; i++ {
				end = words[i].end
			}
			if sources[slot] == nil {
				sources[slot] = NewSource(slots[slot].Text)
			}
			with := ""
			if slot == first.slot {
				with = s.Text
			} else if start > 0 {
				_, n := utf8.DecodeLastRuneInString(slots[slot].Text[:start])
				start -= n // with the space before it
			} else {
				end, _ = nextWord(slots[slot].Text, end) // with the space after it
			}
			sources[slot].Replace(start, end, with)
		}
	}
	for i, s := range sources {
		if s != nil {
			slots[i].Set(s.Changed())
		}
	}
}

// WordsRepeat is the repeat that is a list of words. merge makes the entries from first to last
// one that reads text.
func WordsRepeat(words []string, merge func(first, last int, text string)) Repeat {
	return Repeat{Pieces: words, Set: func(spans []Span) {
		for _, s := range spans {
			merge(s.First, s.Last, s.Text)
		}
	}}
}
