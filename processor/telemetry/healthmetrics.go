package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// NewHealthMetrics registers metrics whose values are computed at each scrape. They keep
// their meaning when a session is stuck.
func NewHealthMetrics(d *Definer, ready func() error, pollAge, commitWait, oldestUncommitted func() time.Duration) {
	gauge := func(name, help string, value func() float64) {
		d.note("gauge", name, help)
		d.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "sotto", Name: name, Help: help}, value)
	}
	gauge("ready", "1 if /readyz reports that the process is ready, else 0.", func() float64 {
		if ready() != nil {
			return 0
		}
		return 1
	})
	gauge("poll_age_seconds", "Time since the last poll of the raw topic, of the session that polled longest ago.", func() float64 { return pollAge().Seconds() })
	gauge("commit_wait_seconds", "Time for which there has been something to commit and nothing was committed, of the session that waits longest; 0 if nothing waits.", func() float64 { return commitWait().Seconds() })
	gauge("oldest_uncommitted_seconds", "Age of the oldest raw record that is known and not committed; 0 for none.", func() float64 { return oldestUncommitted().Seconds() })
}
