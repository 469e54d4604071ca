package serve

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are those of the service. Labels are routes and status codes, and never come from a
// request. docs/serve.md lists them.
type metrics struct {
	requests     *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	reloadErrors prometheus.Counter
}

func newMetrics(r *prometheus.Registry, c *calls) *metrics {
	f := promauto.With(r)
	opts := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "sotto", Subsystem: "serve", Name: name, Help: help}
	}
	f.NewGaugeFunc(prometheus.GaugeOpts(opts("calls", "Live calls in memory.")), func() float64 {
		n, _ := c.usage()
		return float64(n)
	})
	f.NewGaugeFunc(prometheus.GaugeOpts(opts("call_bytes", "Bytes of the states of live calls.")), func() float64 {
		_, bytes := c.usage()
		return float64(bytes)
	})
	return &metrics{
		requests: f.NewCounterVec(prometheus.CounterOpts(opts("requests_total", "Requests, by route and status.")), []string{"route", "code"}),
		seconds: f.NewHistogramVec(prometheus.HistogramOpts{Namespace: "sotto", Subsystem: "serve", Name: "request_seconds",
			Help: "Time of requests, by route.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16), NativeHistogramBucketFactor: 1.1}, []string{"route"}),
		reloadErrors: f.NewCounter(prometheus.CounterOpts(opts("reload_errors_total", "Changed files that could not be read."))),
	}
}
