package processor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize/intake"
	"sotto/config"
	"sotto/config/kafka"
	"sotto/processor/telemetry"
	"sotto/processor/topic"
	"sotto/schemas"
	"sotto/state/sealing"
)

// Canary sends synthetic calls through the stream and checks that they come out
// redacted. It tests the whole path, whichever instance processes it. It uses
// only the raw and the clean topic and does not join the group. The tenant of its
// calls is "canary", so that readers can skip them. It is not safe for concurrent
// use.
type Canary struct {
	settings config.Settings
	log      *slog.Logger
	codec    *schemas.Codec
	keys     *sealing.Keyring // where call IDs are hashed
	metrics  canaryMetrics
	extra    []kgo.Opt
}

// Outcomes of a canary call.
const (
	canaryRedacted = "redacted"
	canaryLeaked   = "leaked"
	canaryMissing  = "missing"
	canaryFailed   = "failed"
)

// ErrCanaryLeaked means that a synthetic call came out with something that should
// have been redacted.
var ErrCanaryLeaked = errors.New("a synthetic call came out with personal information that should have been redacted")

// ErrCanaryMissing means that a synthetic call did not come out in time.
var ErrCanaryMissing = errors.New("a synthetic call did not come out of the clean topic in time")

type canaryMetrics struct {
	Runs    *prometheus.CounterVec `metric:"canary_runs_total" labels:"outcome" help:"Synthetic calls sent through the stream, by outcome: redacted, leaked, missing or failed."`
	Seconds prometheus.Observer    `metric:"canary_seconds" buckets:"canary" help:"Time from a synthetic call's first event to the clean event of its END."`
	Last    prometheus.Gauge       `metric:"canary_last_success_timestamp_seconds" help:"When a synthetic call last came out redacted; the start of the canary before that."`
}

// CanaryMetrics lists the metrics of a Canary.
func CanaryMetrics() []telemetry.Metric {
	d := &telemetry.Definer{Factory: promauto.With(prometheus.NewRegistry())}
	d.Define(&canaryMetrics{})
	return d.Infos
}

// NewCanary returns a canary with the settings of the stream that it checks. It
// needs the state key only if SOTTO_CALL_ID is hash. Its metrics go into r.
func NewCanary(ctx context.Context, s config.Settings, r *prometheus.Registry, log *slog.Logger, opts ...kgo.Opt) (*Canary, error) {
	c := &Canary{settings: s, log: log, extra: opts}
	if s.CallID == "hash" {
		var err error
		if c.keys, err = s.StateKeys(); err != nil {
			return nil, err
		}
	}
	if !s.RawIsOurs() {
		s.Codec = schemas.FormatJSON // others say which schemas the raw topic has
	}
	var err error
	if c.codec, err = kafka.NewCodec(ctx, &s); err != nil {
		return nil, err
	}
	(&telemetry.Definer{Factory: promauto.With(r)}).Define(&c.metrics)
	// An alert on an increase needs an initial zero.
	for _, outcome := range []string{canaryRedacted, canaryLeaked, canaryMissing, canaryFailed} {
		c.metrics.Runs.WithLabelValues(outcome)
	}
	c.metrics.Last.SetToCurrentTime()
	return c, nil
}

// Watch sends calls at an interval until ctx is done. It logs and counts
// failures.
func (c *Canary) Watch(ctx context.Context, every, timeout time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := c.Once(ctx, timeout); err != nil && ctx.Err() == nil {
			c.log.Error("a canary call failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once sends one call and returns nil if it came out redacted. Otherwise the error
// is ErrCanaryLeaked, ErrCanaryMissing, or what prevented the check.
func (c *Canary) Once(ctx context.Context, timeout time.Duration) error {
	start := time.Now()
	inner, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := c.once(inner)
	outcome := canaryFailed
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		outcome = canaryRedacted
		c.metrics.Seconds.Observe(time.Since(start).Seconds())
		c.metrics.Last.SetToCurrentTime()
	case errors.Is(err, ErrCanaryLeaked):
		outcome = canaryLeaked
	case errors.Is(err, ErrCanaryMissing):
		outcome = canaryMissing
	}
	c.metrics.Runs.WithLabelValues(outcome).Inc()
	return err
}

// canarySecrets are the words of the synthetic call that must not come out. They
// are invented; the numbers are from unassigned ranges.
var canarySecrets = []string{"Wilhelmina", "Quillfeather", "604-555-0134", "wilhelmina@example.com", "4111 1111 1111 1111"}

func canaryCall(id, tenant string, at int64) []*schemas.RawEvent {
	caller := &schemas.Speaker{ID: "x1", Label: "Wilhelmina Quillfeather", Role: "CUSTOMER"}
	say := func(seq int64, text string) *schemas.RawEvent {
		return &schemas.RawEvent{CallID: id, Seq: seq, Type: schemas.Utterance, Tenant: tenant, Speaker: caller, Text: text, TimestampMS: at}
	}
	return []*schemas.RawEvent{
		{CallID: id, Seq: 1, Type: schemas.Start, Tenant: tenant, TimestampMS: at},
		say(2, "Hello, my name is Wilhelmina Quillfeather."),
		say(3, "My number is 604-555-0134 and my email is wilhelmina@example.com."),
		say(4, "The card number is 4111 1111 1111 1111. Thank you."),
		{CallID: id, Seq: 5, Type: schemas.End, Tenant: tenant, TimestampMS: at},
	}
}

func (c *Canary) once(ctx context.Context) error {
	cl, err := kafka.NewClient(&c.settings, append([]kgo.Opt{
		kgo.ClientID("sotto-canary"),
		kgo.WithLogger(kafkaLogger{c.log, &recent{}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
	}, c.extra...)...)
	if err != nil {
		return err
	}
	defer kafka.CloseWith(ctx, cl)()
	nonce := strings.ToLower(rand.Text()[:12])
	id := "sotto-canary-" + nonce
	// Read the end offsets before sending the first event.
	ends, err := topic.Checked(kadm.NewClient(cl).ListEndOffsets(ctx, c.settings.TopicClean))
	if err != nil {
		return fmt.Errorf("the canary cannot read %s: %w", c.settings.TopicClean, err)
	}
	cl.AddConsumePartitions(ends.KOffsets())
	call := canaryCall(id, intake.CanaryTenant, time.Now().UnixMilli())
	for _, ev := range call {
		value, err := c.codec.AppendRaw(nil, ev)
		if err != nil {
			return err
		}
		rec := &kgo.Record{Topic: c.settings.TopicRaw, Key: []byte(id), Value: value}
		if err := cl.ProduceSync(ctx, rec).FirstErr(); err != nil {
			return fmt.Errorf("the canary cannot write to %s: %w", c.settings.TopicRaw, err)
		}
	}
	want := []string{id}
	if c.keys != nil {
		want = c.keys.HashCallIDs(id)
	}
	return c.await(ctx, cl, want, len(call))
}

func (c *Canary) await(ctx context.Context, cl *kgo.Client, want []string, n int) error {
	leaked, tags := false, 0
	for n > 0 {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %d of its events are missing", ErrCanaryMissing, n)
		}
		if err := fetches.Err0(); err != nil {
			return fmt.Errorf("the canary cannot read %s: %w", c.settings.TopicClean, err)
		}
		for _, rec := range fetches.Records() {
			if !slices.Contains(want, string(rec.Key)) {
				continue
			}
			ev, err := c.codec.DecodeClean(rec.Value)
			if err != nil {
				return fmt.Errorf("the canary cannot decode %s: %w", c.settings.TopicClean, err)
			}
			n--
			tags += len(ev.Entities)
			text := ev.Text
			if ev.Speaker != nil {
				text += " " + ev.Speaker.Label + " " + ev.Speaker.ID
			}
			for _, h := range rec.Headers {
				text += " " + h.Key + " " + string(h.Value)
			}
			for _, s := range canarySecrets {
				leaked = leaked || strings.Contains(strings.ToLower(text), strings.ToLower(s))
			}
		}
	}
	if leaked || tags == 0 {
		return ErrCanaryLeaked
	}
	return nil
}
