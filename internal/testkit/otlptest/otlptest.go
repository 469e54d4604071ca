// Package otlptest is an OpenTelemetry collector for tests.
package otlptest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Collector is a collector that keeps what it receives.
type Collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

// NewCollector starts a collector, which ends with the test.
func NewCollector(t *testing.T) *Collector {
	c := &Collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies = append(c.bodies, string(body))
	}))
	t.Cleanup(c.Close)
	return c
}

// Span is what tests compare of a span.
type Span struct{ TraceID, ParentSpanID, Name string }

// Spans returns the received spans, and the requests as text.
func (c *Collector) Spans(t *testing.T) ([]Span, string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Span
	for _, body := range c.bodies {
		var req struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []Span } }
		}
		if err := json.Unmarshal([]byte(body), &req); err != nil {
			t.Fatal(err)
		}
		for _, rs := range req.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				all = append(all, ss.Spans...)
			}
		}
	}
	return all, strings.Join(c.bodies, "\n")
}
