package telemetry

import (
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/schemas"
	"sotto/training/corpus/indirect/live"
)

// Metrics are the processor's own metrics; Definer describes their tags. Label values come from fixed sets and
// never from a call. Aborted transactions are not counted.
type Metrics struct {
	Kafka            kafkaRequests
	RecordsIn        prometheus.Counter     `metric:"raw_records_total" help:"Raw records consumed in committed transactions."`
	Events           *prometheus.CounterVec `metric:"events_total" labels:"kind" help:"Events written in committed transactions, by topic kind."`
	Utterances       prometheus.Counter     `metric:"utterances_total" help:"Utterances anonymized in committed transactions."`
	Entities         *prometheus.CounterVec `metric:"entities_total" labels:"infotype" help:"Spans replaced in committed transactions, by infoType."`
	DeadLetters      *prometheus.CounterVec `metric:"dead_letters_total" labels:"reason" help:"Raw records that became dead letters, by reason."`
	OtherLanguages   *prometheus.CounterVec `metric:"other_language_utterances_total" labels:"language,decision" help:"Utterances in languages other than English, by language and decision (SOTTO_OTHER_LANGUAGES)."`
	Dropped          *prometheus.CounterVec `metric:"messages_dropped_total" labels:"reason" help:"Messages of the raw topic of which nothing came, by reason: what the mapping of SOTTO_RAW_FORMAT ignores, silence, what was sent again."`
	OutOfSequence    *prometheus.CounterVec `metric:"events_out_of_sequence_total" labels:"kind" help:"Raw events whose seq is not larger than all before in their call: repeated (the one before has the same, so that a reader who drops duplicates keeps one of them) or lower."`
	Interim          prometheus.Counter     `metric:"interim_dropped_total" help:"Interim hypotheses dropped."`
	Late             prometheus.Counter     `metric:"late_events_total" help:"Events that arrived after their call had expired."`
	IdleEnds         prometheus.Counter     `metric:"calls_closed_idle_total" help:"Calls closed because they were idle."`
	Commits          prometheus.Counter     `metric:"transactions_committed_total" help:"Transactions committed."`
	Aborts           *prometheus.CounterVec `metric:"transactions_aborted_total" labels:"reason" help:"Transactions aborted, by reason."`
	CommitSeconds    prometheus.Observer    `metric:"commit_seconds" help:"Time from the end of a transaction's records to its commit."`
	RestoreSeconds   prometheus.Observer    `metric:"restore_seconds" help:"Time to restore a partition."`
	RestoreRecords   prometheus.Counter     `metric:"restore_records_total" help:"State records read by restores."`
	RestoreFailures  *prometheus.CounterVec `metric:"restore_failures_total" labels:"kind" help:"Restores that failed, by kind."`
	StateRecords     prometheus.Counter     `metric:"state_records_total" help:"Call states written in committed transactions."`
	StateBytes       prometheus.Counter     `metric:"state_bytes_total" help:"Bytes of call states written in committed transactions."`
	OpenCalls        *prometheus.GaugeVec   `metric:"open_calls" labels:"session" help:"Calls in memory, by session."`
	DormantCalls     *prometheus.GaugeVec   `metric:"dormant_calls" labels:"session" help:"Calls in memory whose state is sealed until their next event (SOTTO_CALL_DORMANT_AFTER), by session."`
	Rebalances       prometheus.Counter     `metric:"rebalances_total" help:"Assignments received."`
	SessionRestarts  prometheus.Counter     `metric:"session_restarts_total" help:"Sessions that failed and were recreated."`
	ForcedRebalances prometheus.Counter     `metric:"forced_rebalances_total" help:"Rebalances that were forced because a raw partition had no owner."`
	FetchErrors      prometheus.Counter     `metric:"fetch_errors_total" help:"Fetches from the raw topic that failed."`
	ReloadErrors     prometheus.Counter     `metric:"reload_errors_total" help:"Failures to reload dictionaries or keys."`
	ReloadFailed     *prometheus.GaugeVec   `metric:"reload_failed" labels:"what" help:"1 if the last reload of the dictionaries or the keys failed, so that the previous ones are in force, else 0."`
	Subthreshold     *prometheus.CounterVec `metric:"subthreshold_findings_total" labels:"infotype" help:"Spans that a detector found and that stayed in the clean text, because their likelihood was too low, by infoType."`
	Leftovers        prometheus.Counter     `metric:"closing_pass_masks_total" help:"Spans that only the closing pass masked, in the final versions of calls."`
	Indirect         indirectMetrics
	Risk             riskMetrics
	Remote           remoteMetrics
	Policy           *prometheus.GaugeVec   `metric:"policy_info" labels:"policy" help:"1 for the policy in force."`
	InputChars       prometheus.Counter     `metric:"input_characters_total" help:"Characters of raw utterances in committed transactions."`
	RedactedChars    prometheus.Counter     `metric:"redacted_characters_total" help:"Characters of raw utterances that were replaced in committed transactions."`
	Detections       *prometheus.CounterVec `metric:"detections_total" labels:"detector" help:"Spans replaced in committed transactions, by the detector that found them."`
	EndToEnd         prometheus.Observer    `metric:"end_to_end_seconds" help:"Time from a raw record's timestamp to the commit of its outputs."`
	Lag              *prometheus.GaugeVec   `metric:"lag_records" labels:"partition" help:"Offsets from the first record of the raw partition that waits to its end, what is behind an open transaction included; 0 if none waits."`
	OpenTransaction  *prometheus.GaugeVec   `metric:"open_transaction_seconds" labels:"partition" help:"Time for which records of the raw partition have waited behind an open transaction of a producer; 0 for none."`
	Assigned         *prometheus.GaugeVec   `metric:"assigned_partitions" labels:"session" help:"Raw partitions assigned to the session."`
	Stopped          *prometheus.GaugeVec   `metric:"stopped_partitions" labels:"session" help:"Raw partitions that are stopped because their state cannot be read, by session."`
	StateMemory      *prometheus.GaugeVec   `metric:"state_memory_bytes" labels:"session" help:"Size of the sealed states of the calls in memory, by session."`
	OldestCall       *prometheus.GaugeVec   `metric:"oldest_open_call_seconds" labels:"session" help:"Event time since the oldest open call began, by session."`
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
	d.Define(&Metrics{})
	NewHealthMetrics(d, nil, nil, nil, nil) // nobody reads them here
	return d.Infos
}

// Definer registers metrics and records their descriptions.
type Definer struct {
	promauto.Factory
	Infos []Metric
}

// Define registers the metrics that are fields of a struct, and of structs in it. They have these tags:
//
//   - metric: the name without its prefix
//   - labels: the labels that it has, separated by commas
//   - buckets: those of a histogram, if not seconds
//   - help: what it means
func (d *Definer) Define(metrics any) { d.define(reflect.ValueOf(metrics).Elem()) }

func (d *Definer) define(metrics reflect.Value) {
	for f, v := range metrics.Fields() {
		name, help := f.Tag.Get("metric"), f.Tag.Get("help")
		labels := strings.FieldsFunc(f.Tag.Get("labels"), func(r rune) bool { return r == ',' })
		opts := prometheus.Opts{Namespace: namespace, Name: name, Help: help}
		histogram := func() *prometheus.HistogramVec {
			return d.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help,
				Buckets: buckets[f.Tag.Get("buckets")], NativeHistogramBucketFactor: 1.1}, labels)
		}
		if name == "" {
			if v.Kind() == reflect.Struct {
				d.define(v)
			}
			continue
		}
		kind := "counter"
		switch to := v.Addr().Interface().(type) {
		case *prometheus.Counter:
			*to = d.NewCounter(prometheus.CounterOpts(opts))
		case **prometheus.CounterVec:
			*to = d.NewCounterVec(prometheus.CounterOpts(opts), labels)
		case *prometheus.Gauge:
			kind, *to = "gauge", d.NewGauge(prometheus.GaugeOpts(opts))
		case **prometheus.GaugeVec:
			kind, *to = "gauge", d.NewGaugeVec(prometheus.GaugeOpts(opts), labels)
		case *prometheus.Observer:
			kind, *to = "histogram", histogram().WithLabelValues()
		case **prometheus.HistogramVec:
			kind, *to = "histogram", histogram()
		}
		d.note(kind, name, help, labels...)
	}
}

const namespace = "sotto"

func (d *Definer) note(kind, name, help string, labels ...string) {
	d.Infos = append(d.Infos, Metric{Name: namespace + "_" + name, Type: kind, Labels: labels, Help: help})
}

// buckets are those of the histograms, by the tag buckets.
var buckets = map[string][]float64{
	"":       prometheus.ExponentialBuckets(0.001, 2, 16),            // times from a millisecond to half a minute
	"canary": prometheus.ExponentialBuckets(0.01, 2, 14),             // of a round trip, to a minute and a half
	"risk":   {0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20}, // finest around the threshold
}

// NewHealthMetrics registers metrics whose values are computed at each scrape. They keep
// their meaning when a session is stuck.
func NewHealthMetrics(d *Definer, ready func() error, pollAge, commitWait, oldestUncommitted func() float64) {
	gauge := func(name, help string, value func() float64) {
		d.note("gauge", name, help)
		d.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value)
	}
	gauge("ready", "1 if /readyz reports that the process is ready, else 0.", func() float64 {
		if ready() != nil {
			return 0
		}
		return 1
	})
	gauge("poll_age_seconds", "Time since the last poll of the raw topic, of the session that polled longest ago.", pollAge)
	gauge("commit_wait_seconds", "Time for which there has been something to commit and nothing was committed, of the session that waits longest; 0 if nothing waits.", commitWait)
	gauge("oldest_uncommitted_seconds", "Age of the oldest raw record that is known and not committed; 0 for none.", oldestUncommitted)
}

// kafkaRequests observes how long requests to the brokers take. Sessions share it.
type kafkaRequests struct {
	Seconds *prometheus.HistogramVec `metric:"kafka_request_seconds" labels:"broker" help:"Time from the start of writing a request to a broker to the end of its response."`
}

// OnBrokerE2E implements kgo.HookBrokerE2E.
func (k kafkaRequests) OnBrokerE2E(broker kgo.BrokerMetadata, _ int16, took kgo.BrokerE2E) {
	if took.Err() == nil {
		k.Seconds.WithLabelValues(kgo.NodeName(broker.NodeID)).Observe(took.DurationE2E().Seconds())
	}
}

func (m *Metrics) SetPolicy(policy string) {
	m.Policy.Reset()
	m.Policy.WithLabelValues(policy).Set(1)
}

func (m *Metrics) Restored(records int, took time.Duration) {
	m.RestoreSeconds.Observe(took.Seconds())
	m.RestoreRecords.Add(float64(records))
}

// Reloaded notes the outcome of a reload of the dictionaries or the keys.
func (m *Metrics) Reloaded(what string, err error) {
	failed := 0.0
	if err != nil {
		failed = 1
		m.ReloadErrors.Inc()
	}
	m.ReloadFailed.WithLabelValues(what).Set(failed)
}

// Count adds what a worker or the session did in a committed transaction.
func (m *Metrics) Count(c *Counts) {
	add := func(to prometheus.Counter, n int) {
		if n > 0 {
			to.Add(float64(n))
		}
	}
	add(m.Events.WithLabelValues("clean"), c.Clean)
	add(m.Events.WithLabelValues("audit"), c.Audit)
	add(m.Events.WithLabelValues("final"), c.Final)
	add(m.Leftovers, c.Leftovers)
	add(m.Indirect.Forgotten, c.Forgotten)
	add(m.Utterances, c.Utterances)
	add(m.InputChars, c.InputChars)
	add(m.RedactedChars, c.RedactedChars)
	add(m.Late, c.Late)
	add(m.IdleEnds, c.IdleEnds)
	add(m.StateRecords, c.States)
	add(m.StateBytes, c.StateBytes)
	add(m.Interim, c.Interim)
	for t, n := range c.otherLanguages {
		add(m.OtherLanguages.WithLabelValues(t.language, t.decision), n)
	}
	addAll := func(to *prometheus.CounterVec, counts map[string]int) {
		for label, n := range counts {
			add(to.WithLabelValues(label), n)
		}
	}
	addAll(m.DeadLetters, c.Dead)
	addAll(m.Dropped, c.dropped)
	addAll(m.OutOfSequence, c.outOfSequence)
	addAll(m.Entities, c.byType)
	addAll(m.Subthreshold, c.subthreshold)
	addAll(m.Detections, c.byDetector)
	m.Risk.ended(c.Ends)
}

// Handler serves metrics in the format that the scraper asks for: text,
// OpenMetrics with exemplars, or protobuf with native histograms.
func Handler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{Registry: r, EnableOpenMetrics: true})
}

type indirectMetrics struct {
	Forgotten  prometheus.Counter   `metric:"indirect_forgotten_total" help:"Words of too few calls that the graphs forgot to make room for others (SOTTO_INDIRECT_MAX_WORDS)."`
	LeastCalls *prometheus.GaugeVec `metric:"indirect_counted_calls" labels:"session" help:"Calls that were counted in the session's partition with the fewest; words are marked from SOTTO_INDIRECT_MIN_CALLS on."`
	Words      *prometheus.GaugeVec `metric:"indirect_words" labels:"session,kind" help:"Words in the graphs of the session's partitions: safe, or open while too few calls use them."`
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

type remoteMetrics struct {
	Requests   prometheus.Counter     `metric:"remote_requests_total" help:"Requests to the remote detection tier, those of aborted transactions and retries counted in."`
	Bytes      prometheus.Counter     `metric:"remote_bytes_total" help:"Bytes of text sent to the remote detection tier."`
	Utterances *prometheus.CounterVec `metric:"remote_utterances_total" labels:"outcome" help:"Utterances the remote detection tier was asked about, by outcome: answered, remembered (no request was needed), unavailable or refused."`
}

func (m *remoteMetrics) Add(n remote.Usage) {
	m.Requests.Add(float64(n.Requests))
	m.Bytes.Add(float64(n.Bytes))
	for outcome, count := range map[string]int{"answered": n.Answered, "remembered": n.Remembered, "unavailable": n.Unavailable, "refused": n.Refused} {
		if count > 0 {
			m.Utterances.WithLabelValues(outcome).Add(float64(count))
		}
	}
}

// Counts are what a worker did in the open transaction. They reach the metrics
// when it commits.
type Counts struct {
	Clean, Audit, Late, Interim, Utterances, IdleEnds, States, StateBytes int
	InputChars, RedactedChars, Final, Leftovers                           int
	Forgotten                                                             int
	Ends                                                                  []CallEnd
	Dead, byType, byDetector, subthreshold                                map[string]int // by reason, by infoType
	dropped, outOfSequence                                                map[string]int // by reason, by kind
	otherLanguages                                                        map[languageTurn]int
}

// languageTurn is a turn in another language than English and what became of it.
type languageTurn struct{ language, decision string }

// Language counts an event if it is in another language.
func (c *Counts) Language(d anonymize.LanguageDecision, decision string) {
	if d.Language != "" {
		count(&c.otherLanguages, languageTurn{d.Language, decision})
	}
}

func (c *Counts) Entity(e *schemas.Entity) {
	count(&c.byType, e.Type)
	count(&c.byDetector, e.Detector)
}

// AddSubthreshold counts findings below the threshold, which are not masked.
func (c *Counts) AddSubthreshold(found []detectors.SubthresholdFinding) {
	for _, f := range found {
		count(&c.subthreshold, string(f.Type))
	}
}

func (c *Counts) AddDead(reason string) { count(&c.Dead, reason) }

// AddDropped counts a message of others of which nothing came.
func (c *Counts) AddDropped(reason string) { count(&c.dropped, reason) }

// AddOutOfSequence counts an event whose number does not grow: it is that of the event before, or lower.
func (c *Counts) AddOutOfSequence(repeated bool) {
	kind := "lower"
	if repeated {
		kind = "repeated"
	}
	count(&c.outOfSequence, kind)
}

func count[K comparable](counts *map[K]int, key K) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key]++
}

// Characters counts how much of an utterance was replaced: the clean text
// outside of the tags is what remains of the raw text.
func (c *Counts) Characters(raw string, clean *schemas.CleanEvent) {
	input := utf8.RuneCountInString(raw)
	left := utf8.RuneCountInString(clean.Text)
	for i := range clean.Entities {
		left -= clean.Entities[i].End - clean.Entities[i].Start
	}
	c.InputChars += input
	c.RedactedChars += max(0, input-left)
}
