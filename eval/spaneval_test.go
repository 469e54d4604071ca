package eval_test

import (
	"math"
	"testing"

	"sotto/eval"
)

// Each case is calculated by hand: found, predicted and annotated spans with their types, and with
// all types treated as one. The threshold is 0.75 unless a case sets another.
func TestSpanEvaluation(t *testing.T) {
	type counts struct{ found, predicted, annotated int }
	for _, c := range []struct {
		what, gold, masked string
		iou                float64
		typed, generic     counts
	}{
		{what: "nothing at all", gold: "Good day", masked: "Good day"},
		{what: "the same span", gold: "So <PERSON_NAME|Amy Bell> left", masked: "So <PERSON_NAME|Amy Bell> left",
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		{what: "missed", gold: "So <PERSON_NAME|Amy Bell> left", masked: "So Amy Bell left",
			typed: counts{0, 0, 1}, generic: counts{0, 0, 1}},
		{what: "no label", gold: "So Amy Bell left", masked: "So <PERSON_NAME|Amy Bell> left",
			typed: counts{0, 1, 0}, generic: counts{0, 1, 0}},
		{what: "another type", gold: "So <PERSON_NAME|Amy Bell> left", masked: "So <LOCATION|Amy Bell> left",
			typed: counts{0, 1, 1}, generic: counts{1, 1, 1}},
		// "Bell Carter" is 11 of the 15 code points.
		{what: "too little", gold: "So <PERSON_NAME|Amy Bell Carter> left", masked: "So Amy <PERSON_NAME|Bell Carter> left",
			typed: counts{0, 1, 1}, generic: counts{0, 1, 1}},
		{what: "enough for another threshold", iou: 0.7, gold: "So <PERSON_NAME|Amy Bell Carter> left", masked: "So Amy <PERSON_NAME|Bell Carter> left",
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		{what: "exactly the threshold", gold: "So <PERSON_NAME|Amy Bell> left", masked: "So Amy <PERSON_NAME|Bell> left", iou: 0.5,
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		// Skip words and punctuation at the edges do not count.
		{what: "the edges", gold: "in <ORGANIZATION_NAME|the Acme Works>, today", masked: "<ORGANIZATION_NAME|in the Acme Works,> today",
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		{what: "a possessive", gold: "<PERSON_NAME|Amy>'s car", masked: "<PERSON_NAME|Amy's> car",
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		// "of" alone lies between the two: they are one span.
		{what: "merged over a skip word", gold: "<ORGANIZATION_NAME|University of Washington>", masked: "<ORGANIZATION_NAME|University> of <ORGANIZATION_NAME|Washington>",
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		{what: "two labels are one span", gold: "<PERSON_NAME|Amy>, <PERSON_NAME|Bob> left", masked: "<PERSON_NAME|Amy>, <PERSON_NAME|Bob> left",
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		{what: "not merged over another word", gold: "<PERSON_NAME|Amy> met <PERSON_NAME|Bob>", masked: "<PERSON_NAME|Amy> met <PERSON_NAME|Bob>",
			typed: counts{2, 2, 2}, generic: counts{2, 2, 2}},
		// A span of only skip words is ignored.
		{what: "skip words only", gold: "ext <NUMERIC|five one five>", masked: "ext <NUMERIC|five one five>"},
		// Label 0 to 31; first mask 0 to 11, second 14 to 31. Positions of the
		// label 32, of the masks 12 and 18: 30/32 is enough.
		{what: "two masks together", gold: "<PERSON_NAME|Bartholomew J Featherstonehaugh>", masked: "<PERSON_NAME|Bartholomew> J <PERSON_NAME|Featherstonehaugh>",
			typed: counts{1, 1, 1}, generic: counts{1, 1, 1}},
		// Label 0 to 15; masks 0 to 4 and 10 to 15: 5 + 6 of 16.
		{what: "two masks, too little", gold: "<ORGANIZATION_NAME|Acme Tool Works>", masked: "<ORGANIZATION_NAME|Acme> Tool <ORGANIZATION_NAME|Works>",
			typed: counts{0, 1, 1}, generic: counts{0, 1, 1}},
		// "Amy" as a name: positions 0 to 3 of 0 to 15; the rest as a place.
		// Two predictions by type, one when types do not matter.
		{what: "two types", gold: "<PERSON_NAME|Amy Bell Carter>", masked: "<PERSON_NAME|Amy> <LOCATION|Bell Carter>",
			typed: counts{0, 2, 1}, generic: counts{1, 1, 1}},
		// One mask over two labels counts as a prediction for each.
		{what: "one mask over two", gold: "<PERSON_NAME|Amy> visits <LOCATION|Hamm>", masked: "<PERSON_NAME|Amy visits Hamm>",
			typed: counts{0, 2, 2}, generic: counts{0, 2, 2}},
		{what: "labels that are not scored", gold: "on <DATE|May 14>", masked: "on <DATE|May 14>"},
	} {
		iou := c.iou
		if iou == 0 {
			iou = 0.75
		}
		r := run(t, masking(c.masked), eval.Options{IoU: iou}, marked(c.gold)).Span
		check := func(how string, s eval.SpanScore, want counts) {
			if got := (counts{s.Recall.Part, s.Predicted, s.Annotated}); got != want || s.Precision != (eval.Share{Part: want.found, Whole: want.predicted}) {
				t.Errorf("%s, %s: found, predicted, annotated %v, want %v", c.what, how, got, want)
			}
		}
		check("typed", r.Typed, c.typed)
		check("generic", r.Generic, c.generic)
	}
}

func TestSpanFWeighsRecallTwice(t *testing.T) {
	// One of two labels found, with one prediction: P = 1, R = 1/2,
	// F2 = 5 · 1/2 / (4 + 1/2) = 5/9.
	r := run(t, masking("<PERSON_NAME|Amy> met Bob"), eval.Options{}, marked("<PERSON_NAME|Amy> met <PERSON_NAME|Bob>")).Span
	if r.Generic.FBeta == nil || math.Abs(*r.Generic.FBeta-5.0/9) > 1e-12 || r.IoU != eval.DefaultIoU {
		t.Errorf("generic %+v", r.Generic)
	}
}
