package ingest

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are those of the receiver. Labels are status codes and reasons of fixed sets. docs/ingest.md lists them.
type metrics struct {
	requests, refused *prometheus.CounterVec
	seconds           prometheus.Histogram
	records, keyless  prometheus.Counter
	reloadErrors      prometheus.Counter
}

func newMetrics(r *prometheus.Registry) *metrics {
	f := promauto.With(r)
	opts := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "sotto", Subsystem: "ingest", Name: name, Help: help}
	}
	m := &metrics{
		requests: f.NewCounterVec(opts("requests_total", "Webhooks, by the status of the answer."), []string{"code"}),
		refused:  f.NewCounterVec(opts("refused_total", "Webhooks that were not written, by reason."), []string{"reason"}),
		seconds: f.NewHistogram(prometheus.HistogramOpts{Namespace: "sotto", Subsystem: "ingest", Name: "request_seconds",
			Help: "Time until a webhook was answered.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 15), NativeHistogramBucketFactor: 1.1}),
		records:      f.NewCounter(opts("records_total", "Records that were acknowledged by the brokers.")),
		keyless:      f.NewCounter(opts("records_without_call_total", "Records without a key, because the mapping finds no ID of a call in them.")),
		reloadErrors: f.NewCounter(opts("reload_errors_total", "Changed files that could not be read.")),
	}
	for _, why := range refusals {
		m.refused.WithLabelValues(why.reason)
	}
	return m
}

func (m *metrics) written(key string) {
	m.records.Inc()
	if key == "" {
		m.keyless.Inc()
	}
}
