// Package agreement measures how far annotators of the same calls agree.
package agreement

import (
	"cmp"
	"maps"
	"slices"
)

// Figures say how far annotators agree.
type Figures struct {
	Calls int
	// Spans counts the marks of all compared readings.
	Spans int
	// SpanF1 is the F1 score of one annotator's spans against the other's, of equal place and
	// infoType. 1 if there are no spans.
	SpanF1 float64
	// Kappa is Cohen's kappa (Educational and Psychological Measurement 20, 1960) over tokens, each
	// with the infoType of the mark that it stands in, or none. With more than two annotators it is
	// the mean over pairs.
	Kappa float64
	// Alpha is Krippendorff's alpha for nominal data over the same units (Computing Krippendorff's
	// Alpha-Reliability, 2011). It takes any number of annotators, and calls that some did not read.
	Alpha float64
}

// Reading is what an annotator made of a call.
type Reading struct {
	Annotator string
	// Week is when it was made, for those who compare by it.
	Week string
	// Labels has the infoType of each token of the call, "" for none.
	Labels []string
	Spans  []Span
}

// Span is a mark: a place in an utterance, and its infoType.
type Span struct {
	Seq        int64
	Start, End int
	Type       string
}

// Compare compares all annotators of each call, of one infoType or of all.
func Compare(calls [][]Reading, only string) Figures {
	f := Figures{Calls: len(calls)}
	same, spans := 0, 0
	pairs := map[[2]string]*table{}
	a := alpha{totals: map[string]float64{}}
	for _, units := range calls {
		for _, u := range units {
			f.Spans += len(ofType(u.Spans, only))
		}
		for i, x := range units {
			for _, y := range units[i+1:] {
				xs, ys := ofType(x.Spans, only), ofType(y.Spans, only)
				spans += len(xs) + len(ys)
				same += 2 * common(xs, ys)
				t := pairs[[2]string{x.Annotator, y.Annotator}]
				if t == nil {
					t = &table{first: map[string]int{}, second: map[string]int{}}
					pairs[[2]string{x.Annotator, y.Annotator}] = t
				}
				for k := range x.Labels {
					t.add(label(x.Labels[k], only), label(y.Labels[k], only))
				}
			}
		}
		for k := range units[0].Labels {
			values := make([]string, len(units))
			for i, u := range units {
				values[i] = label(u.Labels[k], only)
			}
			a.add(values)
		}
	}
	f.SpanF1 = 1
	if spans > 0 {
		f.SpanF1 = float64(same) / float64(spans)
	}
	// In a fixed order, so that the sum is the same each time.
	keys := slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	f.Kappa = 1
	if len(keys) > 0 {
		f.Kappa = 0
		for _, k := range keys {
			f.Kappa += pairs[k].kappa() / float64(len(keys))
		}
	}
	f.Alpha = a.value()
	return f
}

func label(l, only string) string {
	if only != "" && l != only {
		return ""
	}
	return l
}

func ofType(spans []Span, only string) []Span {
	if only == "" {
		return spans
	}
	var out []Span
	for _, s := range spans {
		if s.Type == only {
			out = append(out, s)
		}
	}
	return out
}

func common(x, y []Span) (n int) {
	in := map[Span]bool{}
	for _, s := range x {
		in[s] = true
	}
	for _, s := range y {
		if in[s] {
			n++
		}
	}
	return n
}

type table struct {
	first, second map[string]int
	agreed, n     int
}

func (t *table) add(x, y string) {
	t.first[x]++
	t.second[y]++
	t.n++
	if x == y {
		t.agreed++
	}
}

func (t *table) kappa() float64 {
	if t.agreed == t.n {
		return 1
	}
	chance := 0
	for l, c := range t.first {
		chance += c * t.second[l]
	}
	expected := float64(chance) / float64(t.n) / float64(t.n)
	return (float64(t.agreed)/float64(t.n) - expected) / (1 - expected)
}

// alpha sums up the matrix of coincidences.
type alpha struct {
	totals    map[string]float64
	n, differ float64
}

func (a *alpha) add(values []string) {
	pairable := float64(len(values) - 1)
	for i, x := range values {
		a.totals[x]++
		a.n++
		for k, y := range values {
			if i != k && x != y {
				a.differ += 1 / pairable
			}
		}
	}
}

func (a *alpha) value() float64 {
	if a.differ == 0 {
		return 1
	}
	expected := a.n * a.n
	for _, c := range a.totals {
		expected -= c * c
	}
	return 1 - (a.n-1)*a.differ/expected
}
