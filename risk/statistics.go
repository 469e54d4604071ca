package risk

import (
	"cmp"
	"math"
	"slices"
)

// Statistics describe the scores of a corpus: the columns of the paper's
// Table 4.
type Statistics struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	// Std is the sample standard deviation (divisor n-1), 0 for fewer than two calls. The calls
	// of an audit are a sample from which the traffic is estimated; the divisor n would make
	// small samples look better.
	Std float64 `json:"std"`
	// P95 interpolates linearly between the two nearest scores, as numpy and
	// R (type 7) do by default. Table 4 can only be explained this way: its 3.1
	// for 100 calls with whole-number scores is 3 + 0.05 x 2.
	P95         float64 `json:"p95"`
	Max         float64 `json:"max"`
	MeanPlusStd float64 `json:"mean_plus_std"`
	// Passes reports whether mean + std < 5, the paper's equation (2). No calls prove nothing,
	// and do not pass.
	Passes bool `json:"passes"`
}

// Summarize describes scores with equal weights. It does not change
// them.
func Summarize(scores []float64) Statistics {
	s := make([]weighted, len(scores))
	for i, x := range scores {
		s[i] = weighted{x, 1}
	}
	return summarize(s)
}

// weighted is a score and how many calls of the traffic it stands for, the
// reciprocal of the probability with which its call was sampled (Horvitz and
// Thompson, Journal of the American Statistical Association 47, 1952).
type weighted struct{ score, weight float64 }

// summarize estimates the statistics of the traffic from a sample of it. The
// size of the traffic is estimated by the sum of the weights (Hájek's form of
// the estimator), so only the ratios of the weights matter. With equal weights
// these are the statistics of the sample: the variance has the factor
// n/(n-1). The slice is sorted in place.
func summarize(s []weighted) Statistics {
	out := Statistics{Count: len(s)}
	if len(s) == 0 {
		return out
	}
	slices.SortFunc(s, func(a, b weighted) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.weight, b.weight)) })
	var sum, sumWeights float64
	for _, x := range s {
		sum += x.weight * x.score
		sumWeights += x.weight
	}
	out.Mean = sum / sumWeights
	if n := float64(len(s)); n > 1 {
		var ss float64
		for _, x := range s {
			ss += x.weight * (x.score - out.Mean) * (x.score - out.Mean)
		}
		out.Std = math.Sqrt(ss / sumWeights * n / (n - 1))
	}
	out.P95 = quantile(s, 0.95)
	out.Max = s[len(s)-1].score
	out.MeanPlusStd = out.Mean + out.Std
	out.Passes = out.MeanPlusStd < MaxScore
	return out
}

// quantile interpolates linearly between scores. Between two scores lies half of the weight of
// both, so that equal weights give the quantile of type 7. s must be sorted and not empty.
func quantile(s []weighted, q float64) float64 {
	var span float64
	for i := 1; i < len(s); i++ {
		span += (s[i-1].weight + s[i].weight) / 2
	}
	at := q * span
	for i := 1; i < len(s); i++ {
		step := (s[i-1].weight + s[i].weight) / 2
		if at <= step {
			return s[i-1].score + at/step*(s[i].score-s[i-1].score)
		}
		at -= step
	}
	return s[len(s)-1].score
}

// Bin holds the calls with an estimate from From on and below To, which is 0 for the last group.
type Bin struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Calls     int     `json:"calls"`
	Estimated float64 `json:"estimated"` // mean
	Scored    float64 `json:"scored"`    // mean
}

// Calibration groups calls by their estimates; edges are the lower bounds of the groups, from 0. Groups
// without calls are left out. off is the expected calibration error: the mean distance between the
// estimate and the score of the groups, weighted by their calls.
func Calibration(edges, estimates, scores []float64) (bins []Bin, off float64) {
	all := make([]Bin, len(edges))
	for i, e := range estimates {
		k, found := slices.BinarySearch(edges, e)
		if !found {
			k--
		}
		b := &all[max(k, 0)]
		b.Calls++
		b.Estimated += e
		b.Scored += scores[i]
	}
	for i, b := range all {
		if b.Calls == 0 {
			continue
		}
		if b.From = edges[i]; i+1 < len(edges) {
			b.To = edges[i+1]
		}
		off += math.Abs(b.Estimated-b.Scored) / float64(len(estimates))
		b.Estimated /= float64(b.Calls)
		b.Scored /= float64(b.Calls)
		bins = append(bins, b)
	}
	return bins, off
}
