package telemetry

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
	"sotto/processor/telemetry/otlp"
)

// Tracing traces records from the fetch of a raw record to the write of its
// outputs. A nil tracing does nothing.
//
// A span has topic, partition, offset and times. It has no key, because that is a
// call ID, and nothing from a value.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   *kotel.Tracer
}

// tracedAttributes are the attributes of kotel that may leave the process. The key
// of a record is not among them.
var tracedAttributes = []attribute.Key{
	"messaging.system", "messaging.operation", "messaging.kafka.client_id", "messaging.kafka.consumer.group",
	"messaging.source.kind", "messaging.source.name", "messaging.kafka.source.partition",
	"messaging.destination.kind", "messaging.destination.name", "messaging.kafka.destination.partition",
	"messaging.kafka.message.offset", "messaging.kafka.message.tombstone",
}

// NewTracing returns nil unless the settings name a collector. The instance
// distinguishes processes.
func NewTracing(s *config.Settings, instance string, log *slog.Logger) *Tracing {
	if s.OTLPEndpoint == "" {
		return nil
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(s.TraceRate))),
		sdktrace.WithBatcher(otlp.New(s.OTLPEndpoint, "sotto", instance, tracedAttributes, log)))
	return &Tracing{provider, kotel.NewTracer(
		kotel.TracerProvider(provider),
		// With hashed call IDs a trace must not link a clean call to its raw call.
		kotel.TracerPropagator(traceparent{inject: s.CallID == "keep"}),
		kotel.ConsumerGroup(s.Group), kotel.ClientID("sotto"),
		kotel.KeyFormatter(func(*kgo.Record) (string, error) { return "", errNoKey }),
	)}
}

var errNoKey = errors.New("keys are not traced")

// Options returns the options of a client that is traced.
func (t *Tracing) Options() []kgo.Opt {
	if t == nil {
		return nil
	}
	return []kgo.Opt{kgo.WithHooks(t.tracer)}
}

// Follow returns a context for writing the outputs of a raw record. It is part of
// that record's trace and ends with ctx. It is nil if nothing is traced, and for a
// staged event, whose record is no longer available.
func (t *Tracing) Follow(ctx context.Context, raw *kgo.Record) context.Context {
	if t == nil || raw == nil || raw.Context == nil {
		return nil
	}
	return trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(raw.Context))
}

// SampledTrace returns the trace of a raw record, the zero ID if it is not sampled.
func SampledTrace(raw *kgo.Record) trace.TraceID {
	if raw.Context != nil {
		if sc := trace.SpanContextFromContext(raw.Context); sc.IsSampled() {
			return sc.TraceID()
		}
	}
	return trace.TraceID{}
}

const flushTimeout = 5 * time.Second

func (t *Tracing) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	// The exporter has logged problems with the collector.
	_ = t.provider.Shutdown(ctx)
}

// traceparent copies the trace identity from a record's header to that of another
// record. The other headers of the W3C recommendation may contain anything, so
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
