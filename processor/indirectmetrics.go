package processor

import "github.com/prometheus/client_golang/prometheus"

// indirectMetrics are those of the graphs of indirect identifiers.
type indirectMetrics struct {
	identifying, records, forgotten prometheus.Counter
	leastCalls, words               *prometheus.GaugeVec
}

func newIndirectMetrics(counter func(name, help string) prometheus.Counter, gauge func(name, help string, labels ...string) *prometheus.GaugeVec) *indirectMetrics {
	return &indirectMetrics{
		identifying: counter("indirect_words_total", "Words that were marked or masked in the final versions of calls because too few calls use them (SOTTO_INDIRECT)."),
		records:     counter("indirect_records_total", "Records of the graphs of indirect identifiers written in committed transactions."),
		forgotten:   counter("indirect_forgotten_total", "Words of too few calls that the graphs forgot to make room for others (SOTTO_INDIRECT_MAX_WORDS)."),
		leastCalls:  gauge("indirect_counted_calls", "Calls that were counted in the session's partition with the fewest; words are marked from SOTTO_INDIRECT_MIN_CALLS on.", "session"),
		words:       gauge("indirect_words", "Words in the graphs of the session's partitions: safe, or open while too few calls use them.", "session", "kind"),
	}
}

// survey sets the gauges of a session. No transaction may be open.
func (m *indirectMetrics) survey(session string, parts map[int32]*partition) {
	var all, safe int
	var least uint64
	graphs := 0
	for _, p := range parts {
		if p.graph == nil {
			continue
		}
		n, s := p.graph.Size()
		all, safe = all+n, safe+s
		if calls := p.graph.Calls(); graphs == 0 || calls < least {
			least = calls
		}
		graphs++
	}
	if graphs == 0 {
		return
	}
	m.leastCalls.WithLabelValues(session).Set(float64(least))
	m.words.WithLabelValues(session, "safe").Set(float64(safe))
	m.words.WithLabelValues(session, "open").Set(float64(all - safe))
}
