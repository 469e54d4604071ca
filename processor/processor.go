// Package processor is the stream: it consumes raw call events, hands each to
// the worker that owns its call, and writes clean events, audit events, dead
// letters, call states and consumed offsets in one transaction.
//
// The path of a record: a session polls it, decodes it and does what needs no
// state in parallel (item), gives it to its partition, which decides in the
// order of the log what it means for its call (partition), and hands it to the
// worker that owns the call (worker). At the commit interval the session waits
// for the workers, writes the changed states and ends the transaction
// (session). When a partition is assigned, its calls are read back first
// (restore).
package processor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/config"
	"sotto/schemas"
	"sotto/state"
)

// engine is what the stream needs of anonymize.Engine; tests put faults in
// between.
type engine interface {
	Policy() string
	Prepare(*schemas.RawEvent) *anonymize.Prepared
	Apply(*state.Call, *anonymize.Prepared) (schemas.CleanEvent, bool)
	ApplyLate(*anonymize.Prepared) schemas.CleanEvent
	Review(*state.Call, *schemas.CleanEvent) (schemas.CleanEvent, []schemas.Entity, bool)
	Holds(*state.Call) bool
	Hold(*state.Call, *anonymize.Prepared, state.RecordPosition) (ready []anonymize.Ready, changed bool)
	Overdue(*state.Call, int64) bool
	Release(*state.Call) []anonymize.Ready
}

// Processor runs the sessions of one process. New makes one, Run runs it once.
type Processor struct {
	settings config.Settings
	log      *slog.Logger
	registry *prometheus.Registry
	metrics  *metrics
	audit    auditor
	gate     config.Gate
	codec    *schemas.Codec
	tracing  *tracing // set by Run
	txnID    string
	workers  int
	now      func() time.Time
	grace    time.Duration
	wrap     func(engine) engine
	extra    []kgo.Opt

	keys   atomic.Pointer[state.Keyring]
	engine atomic.Pointer[engineBox]

	mu       sync.Mutex
	sessions []*session // those that run now, for health
	started  bool
}

// engineBox lets an interface be swapped atomically.
type engineBox struct{ engine }

// shutdownGrace is how long a session may take to finish its transaction when
// it is asked to stop.
const shutdownGrace = 20 * time.Second

// Option changes a Processor beyond its settings.
type Option func(*Processor)

// WithLogger sets the logger; without it there is no log.
func WithLogger(l *slog.Logger) Option { return func(p *Processor) { p.log = l } }

// WithRegistry sets the registry of the metrics; without it the processor has
// one of its own.
func WithRegistry(r *prometheus.Registry) Option { return func(p *Processor) { p.registry = r } }

// WithKafkaOptions adds client options, for example a dialer.
func WithKafkaOptions(opts ...kgo.Opt) Option {
	return func(p *Processor) { p.extra = append(p.extra, opts...) }
}

// New checks the settings and the files they name, and builds the engine and
// the codec. It does not talk to Kafka; it does talk to the Schema Registry
// where one is configured.
func New(ctx context.Context, s config.Settings, opts ...Option) (*Processor, error) {
	p := &Processor{settings: s, log: slog.New(slog.DiscardHandler), now: time.Now, grace: shutdownGrace}
	for _, o := range opts {
		o(p)
	}
	if err := errors.Join(s.Validate(), s.CheckFiles()); err != nil {
		return nil, err
	}
	if p.registry == nil {
		p.registry = prometheus.NewRegistry()
	}
	p.workers = s.Workers
	if p.workers == 0 {
		p.workers = runtime.GOMAXPROCS(0)
	}
	p.audit.uniform = s.AuditRates()
	p.audit.doubted = s.AuditDoubtRate
	p.gate = s.Gate()
	p.txnID = transactionalID(&s)
	p.metrics = newMetrics(&definer{Factory: promauto.With(p.registry)})
	p.metrics.risk.labels, p.metrics.risk.gate = newContextLabels(p.audit.uniform, p.gate.Limits), s.RiskGate
	if err := p.loadKeys(); err != nil {
		return nil, err
	}
	if err := p.loadEngine(); err != nil {
		return nil, err
	}
	var err error
	p.codec, err = s.NewCodec(ctx)
	return p, err
}

func (p *Processor) loadEngine() error {
	e, err := p.settings.NewEngine()
	if err != nil {
		return err
	}
	box := &engineBox{e}
	if p.wrap != nil {
		box.engine = p.wrap(e)
	}
	if old := p.engine.Swap(box); old != nil && old.Policy() != e.Policy() {
		p.log.Info("the policy has changed", "policy", e.Policy(), "before", old.Policy())
	}
	p.metrics.setPolicy(e.Policy())
	return nil
}

func (p *Processor) loadKeys() error {
	k, err := p.settings.StateKeys()
	if err != nil {
		return err
	}
	p.keys.Store(k)
	return nil
}

// Policy is the hash of the policy in force.
func (p *Processor) Policy() string { return p.engine.Load().Policy() }

// Run consumes until ctx is done and then finishes what is in flight, leaves
// the group and returns nil. It returns an error when it cannot go on: topics
// that do not fit, data of the raw topic that is gone, a session that fails
// again and again.
func (p *Processor) Run(ctx context.Context) error {
	p.mu.Lock()
	if p.started {
		p.mu.Unlock()
		return errors.New("a processor runs only once")
	}
	p.started = true
	p.mu.Unlock()
	p.tracing = newTracing(&p.settings, p.txnID, p.log)
	defer p.tracing.close()

	if err := p.check(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	p.log.Info("started", "policy", p.Policy(), "strategy", p.settings.Strategy, "group", p.settings.Group,
		"raw", p.settings.TopicRaw, "clean", p.settings.TopicClean, "sessions", p.settings.Sessions, "workers", p.workers,
		"codec", p.settings.Codec, "commit_interval", p.settings.CommitInterval, "key_versions", p.keys.Load().Versions())
	p.reportPrivacy()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, p.settings.Sessions)
	for n := range p.settings.Sessions {
		go func() { errs <- p.supervise(ctx, n) }()
	}
	go p.watch(ctx)
	var first error
	for range p.settings.Sessions {
		if err := <-errs; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

func (p *Processor) check(ctx context.Context) error {
	opts, err := p.clientOptions()
	if err != nil {
		return err
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	defer cl.Close()
	return p.checkTopics(ctx, cl)
}

const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
	// giveUpAfter failures in a row without one commit between, the process
	// ends, so that whoever runs it sees that it does not get on.
	giveUpAfter = 20
)

// supervise keeps one session running: one that is fenced or broken is thrown
// away and built anew.
func (p *Processor) supervise(ctx context.Context, n int) error {
	backoff, failures := minBackoff, 0
	for {
		commits, err := p.runSession(ctx, n)
		switch {
		case errors.Is(err, errFatal):
			return err
		case ctx.Err() != nil:
			return nil
		case commits > 0:
			backoff, failures = minBackoff, 0
		}
		if failures++; failures >= giveUpAfter {
			return fmt.Errorf("session %d failed %d times in a row: %w", n, failures, err)
		}
		p.metrics.sessionRestarts.Inc()
		p.log.Error("the session is built anew", "session", n, "in", backoff, "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

func (p *Processor) runSession(ctx context.Context, n int) (commits int, err error) {
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
	for len(p.sessions) <= n {
		p.sessions = append(p.sessions, nil)
	}
	p.sessions[n] = s
}

// watch reads dictionaries and keys again when their files change. What does
// not load is reported and the old stays in force.
func (p *Processor) watch(ctx context.Context) {
	dict, key := fingerprint(p.settings.DictionaryDir), fingerprint(p.settings.StateKeyFile)
	tick := time.NewTicker(p.settings.DictionaryReload)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := fingerprint(p.settings.DictionaryDir); now != dict {
			dict = now
			if err := p.loadEngine(); err != nil {
				p.metrics.reloadErrors.Inc()
				p.log.Error("the dictionaries stay as they were", "err", err)
			}
		}
		if now := fingerprint(p.settings.StateKeyFile); now != key {
			key = now
			if err := p.loadKeys(); err != nil {
				p.metrics.reloadErrors.Inc()
				p.log.Error("the state keys stay as they were", "err", err)
			} else {
				p.log.Info("the state keys were read again", "key_versions", p.keys.Load().Versions())
			}
		}
	}
}

// clientOptions are the options that every client of the process has.
func (p *Processor) clientOptions() ([]kgo.Opt, error) {
	security, err := p.settings.KafkaSecurity()
	if err != nil {
		return nil, err
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(p.settings.Brokers...),
		kgo.ClientID("sotto"),
		kgo.WithLogger(kafkaLogger{p.log}),
	}
	return append(append(opts, security...), p.extra...), nil
}

// kafkaLogger passes the client's warnings and errors on. Below that it tells
// of every transaction, which belongs to the debug level.
type kafkaLogger struct{ log *slog.Logger }

func (l kafkaLogger) Level() kgo.LogLevel {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelWarn
}

func (l kafkaLogger) Log(level kgo.LogLevel, msg string, kv ...any) {
	to := slog.LevelDebug
	switch level {
	case kgo.LogLevelError:
		to = slog.LevelError
	case kgo.LogLevelWarn:
		to = slog.LevelWarn
	}
	l.log.Log(context.Background(), to, "kafka client: "+msg, kv...)
}
