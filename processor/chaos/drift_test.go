package chaos

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// soakSample is a value and when it was taken, counted from the start of the run.
type soakSample struct {
	At    time.Duration
	Value float64
}

// soakSeries are the samples of one quantity, in the order of their times.
type soakSeries struct {
	Name, Unit string
	Samples    []soakSample
}

// soakDrift says by how much a quantity changed over the second half of a run, as a share of its median
// there: 0.02 is an increase by two per cent. With a probability of 95 % the true drift is between
// Low and High.
type soakDrift struct {
	Median           float64
	Share, Low, High float64
}

func (d soakDrift) String() string {
	return fmt.Sprintf("median %.4g, drift %+.1f %% (%+.1f to %+.1f)", d.Median, 100*d.Share, 100*d.Low, 100*d.High)
}

// Flat reports whether the drift may be within a share: it is not if its whole interval is outside.
func (d soakDrift) Flat(share float64) bool { return d.Low <= share && d.High >= -share }

// soakWindows is the number of equal parts of the second half. Each counts with the median of its
// samples, so that a pause or a rebalance moves none of them.
const soakWindows = 30

// Drift estimates the drift by the method of Theil and Sen: the median of the slopes between all
// pairs of windows, with Sen's interval. The first half of the run is left out, because a process
// that has just started still fills its caches. It fails if too few windows have samples.
func (s *soakSeries) Drift(run time.Duration) (soakDrift, error) {
	medians := s.secondHalf(run)
	if len(medians) < soakWindows/2 {
		return soakDrift{}, fmt.Errorf("%s: only %d of %d windows of the second half have samples", s.Name, len(medians), soakWindows)
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
	d := soakDrift{Median: medianOf(values)}
	if d.Median == 0 {
		return soakDrift{}, fmt.Errorf("%s is zero", s.Name)
	}
	share := func(slope float64) float64 { return slope * float64(run/2) / d.Median }
	d.Share = share(medianOf(slopes))
	d.Low = share(at((float64(len(slopes)) - spread) / 2))
	d.High = share(at((float64(len(slopes)) + spread) / 2))
	return d, nil
}

// secondHalf are the medians of the windows that have samples, each at the middle of its window.
func (s *soakSeries) secondHalf(run time.Duration) []soakSample {
	var medians []soakSample
	width := run / 2 / soakWindows
	for w := range time.Duration(soakWindows) {
		from := run/2 + w*width
		var in []float64
		for _, p := range s.Samples {
			if p.At >= from && p.At < from+width {
				in = append(in, p.Value)
			}
		}
		if len(in) > 0 {
			medians = append(medians, soakSample{from + width/2, medianOf(in)})
		}
	}
	return medians
}

// medianOf sorts a copy of the values, of which there is at least one.
func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// sampled is a series of an hour, a sample every five seconds.
func sampled(value func(share float64) float64) soakSeries {
	s := soakSeries{Name: "heap", Unit: "MiB"}
	for at := time.Duration(0); at < time.Hour; at += 5 * time.Second {
		s.Samples = append(s.Samples, soakSample{at, value(float64(at) / float64(time.Hour))})
	}
	return s
}

func drift(t *testing.T, s soakSeries) soakDrift {
	t.Helper()
	d, err := s.Drift(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDrift(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := func() float64 { return 1 + 0.05*(rnd.Float64()-0.5) }
	for name, c := range map[string]struct {
		value func(share float64) float64
		share float64
		flat  bool
	}{
		"constant": {func(float64) float64 { return 100 }, 0, true},
		"noise":    {func(float64) float64 { return 100 * noise() }, 0, true},
		"a cold start": {func(x float64) float64 {
			if x < 0.3 {
				return 10
			}
			return 100
		}, 0, true},
		"spikes": {func(x float64) float64 {
			if int(x*720)%40 < 5 {
				return 1000
			}
			return 100
		}, 0, true},
		"a leak":          {func(x float64) float64 { return 100 + 10*x }, 0.046, false},
		"a leak in noise": {func(x float64) float64 { return (100 + 10*x) * noise() }, 0.046, false},
		"a decline":       {func(x float64) float64 { return 100 - 10*x }, -0.054, false},
		"a small drift":   {func(x float64) float64 { return 100 + 2*x }, 0.01, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := drift(t, sampled(c.value))
			if math.Abs(d.Share-c.share) > 0.01 || d.Low > d.Share || d.High < d.Share {
				t.Errorf("%v, want a drift of %v", d, c.share)
			}
			if d.Flat(0.02) != c.flat {
				t.Errorf("%v: flat is %v", d, d.Flat(0.02))
			}
		})
	}
}

func TestDriftNeedsSamples(t *testing.T) {
	s := sampled(func(float64) float64 { return 1 })
	s.Samples = s.Samples[:400]
	if _, err := s.Drift(time.Hour); err == nil {
		t.Error("a run that was cut off has a drift")
	}
	zero := sampled(func(float64) float64 { return 0 })
	if _, err := zero.Drift(time.Hour); err == nil {
		t.Error("a quantity that was never measured has a drift")
	}
}
