package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"sotto/corpus/indirect/live"
)

// indirectMetrics are those of the graphs of indirect identifiers.
type indirectMetrics struct {
	forgotten         prometheus.Counter
	LeastCalls, Words *prometheus.GaugeVec
}

func newIndirectMetrics(d *Definer) *indirectMetrics {
	return &indirectMetrics{
		forgotten:  d.Counter("indirect_forgotten_total", "Words of too few calls that the graphs forgot to make room for others (SOTTO_INDIRECT_MAX_WORDS)."),
		LeastCalls: d.Gauge("indirect_counted_calls", "Calls that were counted in the session's partition with the fewest; words are marked from SOTTO_INDIRECT_MIN_CALLS on.", "session"),
		Words:      d.Gauge("indirect_words", "Words in the graphs of the session's partitions: safe, or open while too few calls use them.", "session", "kind"),
	}
}

// Survey sets the gauges of a session with graphs. No transaction may be open.
func (m *indirectMetrics) Survey(session string, graphs []*live.Graph) {
	if len(graphs) == 0 {
		return
	}
	all, safe, least := 0, 0, graphs[0].Calls()
	for _, g := range graphs {
		n, s := g.Size()
		all, safe, least = all+n, safe+s, min(least, g.Calls())
	}
	m.LeastCalls.WithLabelValues(session).Set(float64(least))
	m.Words.WithLabelValues(session, "safe").Set(float64(safe))
	m.Words.WithLabelValues(session, "open").Set(float64(all - safe))
}
