package soak

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// sampled is a series of an hour, a sample every five seconds.
func sampled(value func(share float64) float64) Series {
	s := Series{Name: "heap", Unit: "MiB"}
	for at := time.Duration(0); at < time.Hour; at += 5 * time.Second {
		s.Samples = append(s.Samples, Sample{at, value(float64(at) / float64(time.Hour))})
	}
	return s
}

func drift(t *testing.T, s Series) Drift {
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

func TestPlotIsWellFormed(t *testing.T) {
	svg := Plot("a <run>", time.Hour, []Series{sampled(func(x float64) float64 { return x }), {Name: "nothing"}},
		[]Mark{{time.Minute, "rebalance"}, {2 * time.Minute, "key & reload"}})
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
