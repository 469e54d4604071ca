package telemetry

import (
	"math"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/intake"
)

// riskMetrics report the estimated risk of the calls that have ended, by context.
// The running figures cover the time since this process started.
type riskMetrics struct {
	Labels       map[string]bool // the permitted values of the label "context"; others could be any number
	Gate         string
	estimates    *prometheus.HistogramVec
	meanPlusStd  *prometheus.GaugeVec
	gated, calls *prometheus.CounterVec

	mu   sync.Mutex
	sums map[string]*riskSums
}

// riskSums compute mean and standard deviation by Welford's method (Technometrics
// 4, 1962).
type riskSums struct {
	n         int
	mean, sum float64 // sum of squared distances from the mean
}

// CallEnd is a call that ended in the open transaction.
type CallEnd struct {
	Context   string
	Estimated float64
	Over      bool // its risk may exceed the limit
	Released  bool
}

// riskBuckets are finest around the threshold.
var riskBuckets = []float64{0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20}

func newRiskMetrics(d *Definer) *riskMetrics {
	return &riskMetrics{
		estimates:   d.Histogram("estimated_risk", "Estimated residual risk of the calls that ended, in points.", riskBuckets, "context"),
		meanPlusStd: d.Gauge("estimated_risk_mean_plus_std", "Running mean plus standard deviation of the estimated residual risk of calls, which passes below 5.", "context"),
		gated:       d.Vec("calls_over_risk_limit_total", "Calls that ended and whose risk may exceed the limit, by mode of the gate.", "context", "gate"),
		calls:       d.Vec("calls_ended_total", "Calls that ended, by whether their END says release.", "context", "released"),
		sums:        map[string]*riskSums{},
	}
}

// ended adds calls that ended in a committed transaction. It is safe for
// concurrent use.
func (r *riskMetrics) ended(calls []CallEnd) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range calls {
		label := c.Context
		if !r.Labels[label] {
			label = intake.Other
		}
		s := r.sums[label]
		if s == nil {
			s = &riskSums{}
			r.sums[label] = s
		}
		s.add(c.Estimated)
		r.calls.WithLabelValues(label, strconv.FormatBool(c.Released)).Inc()
		r.estimates.WithLabelValues(label).Observe(c.Estimated)
		r.meanPlusStd.WithLabelValues(label).Set(s.mean + s.std())
		if c.Over {
			r.gated.WithLabelValues(label, r.Gate).Inc()
		}
	}
}

func (s *riskSums) add(x float64) {
	s.n++
	before := x - s.mean
	s.mean += before / float64(s.n)
	s.sum += before * (x - s.mean)
}

// std has the divisor n-1, as risk.Statistics.
func (s *riskSums) std() float64 {
	if s.n < 2 {
		return 0
	}
	return math.Sqrt(s.sum / float64(s.n-1))
}
