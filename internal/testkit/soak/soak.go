// Package soak judges and plots what was sampled during a long run at steady load.
package soak

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Sample is a value and when it was taken, counted from the start of the run.
type Sample struct {
	At    time.Duration
	Value float64
}

// Series are the samples of one quantity, in the order of their times.
type Series struct {
	Name, Unit string
	Samples    []Sample
}

// Drift says by how much a quantity changed over the second half of a run, as a share of its median
// there: 0.02 is an increase by two per cent. With a probability of 95 % the true drift is between
// Low and High.
type Drift struct {
	Median           float64
	Share, Low, High float64
}

func (d Drift) String() string {
	return fmt.Sprintf("median %.4g, drift %+.1f %% (%+.1f to %+.1f)", d.Median, 100*d.Share, 100*d.Low, 100*d.High)
}

// Flat reports whether the drift may be within a share: it is not if its whole interval is outside.
func (d Drift) Flat(share float64) bool { return d.Low <= share && d.High >= -share }

// windows is the number of equal parts of the second half. Each counts with the median of its
// samples, so that a pause or a rebalance moves none of them.
const windows = 30

// Drift estimates the drift by the method of Theil and Sen: the median of the slopes between all
// pairs of windows, with Sen's interval. The first half of the run is left out, because a process
// that has just started still fills its caches. It fails if too few windows have samples.
func (s *Series) Drift(run time.Duration) (Drift, error) {
	medians := s.secondHalf(run)
	if len(medians) < windows/2 {
		return Drift{}, fmt.Errorf("%s: only %d of %d windows of the second half have samples", s.Name, len(medians), windows)
	}
	var slopes, values []float64
	for i, a := range medians {
		values = append(values, a.Value)
		for _, b := range medians[:i] {
			slopes = append(slopes, (a.Value-b.Value)/float64(a.At-b.At))
		}
	}
	slices.Sort(slopes)
	n := float64(len(medians))
	spread := 1.96 * math.Sqrt(n*(n-1)*(2*n+5)/18)
	at := func(rank float64) float64 {
		return slopes[min(len(slopes)-1, max(0, int(math.Round(rank))))]
	}
	d := Drift{Median: median(values)}
	if d.Median == 0 {
		return Drift{}, fmt.Errorf("%s is zero", s.Name)
	}
	share := func(slope float64) float64 { return slope * float64(run/2) / d.Median }
	d.Share = share(median(slopes))
	d.Low = share(at((float64(len(slopes)) - spread) / 2))
	d.High = share(at((float64(len(slopes)) + spread) / 2))
	return d, nil
}

// secondHalf are the medians of the windows that have samples, each at the middle of its window.
func (s *Series) secondHalf(run time.Duration) []Sample {
	var medians []Sample
	width := run / 2 / windows
	for w := range time.Duration(windows) {
		from := run/2 + w*width
		var in []float64
		for _, p := range s.Samples {
			if p.At >= from && p.At < from+width {
				in = append(in, p.Value)
			}
		}
		if len(in) > 0 {
			medians = append(medians, Sample{from + width/2, median(in)})
		}
	}
	return medians
}

// median sorts a copy of the values, of which there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
