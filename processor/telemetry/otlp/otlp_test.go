package otlp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// collector keeps what it is sent and answers with a status.
type collector struct {
	*httptest.Server
	status int
	bodies []string
	paths  []string
}

func newCollector(t *testing.T) *collector {
	c := &collector{status: http.StatusOK}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.bodies, c.paths = append(c.bodies, string(body)), append(c.paths, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type"))
		w.WriteHeader(c.status)
	}))
	t.Cleanup(c.Close)
	return c
}

func TestSpansArriveAsOTLP(t *testing.T) {
	c := newCollector(t)
	e := New(c.URL+"/", "sotto", "sotto-0", []attribute.Key{"topic", "offset", "gone"}, slog.New(slog.DiscardHandler))
	p := sdk.NewTracerProvider(sdk.WithSyncer(e))
	tracer := p.Tracer("test")
	ctx, parent := tracer.Start(context.Background(), "calls.raw receive", trace.WithSpanKind(trace.SpanKindConsumer))
	_, child := tracer.Start(ctx, "calls.clean publish", trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(
		attribute.String("topic", "calls.clean"), attribute.Int64("offset", 1<<60), attribute.Bool("gone", true),
		attribute.String("key", "secret-key"), attribute.StringSlice("topic", []string{"secret-list"})))
	child.SetAttributes(attribute.String("text", "secret-text"), attribute.String("topic", "calls.clean"))
	child.AddEvent("secret-event")
	child.RecordError(errors.New("secret-error"))
	child.SetStatus(codes.Error, "secret-status")
	child.End()
	parent.End()
	if err := p.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(c.bodies) != 2 || c.paths[0] != "POST /v1/traces application/json" {
		t.Fatalf("the collector got %q", c.paths)
	}
	if all := strings.Join(c.bodies, "\n"); strings.Contains(all, "secret") {
		t.Errorf("what is not allowed was sent: %s", all)
	}
	var got struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []keyValue }
			ScopeSpans []struct{ Spans []span }
		}
	}
	if err := json.Unmarshal([]byte(c.bodies[0]), &got); err != nil {
		t.Fatal(err)
	}
	s := got.ResourceSpans[0].ScopeSpans[0].Spans[0]
	if s.TraceID != child.SpanContext().TraceID().String() || s.ParentSpanID != parent.SpanContext().SpanID().String() ||
		s.Name != "calls.clean publish" || s.Kind != 4 || s.Status == nil || s.Status.Code != 2 || len(s.Start) != 19 {
		t.Errorf("the span is %+v", s)
	}
	attributes := map[string]any{}
	for _, a := range s.Attributes {
		for _, v := range a.Value {
			attributes[a.Key] = v
		}
	}
	if attributes["topic"] != "calls.clean" || attributes["offset"] != "1152921504606846976" || attributes["gone"] != true {
		t.Errorf("the attributes are %v", attributes)
	}
	if r := got.ResourceSpans[0].Resource.Attributes; len(r) != 2 || r[0].Value["stringValue"] != "sotto" || r[1].Value["stringValue"] != "sotto-0" {
		t.Errorf("the resource is %v", r)
	}
}

func TestACollectorThatIsAwayIsToldOnce(t *testing.T) {
	c := newCollector(t)
	var log strings.Builder
	e := New(c.URL, "sotto", "x", nil, slog.New(slog.NewTextHandler(&log, nil)))
	p := sdk.NewTracerProvider(sdk.WithSyncer(e))
	for _, status := range []int{500, 500, 200, 200, 404} {
		c.status = status
		_, s := p.Tracer("test").Start(context.Background(), "x")
		s.End()
	}
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 3 || !strings.Contains(lines[1], "again") {
		t.Errorf("the log says\n%s", log.String())
	}
}
