package demo

import (
	"strings"
	"testing"

	"sotto/schemas"
)

func TestVerdictsOfTheStream(t *testing.T) {
	v := verdicts{}
	low, high := 1.0, 7.0
	v.clean(&schemas.CleanEvent{CallID: "a", Context: "sales"})
	v.clean(&schemas.CleanEvent{CallID: "a", Call: &schemas.CallSummary{EstimatedRisk: &low, Release: true}})
	v.clean(&schemas.CleanEvent{CallID: "b", Context: "meeting", Call: &schemas.CallSummary{EstimatedRisk: &high}})
	v.clean(&schemas.CleanEvent{CallID: "c", Context: "sales"}) // goes on
	var b strings.Builder
	if err := v.write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  meeting        1  7.00", "  sales          1  1.00", "  all calls      2  4.00  4.24  6.70  7.00        8.24     1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
	if s := v.summary(); s.Count != 2 || s.Mean != 4 || s.Passes {
		t.Errorf("got %+v", s)
	}
}
