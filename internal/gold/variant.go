package gold

import (
	"slices"
	"strings"
	"unicode"
)

// Lower returns a copy of the conversations in lower case, as a recognizer
// without formatting writes. Positions stay.
func Lower(conversations []Conversation) []Conversation {
	return rewrite(conversations, func(u Utterance) Utterance {
		// Code point by code point: strings.ToLower may change their number.
		u.Text = strings.Map(unicode.ToLower, u.Text)
		return u
	})
}

// Unpunct returns a copy of the conversations without the punctuation that a
// formatter adds: marks at the beginning or the end of a word. Marks
// within a word (an apostrophe, the dots and the "@" of an address, hyphens)
// stay. Labelled spans of nothing but such marks vanish.
func Unpunct(conversations []Conversation) []Conversation {
	return rewrite(conversations, unpunct)
}

func rewrite(conversations []Conversation, f func(Utterance) Utterance) []Conversation {
	out := make([]Conversation, len(conversations))
	for i, c := range conversations {
		utterances := make([]Utterance, len(c.Utterances))
		for k, u := range c.Utterances {
			utterances[k] = f(u)
		}
		c.Utterances = utterances
		out[i] = c
	}
	return out
}

func unpunct(u Utterance) Utterance {
	text := []rune(u.Text)
	drop := make([]bool, len(text))
	edge := true // of a word
	for i, r := range text {
		edge = unicode.IsSpace(r) || edge && Formatting(r)
		drop[i] = edge && Formatting(r)
	}
	edge = true
	for i, r := range slices.Backward(text) {
		edge = unicode.IsSpace(r) || edge && Formatting(r)
		drop[i] = drop[i] || edge && Formatting(r)
	}
	at := make([]int, len(text)+1) // new position of each old one
	kept := make([]rune, 0, len(text))
	for i, r := range text {
		at[i] = len(kept)
		if !drop[i] {
			kept = append(kept, r)
		}
	}
	at[len(text)] = len(kept)
	u.Text = string(kept)
	var spans []Span
	for _, s := range u.Entities {
		if s.Start, s.End = at[s.Start], at[s.End]; s.Start < s.End {
			spans = append(spans, s)
		}
	}
	u.Entities = spans
	return u
}

// Formatting reports whether a character is punctuation that a formatter adds, other than symbols that carry meaning at
// the edge of a word, as in "#12" or "@handle".
func Formatting(r rune) bool { return unicode.IsPunct(r) && !strings.ContainsRune("#@%&*_", r) }
