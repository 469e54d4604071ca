package eval

import (
	"slices"
	"testing"
)

func TestReleasedAtALimit(t *testing.T) {
	// The gate compares the upper bound with the limit: that of 1 is 4.48, that of 2 is 6.92.
	scores, estimates := []float64{0, 10, 3, 4}, []float64{1, 1, 2, 9} // over 5 points: one of them
	for _, want := range []Released{
		{Limit: 3, Calls: Share{0, 4}, Fine: Share{0, 3}},
		{Limit: 5, Calls: Share{2, 4}, Fine: Share{1, 3}, Over: 1, Mean: 5, MeanPlusStd: 5 + 7.0710678118654755},
	} {
		if got := releasedAt(want.Limit, scores, estimates); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		want        []float64
	}{
		{0, 4.4, []float64{0, 2, 4, 6}},
		{89.5, 98.2, []float64{85, 90, 95, 100}},
		{97.25, 97.25, []float64{97, 97.5}},
		{0, 0, []float64{0, 0.5}},
	} {
		if got := (axis{c.least, c.most}).ticks(); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: got %v, want %v", c.least, c.most, got, c.want)
		}
	}
}
