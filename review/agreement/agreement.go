// Package agreement compares what annotators marked in the same calls.
package agreement

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"sotto/detectors"
	"sotto/review"
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

// Pair holds the figures of two annotators.
type Pair struct {
	First, Second string
	Figures
}

// Type holds the figures of one infoType: every other mark counts as none.
type Type struct {
	Type string
	Figures
}

// Period holds the figures of an annotator against all others in a week.
type Period struct {
	Annotator string
	// Week is the Monday on which it begins, in UTC.
	Week string
	Figures
}

// Report holds all comparisons.
type Report struct {
	Total  Figures
	Pairs  []Pair
	Types  []Type
	Weekly []Period
}

// unit is what one annotator gave the tokens of a call.
type unit struct {
	annotator string
	labels    []string
	spans     []review.Span
	week      string
}

// Compare compares the annotations of each call, which must have its text. The adjudication is not
// part of it: it knows the others.
func Compare(read []review.Read) *Report {
	var calls [][]unit
	for i := range read {
		if units := unitsOf(&read[i]); len(units) > 1 {
			calls = append(calls, units)
		}
	}
	r := &Report{Total: figures(calls, "")}
	names, types := map[string]bool{}, map[string]bool{}
	for _, units := range calls {
		for _, u := range units {
			names[u.annotator] = true
			for _, s := range u.spans {
				types[s.Type] = true
			}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	for i, a := range sorted {
		for _, b := range sorted[i+1:] {
			both := restrict(calls, func(u unit) bool { return u.annotator == a || u.annotator == b })
			if len(both) > 0 {
				r.Pairs = append(r.Pairs, Pair{a, b, figures(both, "")})
			}
		}
	}
	for _, t := range slices.Sorted(maps.Keys(types)) {
		r.Types = append(r.Types, Type{t, figures(calls, t)})
	}
	r.Weekly = weekly(calls, sorted)
	return r
}

func unitsOf(read *review.Read) (out []unit) {
	var d detectors.Document
	tokens := make([][]review.Token, len(read.Call.Utterances))
	for i, u := range read.Call.Utterances {
		tokens[i] = review.Tokens(&d, u.Text)
	}
	for _, reading := range read.Readings {
		if reading.Kind != review.Annotation || !reading.Done {
			continue
		}
		u := unit{annotator: reading.Annotator, spans: reading.Spans, week: week(reading.UpdatedMS)}
		for i, utterance := range read.Call.Utterances {
			for _, t := range tokens[i] {
				u.labels = append(u.labels, labelAt(reading.Spans, utterance.Seq, t))
			}
		}
		out = append(out, u)
	}
	return out
}

func labelAt(spans []review.Span, seq int64, t review.Token) string {
	for _, s := range spans {
		if s.Seq == seq && s.Start < t.End && t.Start < s.End {
			return s.Type
		}
	}
	return ""
}

func week(ms int64) string {
	t := time.UnixMilli(ms).UTC().Truncate(24 * time.Hour)
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7).Format(time.DateOnly)
}

// restrict keeps the units for which keep holds, and the calls with two or more of them.
func restrict(calls [][]unit, keep func(unit) bool) (out [][]unit) {
	for _, units := range calls {
		var kept []unit
		for _, u := range units {
			if keep(u) {
				kept = append(kept, u)
			}
		}
		if len(kept) > 1 {
			out = append(out, kept)
		}
	}
	return out
}

// weekly compares each annotator with the others in the weeks in which the annotator read.
func weekly(calls [][]unit, annotators []string) (out []Period) {
	for _, name := range annotators {
		weeks := map[string][][]unit{}
		for _, units := range calls {
			if i := slices.IndexFunc(units, func(u unit) bool { return u.annotator == name }); i >= 0 {
				weeks[units[i].week] = append(weeks[units[i].week], units)
			}
		}
		for _, w := range slices.Sorted(maps.Keys(weeks)) {
			var pairs [][]unit
			for _, units := range weeks[w] {
				me := slices.IndexFunc(units, func(u unit) bool { return u.annotator == name })
				for i := range units {
					if i != me {
						pairs = append(pairs, []unit{units[me], units[i]})
					}
				}
			}
			f := figures(pairs, "")
			f.Calls = len(weeks[w])
			out = append(out, Period{name, w, f})
		}
	}
	return out
}

// figures compares all annotators of each call, of one infoType or of all.
func figures(calls [][]unit, only string) Figures {
	f := Figures{Calls: len(calls)}
	same, spans := 0, 0
	pairs := map[[2]string]*table{}
	var a alpha
	for _, units := range calls {
		for _, u := range units {
			f.Spans += len(ofType(u.spans, only))
		}
		for i, x := range units {
			for _, y := range units[i+1:] {
				xs, ys := ofType(x.spans, only), ofType(y.spans, only)
				spans += len(xs) + len(ys)
				same += 2 * common(xs, ys)
				t := pairs[[2]string{x.annotator, y.annotator}]
				if t == nil {
					t = &table{}
					pairs[[2]string{x.annotator, y.annotator}] = t
				}
				for k := range x.labels {
					t.add(label(x.labels[k], only), label(y.labels[k], only))
				}
			}
		}
		for k := range units[0].labels {
			values := make([]string, len(units))
			for i, u := range units {
				values[i] = label(u.labels[k], only)
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

func ofType(spans []review.Span, only string) []review.Span {
	if only == "" {
		return spans
	}
	var out []review.Span
	for _, s := range spans {
		if s.Type == only {
			out = append(out, s)
		}
	}
	return out
}

func common(x, y []review.Span) (n int) {
	type key struct {
		place    review.Place
		infoType string
	}
	in := map[key]bool{}
	for _, s := range x {
		in[key{s.Place, s.Type}] = true
	}
	for _, s := range y {
		if in[key{s.Place, s.Type}] {
			n++
		}
	}
	return n
}

// table counts pairs of labels.
type table struct {
	first, second map[string]int
	agreed, n     int
}

func (t *table) add(x, y string) {
	if t.first == nil {
		t.first, t.second = map[string]int{}, map[string]int{}
	}
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

// add takes the values that annotators gave one unit.
func (a *alpha) add(values []string) {
	if a.totals == nil {
		a.totals = map[string]float64{}
	}
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
