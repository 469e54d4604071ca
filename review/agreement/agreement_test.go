package agreement

import (
	"math"
	"testing"

	"sotto/review"
)

func reading(who string, ms int64, spans ...review.Span) review.Reading {
	return review.Reading{Kind: review.Annotation, Annotator: who, Done: true, Spans: spans, UpdatedMS: ms}
}

func mark(start, end int, infoType string) review.Span {
	return review.Span{Place: review.Place{Seq: 1, Start: start, End: end}, Type: infoType}
}

func TestCompare(t *testing.T) {
	const firstWeek, secondWeek = 1763683200000, 1763683200000 + 7*24*3600*1000
	call := &review.Call{Utterances: []review.Utterance{{Seq: 1, Text: "Ines lives in Lima today"}}}
	name, place := mark(0, 4, "PERSON_NAME"), mark(14, 18, "LOCATION")
	report := Compare([]review.Read{
		{Call: call, Readings: []review.Reading{reading("ann", firstWeek, name, place), reading("bob", firstWeek, name, place)}},
		{Call: call, Readings: []review.Reading{reading("ann", firstWeek, name, place), reading("bob", secondWeek, name)}},
		{Call: call, Readings: []review.Reading{reading("ann", firstWeek, place)}},
		{Call: call, Readings: []review.Reading{reading("ann", firstWeek, place), {Kind: review.Annotation, Annotator: "eve"}}},
	})
	if report.Total.Calls != 2 || report.Total.Spans != 7 || math.Abs(report.Total.SpanF1-6.0/7) > 1e-9 {
		t.Errorf("%+v", report.Total)
	}
	if len(report.Pairs) != 1 || report.Pairs[0].First != "ann" || report.Pairs[0].Second != "bob" {
		t.Errorf("%+v", report.Pairs)
	}
	for _, typ := range report.Types {
		if agree := typ.Type == "PERSON_NAME"; (typ.Alpha == 1) != agree || (typ.Kappa == 1) != agree {
			t.Errorf("%+v", typ)
		}
	}
	// Bob's second week shows the drift.
	last := report.Weekly[len(report.Weekly)-1]
	if len(report.Weekly) != 3 || last.Annotator != "bob" || last.SpanF1 >= 1 || report.Weekly[1].SpanF1 != 1 {
		t.Errorf("%+v", report.Weekly)
	}
}
