package eval

import (
	"math"
	"testing"

	"sotto/risk/estimate"
)

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64 // NaN for none
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 90}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{0, 0, 5}, []float64{1, 1, 2}, 1},
		{[]float64{1, 2, 3, 4}, []float64{2, 1, 4, 3}, 0.6},
		{[]float64{1, 1}, []float64{1, 2}, math.NaN()},
		{nil, nil, math.NaN()},
	} {
		got := spearman(c.x, c.y)
		if got == nil != math.IsNaN(c.want) || got != nil && math.Abs(*got-c.want) > 1e-9 {
			t.Errorf("%v and %v: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestEstimatesAreComparedWithScores(t *testing.T) {
	r := estimateReport([]float64{0, 2, 10}, []float64{0.1, 0.2, 9})
	if len(r.Calibration) != 2 || r.Calibration[0].Calls != 2 || math.Abs(r.Calibration[0].Scored-1) > 1e-9 || r.Calibration[1].To != 0 {
		t.Errorf("calibration %+v", r.Calibration)
	}
	if want := (1.7 + 1) / 3; math.Abs(r.Error-want) > 1e-9 {
		t.Errorf("calibration error %v, want %v", r.Error, want)
	}
}

// Two calls differ by what was left of them, and so do their figures.
func TestCalibrationFindsWhatCandidatesAreWorth(t *testing.T) {
	missed, harmless := row{points: 5, weight: 1}, row{weight: 1}
	missed.x[estimate.CapUnknown] = 1
	var rows []row
	for range 400 {
		rows = append(rows, missed, harmless)
	}
	w := fit(rows)
	// A name is five points; the ridge takes a little away.
	if x := w[estimate.CapUnknown]; x < 4000 || x > 5000 {
		t.Errorf("a candidate weighs %v thousandths, want nearly 5000", x)
	}
	var nothing estimate.CandidateSet
	if w[0] > 50 || nothing.Figures(0, estimate.Found{}) != (estimate.Figures{}) {
		t.Errorf("what is in no call weighs %v", w[0])
	}
}

func TestCallsThatAreNotReleasedAreCounted(t *testing.T) {
	r := estimateReport([]float64{0, 0, 9, 9}, []float64{0.1, 6, 1, 6})
	if r.Over != 2 || r.Kept != 1 || r.KeptBelow != 1 {
		t.Errorf("%d over the limit, %d of them kept, %d others", r.Over, r.Kept, r.KeptBelow)
	}
}
