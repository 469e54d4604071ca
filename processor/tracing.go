package processor

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kotel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"sotto/config"
	"sotto/processor/otlp"
)

// tracing follows records through the client: from when a raw record was fetched to
// when what was made of it is written. A nil tracing does nothing.
//
// A span tells topic, partition, offset and times. It has no key, which is a call ID, and
// nothing of a value.
type tracing struct {
	provider *sdktrace.TracerProvider
	tracer   *kotel.Tracer
}

// tracedAttributes are those of kotel's that may leave the process; the key of a
// record is not among them.
var tracedAttributes = []attribute.Key{
	"messaging.system", "messaging.operation", "messaging.kafka.client_id", "messaging.kafka.consumer.group",
	"messaging.source.kind", "messaging.source.name", "messaging.kafka.source.partition",
	"messaging.destination.kind", "messaging.destination.name", "messaging.kafka.destination.partition",
	"messaging.kafka.message.offset", "messaging.kafka.message.tombstone",
}

// newTracing returns nil unless the settings name a collector. The instance tells
// processes apart.
func newTracing(s *config.Settings, instance string, log *slog.Logger) *tracing {
	if s.OTLPEndpoint == "" {
		return nil
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(s.TraceRate))),
		sdktrace.WithBatcher(otlp.New(s.OTLPEndpoint, "sotto", instance, tracedAttributes, log)))
	return &tracing{provider, kotel.NewTracer(
		kotel.TracerProvider(provider),
		// With hashed call IDs nothing but us ties a clean call to its raw one.
		kotel.TracerPropagator(traceparent{inject: s.CallID == "keep"}),
		kotel.ConsumerGroup(s.Group), kotel.ClientID("sotto"),
		kotel.KeyFormatter(func(*kgo.Record) (string, error) { return "", errNoKey }),
	)}
}

var errNoKey = errors.New("keys are not traced")

// options are those of a client that is traced.
func (t *tracing) options() []kgo.Opt {
	if t == nil {
		return nil
	}
	return []kgo.Opt{kgo.WithHooks(t.tracer)}
}

// follow returns a context for what is written because of a raw record: it is
// part of that one's trace and ends with ctx. It is nil where nothing is traced, and
// where the record is not at hand any more, since its event has waited.
func (t *tracing) follow(ctx context.Context, raw *kgo.Record) context.Context {
	if t == nil || raw == nil || raw.Context == nil {
		return nil
	}
	return trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(raw.Context))
}

// flushTimeout bounds the sending of the last spans.
const flushTimeout = 5 * time.Second

func (t *tracing) close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	// The exporter has told what is wrong with the collector.
	_ = t.provider.Shutdown(ctx)
}

// traceparent takes the identity of a trace from a record's header and puts it
// into another's. The other headers of the W3C's recommendation hold what anybody likes, so
// they are neither read nor written.
type traceparent struct {
	propagation.TraceContext
	inject bool
}

func (p traceparent) Inject(ctx context.Context, carrier propagation.TextMapCarrier) {
	if p.inject {
		p.TraceContext.Inject(ctx, carrier)
	}
}

func (p traceparent) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	sc := trace.SpanContextFromContext(p.TraceContext.Extract(context.Background(), carrier))
	if !sc.IsValid() {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, sc.WithTraceState(trace.TraceState{}))
}
