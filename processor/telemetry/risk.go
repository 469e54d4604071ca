package telemetry

import (
	"math"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/anonymize/intake"
)

// riskMetrics report the estimated risk of the calls that have ended, by context.
// The running figures cover the time since this process started.
type riskMetrics struct {
	Labels      map[string]bool // the permitted values of the label "context"; others could be any number
	Gate        string
	Estimates   *prometheus.HistogramVec `metric:"estimated_risk" labels:"context" buckets:"risk" help:"Estimated residual risk of the calls that ended, in points."`
	MeanPlusStd *prometheus.GaugeVec     `metric:"estimated_risk_mean_plus_std" labels:"context" help:"Running mean plus standard deviation of the estimated residual risk of calls, which passes below 5."`
	Gated       *prometheus.CounterVec   `metric:"calls_over_risk_limit_total" labels:"context,gate" help:"Calls that ended and whose risk may exceed the limit, by mode of the gate."`
	Calls       *prometheus.CounterVec   `metric:"calls_ended_total" labels:"context,released" help:"Calls that ended, by whether their END says release."`

	mu   sync.Mutex
	sums map[string]riskSums
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

// ended adds calls that ended in a committed transaction. It is safe for
// concurrent use.
func (r *riskMetrics) ended(calls []CallEnd) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sums == nil {
		r.sums = map[string]riskSums{}
	}
	for _, c := range calls {
		label := c.Context
		if !r.Labels[label] {
			label = intake.Other
		}
		s := r.sums[label]
		s.add(c.Estimated)
		r.sums[label] = s
		r.Calls.WithLabelValues(label, strconv.FormatBool(c.Released)).Inc()
		r.Estimates.WithLabelValues(label).Observe(c.Estimated)
		r.MeanPlusStd.WithLabelValues(label).Set(s.mean + s.std())
		if c.Over {
			r.Gated.WithLabelValues(label, r.Gate).Inc()
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
