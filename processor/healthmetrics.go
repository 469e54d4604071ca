package processor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// newHealthMetrics registers metrics whose values are computed at each scrape. They keep
// their meaning when a session is stuck.
func newHealthMetrics(d *definer, p *Processor) {
	gauge := func(name, help string, value func() float64) {
		d.note("gauge", name, help)
		d.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "sotto", Name: name, Help: help}, value)
	}
	gauge("ready", "1 if /readyz reports that the process is ready, else 0.", func() float64 {
		if p.Ready() != nil {
			return 0
		}
		return 1
	})
	gauge("poll_age_seconds", "Time since the last poll of the raw topic, of the session that polled longest ago.", func() float64 {
		var age time.Duration
		for n := range p.settings.Sessions {
			age = max(age, since(&p.polled[n]))
		}
		return age.Seconds()
	})
	gauge("oldest_uncommitted_seconds", "Age of the oldest raw record that is known and not committed; 0 for none.", func() float64 {
		var age time.Duration
		for n := range p.settings.Sessions {
			if at := p.oldest[n].Load(); at != 0 {
				age = max(age, time.Since(time.UnixMilli(at)))
			}
		}
		return age.Seconds()
	})
}
