package eval

import (
	"math"
	"strings"
	"testing"

	"sotto/corpus/gold"
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

// blind masks nothing.
type blind struct{}

func (blind) Anonymize(c *gold.Conversation) ([][]Mask, error) {
	return make([][]Mask, len(c.Utterances)), nil
}

func TestCalibrationCountsWhatCandidatesAre(t *testing.T) {
	labelled := `{"utterances":[{"text":"I spoke to Zorblatt","entities":[{"start":11,"end":19,"type":"PERSON_NAME"}]},` +
		`{"text":"and Zorblatt told Quimbolt","entities":[{"start":4,"end":12,"type":"PERSON_NAME"}]}]}`
	c, err := gold.Read(strings.NewReader(labelled), "gold")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Calibrate([]Set{{Name: "gold", Conversations: c}}, blind{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// One of two, shrunk towards one of ten; five points, shrunk towards three.
	want := estimate.Calibration{Probability: 2.0 / 12, Points: 4}
	if got.Candidates[estimate.CapUnknown] != 2 || got.Kinds[estimate.CapUnknown] != want {
		t.Errorf("%d candidates with %+v, want 2 with %+v", got.Candidates[estimate.CapUnknown], got.Kinds[estimate.CapUnknown], want)
	}
	if got.PerUtterance != 0 {
		t.Errorf("%v points an utterance without a trace, want none", got.PerUtterance)
	}
}
