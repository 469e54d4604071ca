// Package otlp sends spans to an OpenTelemetry collector by OTLP over HTTP in its
// JSON encoding (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
//
// The SDK's own exporters bring gRPC and generated code along, also the one for HTTP,
// and send whatever a span holds. This one sends attributes of a closed set and nothing
// that is free text: no events, no links, no messages of errors.
package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
)

const sendTimeout = 10 * time.Second

// Exporter is a trace.SpanExporter. It drops spans that cannot be sent, because traces must not
// delay the stream, and logs when that begins and ends. It is safe for concurrent use.
type Exporter struct {
	url      string
	resource []keyValue
	allowed  []attribute.Key
	client   *http.Client
	log      *slog.Logger
	failing  atomic.Bool
}

// New makes an exporter to the collector at endpoint, for example
// "http://collector:4318". The service is who sends; of the spans' attributes only those
// of the allowed keys are sent.
func New(endpoint, service, instance string, allowed []attribute.Key, log *slog.Logger) *Exporter {
	return &Exporter{
		url: strings.TrimSuffix(endpoint, "/") + "/v1/traces",
		resource: []keyValue{
			{"service.name", object{"stringValue": service}},
			{"service.instance.id", object{"stringValue": instance}},
		},
		allowed: allowed,
		client: &http.Client{Timeout: sendTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		log: log,
	}
}

// The messages of OTLP, as far as they are used.
type (
	span struct {
		TraceID      string     `json:"traceId"`
		SpanID       string     `json:"spanId"`
		ParentSpanID string     `json:"parentSpanId,omitempty"`
		Name         string     `json:"name"`
		Kind         int        `json:"kind"`
		Start        string     `json:"startTimeUnixNano"`
		End          string     `json:"endTimeUnixNano"`
		Attributes   []keyValue `json:"attributes,omitempty"`
		Status       *status    `json:"status,omitempty"`
	}
	status struct {
		Code int `json:"code"`
	}
	keyValue struct {
		Key   string `json:"key"`
		Value object `json:"value"`
	}
	object = map[string]any
)

// statusError is STATUS_CODE_ERROR of OTLP; codes.Error has another number.
const statusError = 2

// ExportSpans implements trace.SpanExporter. It returns no error: the SDK would
// write that to standard error.
func (e *Exporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	err := e.send(ctx, e.encode(spans))
	switch {
	case err != nil && !e.failing.Swap(true):
		e.log.Warn("traces cannot be sent and are dropped", "to", e.url, "err", err)
	case err == nil && e.failing.Swap(false):
		e.log.Info("traces can be sent again", "to", e.url)
	}
	return nil
}

// Shutdown implements trace.SpanExporter.
func (e *Exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

func (e *Exporter) encode(spans []trace.ReadOnlySpan) object {
	byScope := map[string][]span{}
	for _, s := range spans {
		byScope[s.InstrumentationScope().Name] = append(byScope[s.InstrumentationScope().Name], e.span(s))
	}
	var scopes []object
	for name, spans := range byScope {
		scopes = append(scopes, object{"scope": object{"name": name}, "spans": spans})
	}
	return object{"resourceSpans": []object{{"resource": object{"attributes": e.resource}, "scopeSpans": scopes}}}
}

func (e *Exporter) span(s trace.ReadOnlySpan) span {
	out := span{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
		// The numbers of the kinds are those of OTLP.
		Name: s.Name(), Kind: int(s.SpanKind()),
		Start: nanoseconds(s.StartTime()), End: nanoseconds(s.EndTime()),
	}
	if s.Parent().SpanID().IsValid() {
		out.ParentSpanID = s.Parent().SpanID().String()
	}
	if s.Status().Code == codes.Error {
		out.Status = &status{statusError}
	}
	for _, a := range s.Attributes() {
		if !slices.Contains(e.allowed, a.Key) {
			continue
		}
		switch a.Value.Type() {
		case attribute.STRING:
			out.Attributes = append(out.Attributes, keyValue{string(a.Key), object{"stringValue": a.Value.AsString()}})
		case attribute.INT64:
			// As all 64-bit numbers of Protobuf in JSON.
			out.Attributes = append(out.Attributes, keyValue{string(a.Key), object{"intValue": strconv.FormatInt(a.Value.AsInt64(), 10)}})
		case attribute.BOOL:
			out.Attributes = append(out.Attributes, keyValue{string(a.Key), object{"boolValue": a.Value.AsBool()}})
		}
	}
	return out
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func (e *Exporter) send(ctx context.Context, spans object) error {
	body, err := json.Marshal(spans)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	// A connection whose answer is not read to its end is not used again.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", resp.Status)
	}
	return nil
}
