package transcript

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mask is a span of a text, in bytes, and what replaces it.
type Mask struct {
	Start, End int
	With       string
}

// rendered returns the bytes from start to end of a text with the masks that begin there. The masks
// are disjoint and in order.
func rendered(text string, masks []Mask, start, end int) string {
	var b strings.Builder
	for _, m := range masks {
		if m.Start < start || m.Start >= end {
			continue
		}
		b.WriteString(text[start:m.Start])
		b.WriteString(m.With)
		start = min(m.End, end)
	}
	return b.String() + text[min(start, end):end]
}

// Exact returns the spans of pieces that the masks of a text cover, if the pieces have the same
// letters and digits as the text, in the same order, however they are divided. The second result
// is false if they have not.
func Exact(text string, masks []Mask, pieces []string) ([]Span, bool) {
	runes, places := said(text)
	at := 0
	spans := make([]place, len(pieces))
	for i, p := range pieces {
		own, _ := said(p)
		if len(own) > len(runes)-at || !slices.Equal(own, runes[at:at+len(own)]) {
			return nil, false
		}
		if len(own) == 0 { // punctuation is where the word before it ends
			if at > 0 {
				spans[i] = place{places[at-1].end, places[at-1].end}
			}
			continue
		}
		spans[i] = place{places[at].start, places[at+len(own)-1].end}
		at += len(own)
	}
	if at < len(runes) {
		return nil, false
	}
	return exactSpans(text, masks, pieces, spans), true
}

// SaysTheSame reports whether pieces have the same letters and digits as a text, in the same order.
func SaysTheSame(text string, pieces ...string) bool {
	for _, p := range pieces {
		for _, r := range p {
			if !isSaid(r) {
				continue
			}
			next, rest := nextSaid(text)
			if next != unicode.ToLower(r) {
				return false
			}
			text = rest
		}
	}
	next, _ := nextSaid(text)
	return next < 0
}

// nextSaid returns the first letter or digit of a text in lower case, and what follows it; -1 if there is none.
func nextSaid(text string) (r rune, rest string) {
	for i, r := range text {
		if isSaid(r) {
			return unicode.ToLower(r), text[i+utf8.RuneLen(r):]
		}
	}
	return -1, ""
}

// exactSpans returns the spans of the pieces that masks cover; at is where the pieces are in the text.
func exactSpans(text string, masks []Mask, pieces []string, at []place) []Span {
	var spans []Span
	for i := 0; i < len(masks); {
		first, last := touched(masks[i], at)
		if first < 0 {
			i++
			continue
		}
		j := i + 1
		for ; j < len(masks); j++ { // masks that share a piece become one
			f, l := touched(masks[j], at)
			if f > last {
				break
			}
			if f >= 0 {
				last = max(last, l)
			}
		}
		from, to := min(at[first].start, masks[i].Start), max(at[last].end, masks[j-1].End)
		spans = append(spans, Span{first, last, outer(pieces, first, last, rendered(text, masks[i:j], from, to))})
		i = j
	}
	return spans
}

// closing are marks that end what another one begins.
var closing = map[rune]string{'(': ")", '[': "]", '{': "}", '<': ">", '"': "\"", '“': "”", '«': "»"}

// outer adds to a text the spaces and the punctuation around the pieces that it replaces, as far as it lacks them; before it, only
// what something after it closes.
func outer(pieces []string, first, last int, text string) string {
	isMark := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) }
	p := pieces[last]
	after := p[len(strings.TrimRightFunc(p, isMark)):]
	if strings.HasSuffix(text, after) || !strings.ContainsFunc(p, isSaid) {
		after = ""
	}
	p = pieces[first]
	before := p[:len(p)-len(strings.TrimLeftFunc(p, unicode.IsSpace))]
	if r, n := utf8.DecodeRuneInString(p[len(before):]); closing[r] != "" && strings.Contains(after, closing[r]) {
		before = p[:len(before)+n]
	}
	return before + text + after
}

// touched returns the first and the last piece that a mask covers in part, -1 if there is none. The pieces are in order.
func touched(m Mask, at []place) (first, last int) {
	first = sort.Search(len(at), func(i int) bool { return at[i].end > m.Start })
	last = sort.Search(len(at), func(i int) bool { return at[i].start >= m.End }) - 1
	if first > last {
		return -1, -1
	}
	return first, last
}

// place is where a part of a text is, in bytes.
type place struct{ start, end int }

// said returns the letters and digits of a text in lower case, and where they are.
func said(text string) ([]rune, []place) {
	var runes []rune
	var places []place
	for i, r := range text {
		if isSaid(r) {
			runes = append(runes, unicode.ToLower(r))
			places = append(places, place{i, i + len(string(r))})
		}
	}
	return runes, places
}

func isSaid(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}
