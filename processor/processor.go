// Package processor is the Kafka session of the stream and its transactions: it consumes raw call
// events, passes each to the worker that owns its call, and writes clean events, audit events, dead
// letters, call states and consumed offsets in one transaction.
//
// The path of a record: a session polls and decodes it (preparer). Its partition decides, in the
// order of the log, what it means for its call (package partition). The worker that owns the call
// anonymizes it (worker). At the commit interval the session waits for the workers, writes the
// changed states and ends the transaction (session). When a partition is assigned, its calls are
// restored first (restore). Package telemetry shows operators what happens.
//
// Invariants:
//   - Outputs, states, tombstones and offsets of a record are in one transaction. Whatever crashes,
//     readers of committed records see each event once, with the same numbers.
//   - What is in memory follows the transaction: committed with it, or rolled back with it. If the
//     outcome is unknown, the session is given up and its successor reads what was committed.
//   - One goroutine owns each piece of data; docs/architecture.md says which.
//   - An event that fails becomes a dead letter. Nothing of a raw event is in a dead letter, a log,
//     a metric or an error.
package processor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/anonymize/intake"
	"sotto/anonymize/intake/mapping"
	"sotto/config"
	"sotto/config/kafka"
	"sotto/detectors/remote"
	"sotto/internal/boundedfile"
	"sotto/processor/partition"
	"sotto/processor/telemetry"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state/sealing"
)

// engine is what drives the stream's conversations; tests wrap it to inject faults.
type engine interface{ anonymize.Anonymizer }

// Processor runs the sessions of one process. New makes one, Run runs it once.
type Processor struct {
	settings config.Settings
	log      *slog.Logger
	registry *prometheus.Registry
	metrics  *telemetry.Metrics
	audit    partition.Auditor
	gate     *ending.Gate
	rules    intake.Rules
	codec    *schemas.Codec
	tracing  *telemetry.Tracing // set by Run
	remote   *remote.Tier       // nil for none
	txnID    string
	workers  int
	now      func() time.Time
	// maxRecord bounds what Sotto writes: maxRecordBytes, less if an output topic permits
	// less.
	maxRecord atomic.Int64
	// commitPatience is how long a session may have something to commit and be ready.
	commitPatience time.Duration
	// groupPatience is how long a session may have no answer of the group's
	// coordinator and be ready.
	groupPatience time.Duration
	// These are the constants of their names, less in tests.
	topicPatience, fetchPatience, ownerInterval, transactionPatience, topicsInterval time.Duration
	// outputPartitions are those of the output topics. Each check of the topics sets them.
	outputPartitions atomic.Pointer[partition.OutputPartitions]
	// seenPartitions is what watchTopics has counted last.
	seenPartitions partition.OutputPartitions
	// rawPartitions is how many partitions the raw topic had when a session first counted them, 0 before.
	rawPartitions atomic.Int64
	grace         time.Duration
	wrap          func(engine) engine
	replay        *replay // nil: no end
	extra         []kgo.Opt

	keys   atomic.Pointer[sealing.Keyring]
	engine atomic.Pointer[engineBox]
	// watch loads changed files again until its context is done.
	watch func(context.Context, time.Duration, func(name string, err error))

	// retention is how long the topics keep the events of a call or its tombstone,
	// in ms; 0 if that is not known or not limited.
	retention atomic.Int64

	waiting [maxSessions]waiting
	recent  recent

	positions positions
	foreign   foreigners
	// wrongTopics is what watchTopics has found last.
	wrongTopics atomic.Pointer[error]

	// polled has the time of each session's last poll, and oldest the timestamp of the oldest record that it
	// has not committed, in ns; 0 for none. They outlive the session, too.
	polled, oldest [maxSessions]atomic.Int64

	mu       sync.Mutex
	sessions [maxSessions]*session // the running ones, for health
}

// engineBox is what the policy decides, which is loaded together.
type engineBox struct {
	engine
	// mapping reads messages of others; nil for none.
	mapping *mapping.Mapping
}

// shutdownGrace is how long a session may take to finish its transaction after
// it was asked to stop.
const shutdownGrace = 20 * time.Second

// minCommitPatience is the least time without a commit after which a session with
// records is not ready.
const minCommitPatience = 30 * time.Second

const maxSessions = 16

// Option changes a Processor beyond its settings.
type Option func(*Processor)

// WithLogger sets the logger. Without it nothing is logged.
func WithLogger(l *slog.Logger) Option { return func(p *Processor) { p.log = l } }

// WithRegistry sets the registry of the metrics. Without it the processor creates
// one.
func WithRegistry(r *prometheus.Registry) Option { return func(p *Processor) { p.registry = r } }

// WithKafkaOptions adds client options, for example a dialer.
func WithKafkaOptions(opts ...kgo.Opt) Option {
	return func(p *Processor) { p.extra = append(p.extra, opts...) }
}

// WithRemote sets the remote detection tier that the settings describe.
func WithRemote(t *remote.Tier) Option { return func(p *Processor) { p.remote = t } }

// New checks the settings and the files that they name, and builds the engine
// and the codec. It does not connect to Kafka, but to the Schema Registry if one
// is configured.
func New(ctx context.Context, s config.Settings, opts ...Option) (*Processor, error) {
	p := &Processor{foreign: newForeigners(), settings: s, log: slog.New(slog.DiscardHandler), metrics: &telemetry.Metrics{}, now: time.Now, grace: shutdownGrace, topicPatience: topicPatience, fetchPatience: fetchPatience, ownerInterval: ownerInterval, transactionPatience: transactionPatience, topicsInterval: topicsInterval, commitPatience: max(minCommitPatience, 3*s.TransactionTimeout),
		// The answer to a join takes up to the rebalance timeout.
		groupPatience: max(s.SessionTimeout, s.RebalanceTimeout)}
	p.maxRecord.Store(maxRecordBytes)
	for _, o := range opts {
		o(p)
	}
	if err := errors.Join(s.Validate(), kafka.CheckFiles(&s)); err != nil {
		return nil, err
	}
	if (p.remote != nil) != (s.RemoteTier != "") {
		return nil, errors.New("the remote tier of the settings is missing; this is a defect of the program that starts the stream")
	}
	if p.registry == nil {
		p.registry = prometheus.NewRegistry()
	}
	p.workers = s.Workers
	if p.workers == 0 {
		p.workers = runtime.GOMAXPROCS(0)
	}
	p.audit.AtRisk = s.AuditRiskRate
	p.gate = s.Gate()
	p.rules = s.Intake(p.keys.Load)
	p.txnID = transactionalID(&s)
	d := &telemetry.Definer{Factory: promauto.With(p.registry)}
	d.Define(p.metrics)
	telemetry.NewHealthMetrics(d, p.Ready, p.longest(func(n int) *atomic.Int64 { return &p.polled[n] }),
		p.longest(func(n int) *atomic.Int64 { return &p.waiting[n].since }), p.longest(func(n int) *atomic.Int64 { return &p.oldest[n] }))
	p.metrics.Reloaded("dictionaries", nil)
	p.metrics.Reloaded("keys", nil)
	p.metrics.Risk.Labels, p.metrics.Risk.Gate = p.rules.Metadata.Contexts, s.RiskGate
	p.watch = boundedfile.Watch(p.watched()...)
	if err := p.loadKeys(); err != nil {
		return nil, err
	}
	if err := p.loadEngine(); err != nil {
		return nil, err
	}
	var err error
	p.codec, err = kafka.NewCodec(ctx, &s)
	return p, err
}

// Policy returns the hash of the policy in force.
func (p *Processor) Policy() string { return p.engine.Load().Policy() }

func (p *Processor) weights(m *partition.Meta) *estimate.Weights {
	return estimate.At(p.engine.Load().Sensitivity(m.Tenant, m.Context))
}

// Run consumes until ctx is done, then finishes what is in flight, leaves the
// group and returns nil. It returns an error if it cannot continue: the topics
// are not as they must be, the raw topic lost records, or a session keeps
// failing.
func (p *Processor) Run(ctx context.Context) error {
	for n := range p.settings.Sessions {
		p.polled[n].Store(time.Now().UnixNano())
		p.waiting[n].does(asksForTopics)
	}
	p.tracing = telemetry.NewTracing(&p.settings, p.txnID, p.log)
	defer p.tracing.Close()

	err := p.check(ctx)
	if err == nil || isDenied(err) { // all ACLs that are missing, at once
		if refused := p.abortPredecessor(ctx, 0); isDenied(refused) {
			err = errors.Join(err, refused)
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	if p.replay != nil {
		if err := p.replay.prepare(ctx, p); err != nil {
			return err
		}
	}
	p.log.Info("started", "policy", p.Policy(), "strategy", p.settings.Strategy, "group", p.settings.Group,
		"raw", p.settings.TopicRaw, "clean", p.settings.TopicClean, "sessions", p.settings.Sessions, "workers", p.workers,
		"codec", p.settings.Codec, "commit_interval", p.settings.CommitInterval, "key_versions", p.keys.Load().Versions())
	p.reportPrivacy()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sessions, ctx := errgroup.WithContext(ctx)
	for n := range p.settings.Sessions {
		sessions.Go(func() error { return p.supervise(ctx, n) })
	}
	go p.watch(ctx, p.settings.Reload, p.reloaded)
	go p.watchPartitions(ctx)
	go p.watchMembers(ctx)
	go p.watchTopics(ctx)
	if p.settings.InstanceID != "" {
		go p.watchOwners(ctx)
	}
	if p.replay != nil {
		go func() {
			if p.replay.await(ctx, p) == nil {
				cancel()
			}
		}()
	}
	return sessions.Wait()
}

const asksForTopics = "asks the brokers for the topics and ACLs"

func (p *Processor) check(ctx context.Context) error {
	cl, err := p.client(kgo.WithContext(ctx))
	if err != nil {
		return err
	}
	defer cl.Close()
	for until := time.Now().Add(p.topicPatience); ; {
		err := p.checkTopics(ctx, cl)
		if err == nil {
			p.firstSight(ctx, cl)
		}
		if !errors.Is(err, errNoTopic) && !isCut(err) || time.Now().After(until) {
			return err
		}
		if !sleep(ctx, topicInterval) {
			return ctx.Err()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// topicPatience is how long the start waits for missing topics. One that was just created is not known
// to all brokers at once, and a broker that restarts cuts its connections.
const (
	topicPatience = 10 * time.Second
	topicInterval = 250 * time.Millisecond
)

const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
	// giveUpAfter is the number of failures without a commit between them after
	// which the process ends, so that its operator notices.
	giveUpAfter = 20
)

// supervise keeps one session running. A session that was fenced or failed is
// replaced by a new one.
func (p *Processor) supervise(ctx context.Context, n int) error {
	backoff, failures := minBackoff, 0
	for {
		commits, err := p.runSession(ctx, n, failures)
		switch {
		case errors.Is(err, errFatal):
			return err
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errKeysRead):
			p.log.Info("the session restores its partitions with the keys that were read", "session", n)
			continue
		case commits > 0:
			backoff, failures = minBackoff, 0
		}
		p.waiting[n].failed(err, true)
		if failures++; failures >= giveUpAfter {
			return fmt.Errorf("session %d failed %d times in a row: %w", n, failures, err)
		}
		p.metrics.SessionRestarts.Inc()
		p.log.Error("the session is recreated", "session", n, "in", backoff, "err", err)
		if !sleep(ctx, backoff) {
			return nil
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

func (p *Processor) runSession(ctx context.Context, n, failures int) (commits int, err error) {
	if failures > 0 {
		// A topic may have been deleted or changed.
		p.waiting[n].does(asksForTopics)
		if err := p.check(ctx); err != nil {
			return 0, err
		}
	}
	p.waiting[n].does("takes over the transactional ID " + p.sessionTxnID(n) + " from its predecessor")
	s, err := newSession(ctx, p, n)
	if err != nil {
		return 0, err
	}
	p.setSession(n, s)
	defer p.setSession(n, nil)
	err = s.run(ctx)
	return s.commits, err
}

func (p *Processor) setSession(n int, s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[n] = s
}

// A broker refuses the first record of a transaction with
// CONCURRENT_TRANSACTIONS while it still writes the markers of the one before. On
// a replicated cluster that is common. The client retries after a metadata update
// (transaction version 2) or after its retry backoff (version 1). By default the
// one comes after five seconds and the other after 250 ms, and all of that delays
// the commit.
const (
	retryMin = 25 * time.Millisecond
	retryMax = 5 * time.Second
)

// retryBackoff doubles from retryMin to retryMax, with a jitter of 20 %.
func retryBackoff(fails int) time.Duration {
	backoff := retryMin << min(max(0, fails-1), 10)
	return min(retryMax, time.Duration(float64(backoff)*(0.8+0.4*rand.Float64())))
}

func (p *Processor) clientOptions() ([]kgo.Opt, error) {
	opts, err := kafka.Options(&p.settings)
	if err != nil {
		return nil, err
	}
	opts = append(opts,
		kgo.ClientID(clientID),
		kgo.WithLogger(kafkaLogger{p.log, &p.recent}),
		kgo.MetadataMinAge(retryMin),
		kgo.RetryBackoffFn(retryBackoff),
	)
	return append(opts, p.extra...), nil
}

func (p *Processor) client(more ...kgo.Opt) (*kgo.Client, error) {
	opts, err := p.clientOptions()
	if err != nil {
		return nil, err
	}
	return kgo.NewClient(append(opts, more...)...)
}

// reportPrivacy reports at the start what the replacement guarantees, in the log.
func (p *Processor) reportPrivacy() {
	a, err := p.settings.PrivacyAccount()
	if err != nil {
		p.log.Warn("cannot compute the privacy of the replacement", "error", err)
		return
	}
	var epsilon any = a.Epsilon
	if !a.Bounded() {
		epsilon = "none"
	}
	p.log.Info("privacy of the replacement, for each token", "epsilon", epsilon, "probability", a.Probability,
		"recall_measured", a.Measured, "lemma_applies", a.Lemma, "explained_by", "sotto config")
	if a.Probability < 1 {
		p.log.Warn("personal information is left in the output on purpose", "share", 1-a.Probability, "accepted_by", config.EnvPrefix+"REPLACE_RISK")
	}
}
