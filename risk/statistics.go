package risk

import (
	"math"
	"slices"
)

// Statistics describe the scores of a corpus: the columns of the paper's
// Table 4.
type Statistics struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	// Std is the sample standard deviation (divisor n-1), 0 for fewer than
	// two calls. The calls of an audit are a sample from which one concludes
	// to the traffic; the divisor n would flatter small samples.
	Std float64 `json:"std"`
	// P95 interpolates linearly between the two nearest scores, as numpy and
	// R (type 7) do by default. Table 4 can only have come about so: its 3.1
	// for 100 calls with whole-number scores is 3 + 0.05 x 2.
	P95         float64 `json:"p95"`
	Max         float64 `json:"max"`
	MeanPlusStd float64 `json:"mean_plus_std"`
	// Passes tells whether mean + std < 5, the paper's equation (2). No calls
	// prove nothing: they do not pass.
	Passes bool `json:"passes"`
}

// Summarize describes scores. It does not change them.
func Summarize(scores []float64) Statistics {
	s := Statistics{Count: len(scores)}
	if s.Count == 0 {
		return s
	}
	for _, x := range scores {
		s.Mean += x
	}
	s.Mean /= float64(s.Count)
	if s.Count > 1 {
		var ss float64
		for _, x := range scores {
			ss += (x - s.Mean) * (x - s.Mean)
		}
		s.Std = math.Sqrt(ss / float64(s.Count-1))
	}
	sorted := slices.Sorted(slices.Values(scores))
	s.P95 = quantile(sorted, 0.95)
	s.Max = sorted[len(sorted)-1]
	s.MeanPlusStd = s.Mean + s.Std
	s.Passes = s.MeanPlusStd < MaxScore
	return s
}

// quantile interpolates linearly between the order statistics around
// q·(n-1); sorted must not be empty.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
