package calls

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/internal/gold"
)

// Write writes conversations as marked-up text. It fails on a conversation that the format cannot
// hold, such as one without a context or with overlapping labels, and names it by its position. The
// source of a conversation and what belongs to a speaker are not written.
func Write(w io.Writer, conversations []gold.Conversation) error {
	out := bufio.NewWriter(w)
	for i := range conversations {
		c := &conversations[i]
		if i > 0 {
			fmt.Fprintln(out)
		}
		if len(c.Utterances) == 0 || !isWord(c.ID) || !isWord(c.Context) || c.Vertical != "" && !isWord(c.Vertical) {
			return fmt.Errorf("conversation %d: marked-up text cannot hold it", i+1)
		}
		header := "### id=" + c.ID + " context=" + c.Context
		if c.Vertical != "" {
			header += " vertical=" + c.Vertical
		}
		fmt.Fprintln(out, header)
		for k := range c.Utterances {
			u := &c.Utterances[k]
			spans := slices.SortedStableFunc(slices.Values(u.Entities), func(a, b gold.Span) int { return a.Start - b.Start })
			line := strings.ToUpper(u.Speaker) + ": " + markUp(u.Text, spans)
			if !readsAs(line, u, spans) {
				return fmt.Errorf("conversation %d, utterance %d: marked-up text cannot hold it", i+1, k+1)
			}
			fmt.Fprintln(out, line)
		}
	}
	return out.Flush()
}

// isWord reports whether a header can hold this value.
func isWord(value string) bool {
	return utf8.ValidString(value) && len(strings.Fields(value)) == 1 && strings.TrimSpace(value) == value
}

// markUp writes the labels into the text, as far as they do not overlap.
func markUp(raw string, spans []gold.Span) string {
	text := []rune(raw)
	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s.Start < at {
			continue
		}
		b.WriteString(string(text[at:s.Start]))
		b.WriteString("{{" + s.Type + "|" + string(text[s.Start:s.End]) + "}}")
		at = s.End
	}
	b.WriteString(string(text[at:]))
	return b.String()
}

// readsAs reports whether a line holds this utterance, with its labels in order.
func readsAs(line string, u *gold.Utterance, spans []gold.Span) bool {
	m := turnLine.FindStringSubmatch(line)
	if m == nil || strings.ContainsAny(line, "\r\n") || !strings.EqualFold(m[1], u.Speaker) {
		return false
	}
	got := parseTurn(m[2])
	if got.Text != u.Text || strings.Contains(got.Text, "{{") || strings.Contains(got.Text, "}}") {
		return false
	}
	return slices.EqualFunc(got.Entities, spans, func(a, b gold.Span) bool {
		return a.Start == b.Start && a.End == b.End && a.Type == b.Type && labelTypes[a.Type]
	})
}
