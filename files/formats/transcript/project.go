package transcript

import (
	"cmp"
	"slices"
	"strings"
)

// alignWindow is in how many words two forms of a text may differ before they agree again: a card
// number, said digit by digit, has sixteen.
const alignWindow = 64

// Projected returns the spans of pieces that say what the masks of a text cover, where the pieces
// differ from the text: a number is written in one and said in words in the other. Between two
// words that both have, everything in one corresponds to everything in the other, so that a span
// rather covers too much than too little. The second result is false if nothing corresponds to one of
// the masks.
func Projected(text string, masks []Mask, pieces []string) ([]Span, bool) {
	words, at := saidWords(text)
	var other []string
	var index []int // which piece
	for i, p := range pieces {
		if runes, _ := said(p); len(runes) > 0 {
			other, index = append(other, string(runes)), append(index, i)
		}
	}
	partners := newPartners(alignWords(words, other), len(other))
	var spans []Span
	complete := true
	for _, m := range masks {
		first, last := touched(m, at)
		if first < 0 {
			continue
		}
		from, to := partners.between(first, last)
		if from > to {
			complete = false
			continue
		}
		s := Span{index[from], index[to], outer(pieces, index[from], index[to], m.With)}
		if n := len(spans); n > 0 && s.First <= spans[n-1].Last {
			spans[n-1].Last = max(spans[n-1].Last, s.Last)
			if spans[n-1].Text != s.Text {
				spans[n-1].Text += " " + s.Text
			}
			continue
		}
		spans = append(spans, s)
	}
	return spans, complete
}

// saidWords returns the letters and digits of each word of a text, and where the word is.
func saidWords(text string) (words []string, at []place) {
	for start, end := range Words(text) {
		if runes, _ := said(text[start:end]); len(runes) > 0 {
			words, at = append(words, string(runes)), append(at, place{start, end})
		}
	}
	return words, at
}

// partners say of each word of a text which words of another form correspond to the nearest before it, and from it on, that
// correspond to one: -1 and n if there is none.
type partners struct{ before, after []int }

func newPartners(partner []int, n int) partners {
	p := partners{make([]int, len(partner)+1), make([]int, len(partner)+1)}
	p.before[0], p.after[len(partner)] = -1, n
	for i, j := range partner {
		if p.before[i+1] = p.before[i]; j >= 0 {
			p.before[i+1] = j
		}
	}
	for i, j := range slices.Backward(partner) {
		if p.after[i] = p.after[i+1]; j >= 0 {
			p.after[i] = j
		}
	}
	return p
}

// between returns which words of the other form correspond to the words from first to last: those between the
// partners of the nearest words before and after that have one.
func (p *partners) between(first, last int) (from, to int) {
	return p.before[first] + 1, p.after[last+1] - 1
}

// alignWords returns for each word of a its position in b, -1 if it has none. It takes time linear
// in their lengths.
func alignWords(a, b []string) []int {
	partner := make([]int, len(a))
	for i := range partner {
		partner[i] = -1
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if strings.EqualFold(a[i], b[j]) {
			partner[i] = j
			i, j = i+1, j+1
			continue
		}
		n, m := nextCommon(a[i:], b[j:])
		i, j = i+n, j+m
	}
	return partner
}

// nextCommon returns after how few words of both together the two agree in two words, or in the
// last one; all of them if that is not within the window.
func nextCommon(a, b []string) (n, m int) {
	for sum := 1; sum <= 2*alignWindow; sum++ {
		for n := max(0, sum-min(len(b)-1, alignWindow)); n <= min(sum, len(a)-1, alignWindow); n++ {
			m := sum - n
			if a[n] != b[m] {
				continue
			}
			if n+1 == len(a) || m+1 == len(b) || a[n+1] == b[m+1] {
				return n, m
			}
		}
	}
	return len(a), len(b)
}

// Union returns the spans that cover what those of a or b cover. Both are disjoint and in order.
func Union(a, b []Span) []Span {
	all := append(append([]Span(nil), a...), b...)
	slices.SortStableFunc(all, func(x, y Span) int { return cmp.Compare(x.First, y.First) })
	var out []Span
	for _, s := range all {
		n := len(out)
		if n == 0 || s.First > out[n-1].Last {
			out = append(out, s)
			continue
		}
		last := &out[n-1]
		if s.Last > last.Last && !strings.Contains(last.Text, strings.TrimSpace(s.Text)) {
			last.Text += " " + strings.TrimSpace(s.Text)
		}
		last.Last = max(last.Last, s.Last)
	}
	return out
}
