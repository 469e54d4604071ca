package processor

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kgo"
)

// metrics are the processor's own metrics. Label values come from fixed sets and
// never from a call. Aborted transactions are not counted.
type metrics struct {
	recordsIn       prometheus.Counter
	events          *prometheus.CounterVec
	utterances      prometheus.Counter
	entities        *prometheus.CounterVec
	deadLetters     *prometheus.CounterVec
	otherLanguages  *prometheus.CounterVec
	interim         prometheus.Counter
	late            prometheus.Counter
	idleEnds        prometheus.Counter
	held            prometheus.Counter
	mismatches      prometheus.Counter
	commits         prometheus.Counter
	aborts          *prometheus.CounterVec
	commitSeconds   prometheus.Histogram
	restoreSeconds  prometheus.Histogram
	restoreRecords  prometheus.Counter
	restoreFailures *prometheus.CounterVec
	stateRecords    prometheus.Counter
	stateBytes      prometheus.Counter
	openCalls       *prometheus.GaugeVec
	dormantCalls    *prometheus.GaugeVec
	woken           prometheus.Counter
	rebalances      prometheus.Counter
	sessionRestarts prometheus.Counter
	// forcedRebalances counts how often partitions had no owner.
	forcedRebalances prometheus.Counter
	fetchErrors      prometheus.Counter
	reloadErrors     prometheus.Counter
	reloadFailed     *prometheus.GaugeVec
	subthreshold     *prometheus.CounterVec
	leftovers        prometheus.Counter
	indirect         *indirectMetrics
	risk             *riskMetrics
	remote           *remoteMetrics
	policy           *prometheus.GaugeVec
	epsilon          *prometheus.GaugeVec
	inputChars       prometheus.Counter
	redactedChars    prometheus.Counter
	detections       *prometheus.CounterVec
	endToEnd         prometheus.Histogram
	lag              *prometheus.GaugeVec
	assigned         *prometheus.GaugeVec
	heldBytes        *prometheus.GaugeVec
	oldestCall       *prometheus.GaugeVec
	stopped          *prometheus.GaugeVec
}

// MetricInfo describes one metric for people.
type MetricInfo struct {
	Name   string
	Type   string // counter, gauge or histogram
	Labels []string
	Help   string
}

// Metrics lists the processor's own metrics in the order of their registration.
// ClientMetrics lists those of the Kafka client.
func Metrics() []MetricInfo {
	d := &definer{Factory: promauto.With(prometheus.NewRegistry())}
	newMetrics(d)
	newHealthMetrics(d, nil) // nobody reads them here
	return d.infos
}

// definer registers metrics and records their descriptions.
type definer struct {
	promauto.Factory
	infos []MetricInfo
}

func (d *definer) note(kind, name, help string, labels ...string) {
	d.infos = append(d.infos, MetricInfo{Name: "sotto_" + name, Type: kind, Labels: labels, Help: help})
}

func newMetrics(d *definer) *metrics {
	counter := func(name, help string) prometheus.Counter {
		d.note("counter", name, help)
		return d.NewCounter(prometheus.CounterOpts{Namespace: "sotto", Name: name, Help: help})
	}
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		d.note("counter", name, help, labels...)
		return d.NewCounterVec(prometheus.CounterOpts{Namespace: "sotto", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		d.note("gauge", name, help, labels...)
		return d.NewGaugeVec(prometheus.GaugeOpts{Namespace: "sotto", Name: name, Help: help}, labels)
	}
	seconds := func(name, help string) prometheus.Histogram {
		d.note("histogram", name, help)
		return d.NewHistogram(prometheus.HistogramOpts{Namespace: "sotto", Name: name, Help: help,
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16), NativeHistogramBucketFactor: 1.1})
	}
	return &metrics{
		recordsIn:        counter("raw_records_total", "Raw records consumed in committed transactions."),
		events:           vec("events_total", "Events written in committed transactions, by topic kind.", "kind"),
		utterances:       counter("utterances_total", "Utterances anonymized in committed transactions."),
		entities:         vec("entities_total", "Spans replaced in committed transactions, by infoType.", "infotype"),
		deadLetters:      vec("dead_letters_total", "Raw records that became dead letters, by reason.", "reason"),
		otherLanguages:   vec("other_language_utterances_total", "Utterances in languages other than English, by language and decision (SOTTO_OTHER_LANGUAGES).", "language", "decision"),
		interim:          counter("interim_dropped_total", "Interim hypotheses dropped."),
		late:             counter("late_events_total", "Events that arrived after their call had expired."),
		idleEnds:         counter("calls_closed_idle_total", "Calls closed because they were idle."),
		held:             counter("events_held_total", "Utterances deferred until later ones (SOTTO_HOLD_BACK_UTTERANCES)."),
		mismatches:       counter("key_mismatches_total", "Raw records whose key is not their call ID (SOTTO_KEY_MISMATCH)."),
		commits:          counter("transactions_committed_total", "Transactions committed."),
		aborts:           vec("transactions_aborted_total", "Transactions aborted, by reason.", "reason"),
		commitSeconds:    seconds("commit_seconds", "Time from the end of a transaction's records to its commit."),
		restoreSeconds:   seconds("restore_seconds", "Time to restore a partition."),
		restoreRecords:   counter("restore_records_total", "State records read by restores."),
		restoreFailures:  vec("restore_failures_total", "Restores that failed, by kind.", "kind"),
		stateRecords:     counter("state_records_total", "Call states written in committed transactions."),
		stateBytes:       counter("state_bytes_total", "Bytes of call states written in committed transactions."),
		openCalls:        gauge("open_calls", "Calls in memory, by session.", "session"),
		dormantCalls:     gauge("dormant_calls", "Calls in memory whose state is sealed until their next event (SOTTO_CALL_DORMANT_AFTER, SOTTO_MAX_AWAKE_CALLS), by session.", "session"),
		woken:            counter("calls_woken_total", "Dormant calls whose state was opened for an event or a timer."),
		rebalances:       counter("rebalances_total", "Assignments received."),
		sessionRestarts:  counter("session_restarts_total", "Sessions that failed and were recreated."),
		forcedRebalances: counter("forced_rebalances_total", "Rebalances that were forced because a raw partition had no owner."),
		fetchErrors:      counter("fetch_errors_total", "Fetches from the raw topic that failed."),
		reloadErrors:     counter("reload_errors_total", "Failures to reload dictionaries or keys."),
		reloadFailed:     gauge("reload_failed", "1 if the last reload of the dictionaries or the keys failed, so that the previous ones are in force, else 0.", "what"),
		subthreshold:     vec("subthreshold_findings_total", "Spans that a detector found and that stayed in the clean text, because their likelihood was too low, by infoType.", "infotype"),
		leftovers:        counter("closing_pass_masks_total", "Spans that only the closing pass masked, in the final versions of calls."),
		indirect:         newIndirectMetrics(counter, gauge),
		risk:             newRiskMetrics(d),
		remote:           newRemoteMetrics(counter, vec, seconds, gauge),
		epsilon:          gauge("privacy_epsilon", "Bound on what one token of the output reveals (equation (2) of docs/replacement.md), by infoType; 0 for tags.", "infotype"),
		policy:           gauge("policy_info", "1 for the policy in force.", "policy"),
		inputChars:       counter("input_characters_total", "Characters of raw utterances in committed transactions."),
		redactedChars:    counter("redacted_characters_total", "Characters of raw utterances that were replaced in committed transactions."),
		detections:       vec("detections_total", "Spans replaced in committed transactions, by the detector that found them.", "detector"),
		endToEnd:         seconds("end_to_end_seconds", "Time from a raw record's timestamp to the commit of its outputs."),
		lag:              gauge("lag_records", "Offsets from the consumed position to the end of the raw partition as of the last fetch; a transaction marker at the end counts as one.", "partition"),
		assigned:         gauge("assigned_partitions", "Raw partitions assigned to the session.", "session"),
		stopped:          gauge("stopped_partitions", "Raw partitions that are stopped because their state cannot be read, by session.", "session"),
		heldBytes:        gauge("state_held_bytes", "Size of the sealed states of the calls in memory, by session.", "session"),
		oldestCall:       gauge("oldest_open_call_seconds", "Event time since the oldest open call began, by session.", "session"),
	}
}

// clientMetrics returns the metrics of a session's Kafka client. Each client
// needs its own.
func clientMetrics(r *prometheus.Registry, session int) kgo.Hook {
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"session": strconv.Itoa(session)}, r)
	return clientHook(labelled)
}

func (m *metrics) setPolicy(policy string) {
	m.policy.Reset()
	m.policy.WithLabelValues(policy).Set(1)
}

func (m *metrics) restored(records int, took time.Duration) {
	m.restoreSeconds.Observe(took.Seconds())
	m.restoreRecords.Add(float64(records))
}

// reloaded notes the outcome of a reload of the dictionaries or the keys.
func (m *metrics) reloaded(what string, err error) {
	failed := 0.0
	if err != nil {
		failed = 1
		m.reloadErrors.Inc()
	}
	m.reloadFailed.WithLabelValues(what).Set(failed)
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
	add(m.events.WithLabelValues("final"), c.final)
	add(m.leftovers, c.leftovers)
	add(m.indirect.identifying, c.identifying)
	add(m.indirect.records, c.graphRecords)
	add(m.indirect.forgotten, c.forgotten)
	add(m.utterances, c.utterances)
	add(m.inputChars, c.inputChars)
	add(m.redactedChars, c.redactedChars)
	add(m.late, c.late)
	add(m.idleEnds, c.idleEnds)
	add(m.held, c.held)
	add(m.mismatches, c.mismatches)
	add(m.stateRecords, c.states)
	add(m.stateBytes, c.stateBytes)
	add(m.woken, c.woken)
	add(m.interim, c.interim)
	for reason, n := range c.dead {
		add(m.deadLetters.WithLabelValues(reason), n)
	}
	for t, n := range c.otherLanguages {
		add(m.otherLanguages.WithLabelValues(t.language, t.decision), n)
	}
	for t, n := range c.byType {
		add(m.entities.WithLabelValues(t), n)
	}
	for t, n := range c.subthreshold {
		add(m.subthreshold.WithLabelValues(t), n)
	}
	m.risk.ended(c.ends)
	for detector, n := range c.byDetector {
		add(m.detections.WithLabelValues(detector), n)
	}
}

func (c *counts) addDead(reason string) {
	if c.dead == nil {
		c.dead = map[string]int{}
	}
	c.dead[reason]++
}
