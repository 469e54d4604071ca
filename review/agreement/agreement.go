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

// Compare compares the annotations of each call, which must have its text. The adjudication is not
// part of it: it knows the others.
func Compare(read []review.Read) *Report {
	var calls [][]agreement.Reading
	for i := range read {
		if readings := readingsOf(&read[i]); len(readings) > 1 {
			calls = append(calls, readings)
		}
	}
	r := &Report{Total: agreement.Compare(calls, "")}
	names, types := map[string]bool{}, map[string]bool{}
	for _, readings := range calls {
		for _, x := range readings {
			names[x.Annotator] = true
			for _, s := range x.Spans {
				types[s.Type] = true
			}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	for i, a := range sorted {
		for _, b := range sorted[i+1:] {
			if both := pairs(calls, a, func(other *agreement.Reading) bool { return other.Annotator == b }); len(both) > 0 {
				r.Pairs = append(r.Pairs, Pair{a, b, agreement.Compare(both, "")})
			}
		}
	}
	for _, t := range slices.Sorted(maps.Keys(types)) {
		r.Types = append(r.Types, Type{t, agreement.Compare(calls, t)})
	}
	r.Weekly = weekly(calls, sorted)
	return r
}

func readingsOf(read *review.Read) (out []agreement.Reading) {
	var d detectors.Document
	for _, reading := range read.Readings {
		if reading.Kind != review.Annotation || !reading.Done {
			continue
		}
		r := agreement.Reading{Annotator: reading.Annotator, Week: review.Week(reading.UpdatedMS)}
		for _, s := range reading.Spans {
			r.Spans = append(r.Spans, agreement.Span{Seq: s.Seq, Start: s.Start, End: s.End, Type: s.Type})
		}
		for _, u := range read.Call.Utterances {
			for _, t := range review.Tokens(&d, u.Text) {
				r.Labels = append(r.Labels, labelAt(reading.Spans, u.Seq, t))
			}
		}
		out = append(out, r)
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

// pairs puts each reading of an annotator beside each other one of the same call for which with holds.
func pairs(calls [][]agreement.Reading, annotator string, with func(other *agreement.Reading) bool) (out [][]agreement.Reading) {
	for _, readings := range calls {
		for i := range readings {
			for k := range readings {
				if i != k && readings[i].Annotator == annotator && with(&readings[k]) {
					out = append(out, []agreement.Reading{readings[i], readings[k]})
				}
			}
		}
	}
	return out
}

// weekly compares each annotator with the others in the weeks in which the annotator read.
func weekly(calls [][]agreement.Reading, annotators []string) (out []Period) {
	for _, name := range annotators {
		weeks := map[string][][]agreement.Reading{}
		for _, readings := range calls {
			if i := slices.IndexFunc(readings, func(r agreement.Reading) bool { return r.Annotator == name }); i >= 0 {
				weeks[readings[i].Week] = append(weeks[readings[i].Week], readings)
			}
		}
		for _, w := range slices.Sorted(maps.Keys(weeks)) {
			f := agreement.Compare(pairs(weeks[w], name, func(*agreement.Reading) bool { return true }), "")
			f.Calls = len(weeks[w])
			out = append(out, Period{name, w, f})
		}
	}
	return out
}
