package risk

import (
	"slices"
	"strings"
	"unicode"
)

// Agreement says how far two annotators of the same calls agree.
type Agreement struct {
	// Calls counts the calls that two annotators read, Words their words.
	Calls int `json:"calls"`
	Words int `json:"words"`
	// Observed is the share of words to which both gave the same label.
	Observed float64 `json:"observed"`
	// Kappa is Cohen's kappa (Educational and Psychological Measurement 20,
	// 1960) over words: each has the infoType of the annotation that it stands
	// in, or none. It is 1 where there is no disagreement at all.
	Kappa float64 `json:"kappa"`
	// SpanF1 is the F1 score of one annotator's spans against the other's, of
	// equal position and infoType.
	SpanF1 float64 `json:"span_f1"`
	// Differing counts calls whose two transcripts are not the same text; they
	// cannot be compared.
	Differing int `json:"differing,omitempty"`
}

// agreement compares the first two annotators of each call, in the order of
// their names. It returns nil when no call was read twice.
func agreement(readings [][]*Call) *Agreement {
	var a Agreement
	both := make(map[[2]string]int)
	same, spans := 0, 0
	for _, r := range readings {
		if len(r) < 2 {
			continue
		}
		r = slices.SortedStableFunc(slices.Values(r), func(a, b *Call) int { return strings.Compare(a.Annotator, b.Annotator) })
		x, y := r[0], r[1]
		if x.Text != y.Text {
			a.Differing++
			continue
		}
		a.Calls++
		xs, ys := x.labels(), y.labels()
		for i := range xs {
			both[[2]string{xs[i], ys[i]}]++
		}
		a.Words += len(xs)
		same += commonSpans(x.Missed, y.Missed)
		spans += len(x.Missed) + len(y.Missed)
	}
	if a.Calls == 0 && a.Differing == 0 {
		return nil
	}
	a.SpanF1 = 1
	if spans > 0 {
		a.SpanF1 = 2 * float64(same) / float64(spans)
	}
	a.Observed, a.Kappa = kappa(both, a.Words)
	return &a
}

// kappa computes the observed agreement and Cohen's kappa from a table of
// pairs of labels.
func kappa(both map[[2]string]int, n int) (observed, kappa float64) {
	if n == 0 {
		return 1, 1
	}
	first, second := make(map[string]int), make(map[string]int)
	agreed := 0
	for pair, count := range both {
		first[pair[0]] += count
		second[pair[1]] += count
		if pair[0] == pair[1] {
			agreed += count
		}
	}
	if agreed == n {
		return 1, 1
	}
	// Sums of whole numbers: the order of the map does not matter.
	chance := 0
	for label, count := range first {
		chance += count * second[label]
	}
	observed = float64(agreed) / float64(n)
	expected := float64(chance) / float64(n) / float64(n)
	return observed, (observed - expected) / (1 - expected)
}

// labels gives each word of the text the infoType of the annotation that
// touches it, "" for none.
func (c *Call) labels() []string {
	missed := slices.Clone(c.Missed)
	slices.SortStableFunc(missed, func(a, b Annotation) int { return a.Start - b.Start })
	var out []string
	at, next := 0, 0
	inWord := false
	for _, r := range c.Text {
		space := unicode.IsSpace(r)
		if !space && !inWord {
			out = append(out, "")
		}
		inWord = !space
		for next < len(missed) && missed[next].End <= at {
			next++
		}
		if inWord && next < len(missed) && missed[next].Start <= at {
			out[len(out)-1] = missed[next].Type
		}
		at++
	}
	return out
}

// commonSpans counts the annotations that both have.
func commonSpans(x, y []Annotation) int {
	type span struct {
		start, end int
		infoType   string
	}
	in := make(map[span]int)
	for _, m := range x {
		in[span{m.Start, m.End, m.Type}]++
	}
	n := 0
	for _, m := range y {
		s := span{m.Start, m.End, m.Type}
		if in[s] > 0 {
			in[s]--
			n++
		}
	}
	return n
}
