package estimate

import "math"

// Calibration is what labelled conversations told of a kind of candidate.
type Calibration struct {
	// Probability is the share of its candidates that lie in a piece of
	// information that was missed and that no other candidate of the call was
	// counted for.
	Probability float64
	// Points is what such a piece scores on average.
	Points float64
}

// milli is what a candidate of each kind adds to the expected risk, in
// thousandths of a point.
var milli = func() (m [kindMask + 1]int64) {
	for k, c := range calibration {
		m[k] = int64(math.Round(1000 * c.Probability * c.Points))
	}
	return m
}()

// Kinds lists all kinds of candidates.
func Kinds() []Kind {
	all := make([]Kind, 0, kinds-1)
	for k := none + 1; k < kinds; k++ {
		all = append(all, k)
	}
	return all
}

// Of returns the calibration of a kind.
func Of(k Kind) Calibration { return calibration[k] }
