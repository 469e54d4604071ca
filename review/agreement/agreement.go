// Package agreement compares what annotators marked in the same calls.
package agreement

import (
	"maps"
	"slices"

	"sotto/detectors"
	"sotto/review"
	"sotto/risk/agreement"
)

// Pair holds the figures of two annotators.
type Pair struct {
	First, Second string
	agreement.Figures
}

// Type holds the figures of one infoType: every other mark counts as none.
type Type struct {
	Type string
	agreement.Figures
}

// Period holds the figures of an annotator against all others in a week.
type Period struct {
	Annotator string
	// Week is the Monday on which it begins, in UTC.
	Week string
	agreement.Figures
}

// Report holds all comparisons.
type Report struct {
	Total  agreement.Figures
	Pairs  []Pair
	Types  []Type
	Weekly []Period
}

// unit is a reading and the week in which it was made.
type unit struct {
	agreement.Reading
	week string
}

// figures compares all annotators of each call, of one infoType or of all.
func figures(calls [][]unit, only string) agreement.Figures {
	readings := make([][]agreement.Reading, len(calls))
	for i, units := range calls {
		for _, u := range units {
			readings[i] = append(readings[i], u.Reading)
		}
	}
	return agreement.Compare(readings, only)
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
			names[u.Annotator] = true
			for _, s := range u.Spans {
				types[s.Type] = true
			}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	for i, a := range sorted {
		for _, b := range sorted[i+1:] {
			both := restrict(calls, func(u unit) bool { return u.Annotator == a || u.Annotator == b })
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
		u := unit{agreement.Reading{Annotator: reading.Annotator}, review.Week(reading.UpdatedMS)}
		for _, s := range reading.Spans {
			u.Spans = append(u.Spans, agreement.Span{Seq: s.Seq, Start: s.Start, End: s.End, Type: s.Type})
		}
		for i, utterance := range read.Call.Utterances {
			for _, t := range tokens[i] {
				u.Labels = append(u.Labels, labelAt(reading.Spans, utterance.Seq, t))
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
			if i := slices.IndexFunc(units, func(u unit) bool { return u.Annotator == name }); i >= 0 {
				weeks[units[i].week] = append(weeks[units[i].week], units)
			}
		}
		for _, w := range slices.Sorted(maps.Keys(weeks)) {
			var pairs [][]unit
			for _, units := range weeks[w] {
				me := slices.IndexFunc(units, func(u unit) bool { return u.Annotator == name })
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
