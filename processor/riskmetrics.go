package processor

import (
	"math"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/risk"
)

// riskMetrics report the estimated risk of the calls that have ended, by context.
// The running figures cover the time since this process started.
type riskMetrics struct {
	labels                            contextLabels
	gate                              string
	estimates                         *prometheus.HistogramVec
	mean, std, meanPlusStd, threshold *prometheus.GaugeVec
	gated, calls                      *prometheus.CounterVec

	mu   sync.Mutex
	sums map[string]*riskSums
}

// riskSums compute mean and standard deviation by Welford's method (Technometrics
// 4, 1962).
type riskSums struct {
	n, above  int
	mean, sum float64 // sum of squared distances from the mean
}

// callEnd is a call that ended in the open transaction.
type callEnd struct {
	context   string
	estimated float64
	over      bool // its risk may exceed the limit
	released  bool
}

// riskBuckets are finest around the threshold.
var riskBuckets = []float64{0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20}

func newRiskMetrics(d *definer) *riskMetrics {
	gauge := func(name, help string) *prometheus.GaugeVec {
		d.note("gauge", name, help, "context")
		return d.NewGaugeVec(prometheus.GaugeOpts{Namespace: "sotto", Name: name, Help: help}, []string{"context"})
	}
	const help = "Estimated residual risk of the calls that ended, in points."
	d.note("histogram", "estimated_risk", help, "context")
	const gateHelp = "Calls that ended and whose risk may exceed the limit, by mode of the gate."
	d.note("counter", "calls_over_risk_limit_total", gateHelp, "context", "gate")
	const callsHelp = "Calls that ended, by whether their END says release."
	d.note("counter", "calls_ended_total", callsHelp, "context", "released")
	return &riskMetrics{
		estimates: d.NewHistogramVec(prometheus.HistogramOpts{Namespace: "sotto", Name: "estimated_risk", Help: help,
			Buckets: riskBuckets, NativeHistogramBucketFactor: 1.1}, []string{"context"}),
		mean:        gauge("estimated_risk_mean", "Running mean of the estimated residual risk of calls."),
		std:         gauge("estimated_risk_std", "Running standard deviation of the estimated residual risk of calls."),
		meanPlusStd: gauge("estimated_risk_mean_plus_std", "Running mean plus standard deviation of the estimated residual risk of calls, which passes below 5."),
		threshold:   gauge("estimated_risk_above_threshold_ratio", "Running share of calls with an estimated residual risk above 5."),
		gated:       d.NewCounterVec(prometheus.CounterOpts{Namespace: "sotto", Name: "calls_over_risk_limit_total", Help: gateHelp}, []string{"context", "gate"}),
		calls:       d.NewCounterVec(prometheus.CounterOpts{Namespace: "sotto", Name: "calls_ended_total", Help: callsHelp}, []string{"context", "released"}),
		sums:        map[string]*riskSums{},
	}
}

// ended adds calls that ended in a committed transaction. It is safe for
// concurrent use.
func (r *riskMetrics) ended(calls []callEnd) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range calls {
		label := r.labels.of(c.context)
		s := r.sums[label]
		if s == nil {
			s = &riskSums{}
			r.sums[label] = s
		}
		s.add(c.estimated)
		r.calls.WithLabelValues(label, strconv.FormatBool(c.released)).Inc()
		r.estimates.WithLabelValues(label).Observe(c.estimated)
		r.mean.WithLabelValues(label).Set(s.mean)
		r.std.WithLabelValues(label).Set(s.std())
		r.meanPlusStd.WithLabelValues(label).Set(s.mean + s.std())
		r.threshold.WithLabelValues(label).Set(float64(s.above) / float64(s.n))
		if c.over {
			r.gated.WithLabelValues(label, r.gate).Inc()
		}
	}
}

func (s *riskSums) add(x float64) {
	s.n++
	if x > risk.MaxScore {
		s.above++
	}
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
