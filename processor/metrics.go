package processor

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kprom"
)

// metrics are the processor's own. Labels come from closed sets: never a call
// ID, never anything of a call. What an aborted transaction did is not
// counted.
type metrics struct {
	recordsIn       prometheus.Counter
	events          *prometheus.CounterVec
	utterances      prometheus.Counter
	entities        *prometheus.CounterVec
	deadLetters     *prometheus.CounterVec
	interim         prometheus.Counter
	late            prometheus.Counter
	idleEnds        prometheus.Counter
	commits         prometheus.Counter
	aborts          *prometheus.CounterVec
	commitSeconds   prometheus.Histogram
	restoreSeconds  prometheus.Histogram
	restoreRecords  prometheus.Counter
	restoreFailures *prometheus.CounterVec
	stateRecords    prometheus.Counter
	stateBytes      prometheus.Counter
	openCalls       *prometheus.GaugeVec
	rebalances      prometheus.Counter
	sessionRestarts prometheus.Counter
	fetchErrors     prometheus.Counter
	reloadErrors    prometheus.Counter
	policy          *prometheus.GaugeVec
}

func newMetrics(r *prometheus.Registry) *metrics {
	f := promauto.With(r)
	counter := func(name, help string) prometheus.Counter {
		return f.NewCounter(prometheus.CounterOpts{Namespace: "sotto", Name: name, Help: help})
	}
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Namespace: "sotto", Name: name, Help: help}, labels)
	}
	seconds := func(name, help string) prometheus.Histogram {
		return f.NewHistogram(prometheus.HistogramOpts{Namespace: "sotto", Name: name, Help: help,
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16), NativeHistogramBucketFactor: 1.1})
	}
	return &metrics{
		recordsIn:       counter("raw_records_total", "Raw records consumed in committed transactions."),
		events:          vec("events_total", "Events written in committed transactions, by topic kind.", "kind"),
		utterances:      counter("utterances_total", "Utterances anonymized in committed transactions."),
		entities:        vec("entities_total", "Spans replaced in committed transactions, by infoType.", "infotype"),
		deadLetters:     vec("dead_letters_total", "Raw records that became dead letters, by reason.", "reason"),
		interim:         counter("interim_dropped_total", "Interim hypotheses dropped."),
		late:            counter("late_events_total", "Events that came after their call's memory was gone."),
		idleEnds:        counter("calls_closed_idle_total", "Calls closed because they had gone idle."),
		commits:         counter("transactions_committed_total", "Transactions committed."),
		aborts:          vec("transactions_aborted_total", "Transactions aborted, by reason.", "reason"),
		commitSeconds:   seconds("commit_seconds", "Time from the end of a transaction's records to its commit."),
		restoreSeconds:  seconds("restore_seconds", "Time to restore a partition."),
		restoreRecords:  counter("restore_records_total", "State records read by restores."),
		restoreFailures: vec("restore_failures_total", "Restores that failed, by kind.", "kind"),
		stateRecords:    counter("state_records_total", "Call states written in committed transactions."),
		stateBytes:      counter("state_bytes_total", "Bytes of call states written in committed transactions."),
		openCalls:       f.NewGaugeVec(prometheus.GaugeOpts{Namespace: "sotto", Name: "open_calls", Help: "Calls in memory, by session."}, []string{"session"}),
		rebalances:      counter("rebalances_total", "Assignments received."),
		sessionRestarts: counter("session_restarts_total", "Sessions thrown away and built anew."),
		fetchErrors:     counter("fetch_errors_total", "Errors of fetches from the raw topic."),
		reloadErrors:    counter("reload_errors_total", "Dictionaries or keys that could not be read again."),
		policy:          f.NewGaugeVec(prometheus.GaugeOpts{Namespace: "sotto", Name: "policy_info", Help: "1 for the policy in force."}, []string{"policy"}),
	}
}

// clientMetrics counts what the Kafka client of a session does. Each client
// needs its own.
func clientMetrics(r *prometheus.Registry, session int) kgo.Hook {
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"session": strconv.Itoa(session)}, r)
	return kprom.NewMetrics("sotto_kafka", kprom.Registerer(labelled))
}

func (m *metrics) setPolicy(policy string) {
	m.policy.Reset()
	m.policy.WithLabelValues(policy).Set(1)
}

func (m *metrics) restored(records int, took time.Duration) {
	m.restoreSeconds.Observe(took.Seconds())
	m.restoreRecords.Add(float64(records))
}

// count adds what a worker or the session did in a committed transaction.
func (m *metrics) count(c *counts) {
	add := func(to prometheus.Counter, n int) {
		if n > 0 {
			to.Add(float64(n))
		}
	}
	add(m.events.WithLabelValues("clean"), c.clean)
	add(m.events.WithLabelValues("audit"), c.audit)
	add(m.utterances, c.utterances)
	add(m.late, c.late)
	add(m.idleEnds, c.idleEnds)
	add(m.stateRecords, c.states)
	add(m.stateBytes, c.stateBytes)
	add(m.interim, c.interim)
	for reason, n := range c.dead {
		add(m.deadLetters.WithLabelValues(reason), n)
	}
	for t, n := range c.byType {
		add(m.entities.WithLabelValues(t), n)
	}
}

func (c *counts) addDead(reason string) {
	if c.dead == nil {
		c.dead = map[string]int{}
	}
	c.dead[reason]++
}
