package risk

import (
	"slices"
	"strings"
	"unicode"

	"sotto/risk/agreement"
)

// Agreement says how far two annotators of the same calls agree.
type Agreement struct {
	// Calls counts the calls that two annotators read, Words their words.
	Calls int `json:"calls"`
	Words int `json:"words"`
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

// agreementOf compares the first two annotators of each call, in the order of
// their names. It returns nil when no call was read twice.
func agreementOf(readings [][]*Transcript) *Agreement {
	var a Agreement
	var both [][]agreement.Reading
	for _, r := range readings {
		if len(r) < 2 {
			continue
		}
		r = slices.SortedStableFunc(slices.Values(r), func(a, b *Transcript) int { return strings.Compare(a.Annotator, b.Annotator) })
		x, y := r[0], r[1]
		if x.Text != y.Text {
			a.Differing++
			continue
		}
		a.Calls++
		// The names differ from call to call, and the first two are one pair.
		both = append(both, []agreement.Reading{x.reading("first"), y.reading("second")})
		a.Words += len(both[len(both)-1][0].Labels)
	}
	if a.Calls == 0 && a.Differing == 0 {
		return nil
	}
	f := agreement.Compare(both, "")
	a.Kappa, a.SpanF1 = f.Kappa, f.SpanF1
	return &a
}

func (c *Transcript) reading(annotator string) agreement.Reading {
	r := agreement.Reading{Annotator: annotator, Labels: c.labels()}
	for _, m := range c.Missed {
		r.Spans = append(r.Spans, agreement.Span{Start: m.Start, End: m.End, Type: m.Type})
	}
	return r
}

// labels gives each word of the text the infoType of the annotation that
// touches it, "" for none.
func (c *Transcript) labels() []string {
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
