package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Metrics are the processor's own metrics. Label values come from fixed sets and
// never from a call. Aborted transactions are not counted.
type Metrics struct {
	RecordsIn       prometheus.Counter
	events          *prometheus.CounterVec
	utterances      prometheus.Counter
	entities        *prometheus.CounterVec
	deadLetters     *prometheus.CounterVec
	otherLanguages  *prometheus.CounterVec
	interim         prometheus.Counter
	late            prometheus.Counter
	idleEnds        prometheus.Counter
	Commits         prometheus.Counter
	Aborts          *prometheus.CounterVec
	CommitSeconds   prometheus.Observer
	restoreSeconds  prometheus.Observer
	restoreRecords  prometheus.Counter
	RestoreFailures *prometheus.CounterVec
	stateRecords    prometheus.Counter
	stateBytes      prometheus.Counter
	OpenCalls       *prometheus.GaugeVec
	DormantCalls    *prometheus.GaugeVec
	Rebalances      prometheus.Counter
	SessionRestarts prometheus.Counter
	// ForcedRebalances counts how often partitions had no owner.
	ForcedRebalances prometheus.Counter
	FetchErrors      prometheus.Counter
	reloadErrors     prometheus.Counter
	reloadFailed     *prometheus.GaugeVec
	subthreshold     *prometheus.CounterVec
	leftovers        prometheus.Counter
	Indirect         *indirectMetrics
	Risk             *riskMetrics
	Remote           *remoteMetrics
	policy           *prometheus.GaugeVec
	inputChars       prometheus.Counter
	redactedChars    prometheus.Counter
	detections       *prometheus.CounterVec
	EndToEnd         prometheus.Observer
	Lag              *prometheus.GaugeVec
	Assigned         *prometheus.GaugeVec
	StateMemory      *prometheus.GaugeVec
	OldestCall       *prometheus.GaugeVec
	Stopped          *prometheus.GaugeVec
	Kafka            kafkaRequests
}

// Metric describes one metric for people.
type Metric struct {
	Name   string
	Type   string // counter, gauge or histogram
	Labels []string
	Help   string
}

// Describe lists the processor's own metrics in the order of their registration.
func Describe() []Metric {
	d := &Definer{Factory: promauto.With(prometheus.NewRegistry())}
	NewMetrics(d)
	NewHealthMetrics(d, nil, nil, nil, nil) // nobody reads them here
	return d.Infos
}

// Definer registers metrics and records their descriptions.
type Definer struct {
	promauto.Factory
	Infos []Metric
}

func (d *Definer) note(kind, name, help string, labels ...string) {
	d.Infos = append(d.Infos, Metric{Name: "sotto_" + name, Type: kind, Labels: labels, Help: help})
}

func (d *Definer) Counter(name, help string) prometheus.Counter {
	d.note("counter", name, help)
	return d.NewCounter(prometheus.CounterOpts{Namespace: "sotto", Name: name, Help: help})
}

func (d *Definer) Vec(name, help string, labels ...string) *prometheus.CounterVec {
	d.note("counter", name, help, labels...)
	return d.NewCounterVec(prometheus.CounterOpts{Namespace: "sotto", Name: name, Help: help}, labels)
}

func (d *Definer) Gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	d.note("gauge", name, help, labels...)
	return d.NewGaugeVec(prometheus.GaugeOpts{Namespace: "sotto", Name: name, Help: help}, labels)
}

// secondBuckets are those of times, from a millisecond to half a minute.
var secondBuckets = prometheus.ExponentialBuckets(0.001, 2, 16)

func (d *Definer) Histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	d.note("histogram", name, help, labels...)
	return d.NewHistogramVec(prometheus.HistogramOpts{Namespace: "sotto", Name: name, Help: help,
		Buckets: buckets, NativeHistogramBucketFactor: 1.1}, labels)
}

func (d *Definer) Seconds(name, help string) prometheus.Observer {
	return d.Histogram(name, help, secondBuckets).WithLabelValues()
}

func NewMetrics(d *Definer) *Metrics {
	return &Metrics{
		Kafka:            kafkaRequests{d.Histogram("kafka_request_seconds", "Time from the start of writing a request to a broker to the end of its response.", secondBuckets, "broker")},
		RecordsIn:        d.Counter("raw_records_total", "Raw records consumed in committed transactions."),
		events:           d.Vec("events_total", "Events written in committed transactions, by topic kind.", "kind"),
		utterances:       d.Counter("utterances_total", "Utterances anonymized in committed transactions."),
		entities:         d.Vec("entities_total", "Spans replaced in committed transactions, by infoType.", "infotype"),
		deadLetters:      d.Vec("dead_letters_total", "Raw records that became dead letters, by reason.", "reason"),
		otherLanguages:   d.Vec("other_language_utterances_total", "Utterances in languages other than English, by language and decision (SOTTO_OTHER_LANGUAGES).", "language", "decision"),
		interim:          d.Counter("interim_dropped_total", "Interim hypotheses dropped."),
		late:             d.Counter("late_events_total", "Events that arrived after their call had expired."),
		idleEnds:         d.Counter("calls_closed_idle_total", "Calls closed because they were idle."),
		Commits:          d.Counter("transactions_committed_total", "Transactions committed."),
		Aborts:           d.Vec("transactions_aborted_total", "Transactions aborted, by reason.", "reason"),
		CommitSeconds:    d.Seconds("commit_seconds", "Time from the end of a transaction's records to its commit."),
		restoreSeconds:   d.Seconds("restore_seconds", "Time to restore a partition."),
		restoreRecords:   d.Counter("restore_records_total", "State records read by restores."),
		RestoreFailures:  d.Vec("restore_failures_total", "Restores that failed, by kind.", "kind"),
		stateRecords:     d.Counter("state_records_total", "Call states written in committed transactions."),
		stateBytes:       d.Counter("state_bytes_total", "Bytes of call states written in committed transactions."),
		OpenCalls:        d.Gauge("open_calls", "Calls in memory, by session.", "session"),
		DormantCalls:     d.Gauge("dormant_calls", "Calls in memory whose state is sealed until their next event (SOTTO_CALL_DORMANT_AFTER), by session.", "session"),
		Rebalances:       d.Counter("rebalances_total", "Assignments received."),
		SessionRestarts:  d.Counter("session_restarts_total", "Sessions that failed and were recreated."),
		ForcedRebalances: d.Counter("forced_rebalances_total", "Rebalances that were forced because a raw partition had no owner."),
		FetchErrors:      d.Counter("fetch_errors_total", "Fetches from the raw topic that failed."),
		reloadErrors:     d.Counter("reload_errors_total", "Failures to reload dictionaries or keys."),
		reloadFailed:     d.Gauge("reload_failed", "1 if the last reload of the dictionaries or the keys failed, so that the previous ones are in force, else 0.", "what"),
		subthreshold:     d.Vec("subthreshold_findings_total", "Spans that a detector found and that stayed in the clean text, because their likelihood was too low, by infoType.", "infotype"),
		leftovers:        d.Counter("closing_pass_masks_total", "Spans that only the closing pass masked, in the final versions of calls."),
		Indirect:         newIndirectMetrics(d),
		Risk:             newRiskMetrics(d),
		Remote:           newRemoteMetrics(d),
		policy:           d.Gauge("policy_info", "1 for the policy in force.", "policy"),
		inputChars:       d.Counter("input_characters_total", "Characters of raw utterances in committed transactions."),
		redactedChars:    d.Counter("redacted_characters_total", "Characters of raw utterances that were replaced in committed transactions."),
		detections:       d.Vec("detections_total", "Spans replaced in committed transactions, by the detector that found them.", "detector"),
		EndToEnd:         d.Seconds("end_to_end_seconds", "Time from a raw record's timestamp to the commit of its outputs."),
		Lag:              d.Gauge("lag_records", "Offsets from the consumed position to the end of the raw partition as of the last fetch; a transaction marker at the end counts as one.", "partition"),
		Assigned:         d.Gauge("assigned_partitions", "Raw partitions assigned to the session.", "session"),
		Stopped:          d.Gauge("stopped_partitions", "Raw partitions that are stopped because their state cannot be read, by session.", "session"),
		StateMemory:      d.Gauge("state_memory_bytes", "Size of the sealed states of the calls in memory, by session.", "session"),
		OldestCall:       d.Gauge("oldest_open_call_seconds", "Event time since the oldest open call began, by session.", "session"),
	}
}

// kafkaRequests observes how long requests to the brokers take. Sessions share it.
type kafkaRequests struct{ seconds *prometheus.HistogramVec }

// OnBrokerE2E implements kgo.HookBrokerE2E.
func (k kafkaRequests) OnBrokerE2E(broker kgo.BrokerMetadata, _ int16, took kgo.BrokerE2E) {
	if took.Err() == nil {
		k.seconds.WithLabelValues(kgo.NodeName(broker.NodeID)).Observe(took.DurationE2E().Seconds())
	}
}

func (m *Metrics) SetPolicy(policy string) {
	m.policy.Reset()
	m.policy.WithLabelValues(policy).Set(1)
}

func (m *Metrics) Restored(records int, took time.Duration) {
	m.restoreSeconds.Observe(took.Seconds())
	m.restoreRecords.Add(float64(records))
}

// Reloaded notes the outcome of a reload of the dictionaries or the keys.
func (m *Metrics) Reloaded(what string, err error) {
	failed := 0.0
	if err != nil {
		failed = 1
		m.reloadErrors.Inc()
	}
	m.reloadFailed.WithLabelValues(what).Set(failed)
}

// Count adds what a worker or the session did in a committed transaction.
func (m *Metrics) Count(c *Counts) {
	add := func(to prometheus.Counter, n int) {
		if n > 0 {
			to.Add(float64(n))
		}
	}
	add(m.events.WithLabelValues("clean"), c.Clean)
	add(m.events.WithLabelValues("audit"), c.Audit)
	add(m.events.WithLabelValues("final"), c.Final)
	add(m.leftovers, c.Leftovers)
	add(m.Indirect.forgotten, c.Forgotten)
	add(m.utterances, c.Utterances)
	add(m.inputChars, c.InputChars)
	add(m.redactedChars, c.RedactedChars)
	add(m.late, c.Late)
	add(m.idleEnds, c.IdleEnds)
	add(m.stateRecords, c.States)
	add(m.stateBytes, c.StateBytes)
	add(m.interim, c.Interim)
	for reason, n := range c.Dead {
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
	m.Risk.ended(c.Ends)
	for detector, n := range c.byDetector {
		add(m.detections.WithLabelValues(detector), n)
	}
}

// Handler serves metrics in the format that the scraper asks for: text,
// OpenMetrics with exemplars, or protobuf with native histograms.
func Handler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{Registry: r, EnableOpenMetrics: true})
}
