package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"sotto/detectors/remote"
)

// remoteMetrics are those of the remote tier.
type remoteMetrics struct {
	requests, bytes prometheus.Counter
	utterances      *prometheus.CounterVec
}

func newRemoteMetrics(d *Definer) *remoteMetrics {
	return &remoteMetrics{
		requests:   d.Counter("remote_requests_total", "Requests to the remote detection tier, those of aborted transactions and retries counted in."),
		bytes:      d.Counter("remote_bytes_total", "Bytes of text sent to the remote detection tier."),
		utterances: d.Vec("remote_utterances_total", "Utterances the remote detection tier was asked about, by outcome: answered, remembered (no request was needed), unavailable or refused.", "outcome"),
	}
}

func (m *remoteMetrics) Add(n remote.Usage) {
	m.requests.Add(float64(n.Requests))
	m.bytes.Add(float64(n.Bytes))
	for outcome, count := range map[string]int{"answered": n.Answered, "remembered": n.Remembered, "unavailable": n.Unavailable, "refused": n.Refused} {
		if count > 0 {
			m.utterances.WithLabelValues(outcome).Add(float64(count))
		}
	}
}
