package processor

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.opentelemetry.io/otel/trace"

	"sotto/processor/telemetry"
	"sotto/schemas"
)

func TestMetricsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range telemetry.Describe() {
		switch {
		case seen[m.Name]:
			t.Errorf("%s is there twice", m.Name)
		case !strings.HasSuffix(m.Help, "."):
			t.Errorf("%s: the help is not a sentence: %q", m.Name, m.Help)
		case (m.Type == "counter") != strings.HasSuffix(m.Name, "_total"):
			t.Errorf("%s is a %s", m.Name, m.Type)
		case slices.Contains(m.Labels, "call") || slices.Contains(m.Labels, "call_id"):
			t.Errorf("%s has a label for the call", m.Name)
		}
		seen[m.Name] = true
	}
	if len(seen) < 20 {
		t.Errorf("only %d metrics", len(seen))
	}
}

func TestRedactedCharacters(t *testing.T) {
	for _, tc := range []struct {
		name, raw, clean string
		entities         []schemas.Entity
		redacted         int
	}{
		{"nothing found", "Good morning", "Good morning", nil, 0},
		{"one name", "I am Søren", "I am [PERSON_NAME_1]", []schemas.Entity{{Start: 5, End: 20}}, 5},
		{"all of it", "Tom", "[PERSON_NAME_1]", []schemas.Entity{{Start: 0, End: 15}}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c telemetry.Counts
			c.Characters(tc.raw, &schemas.CleanEvent{Text: tc.clean, Entities: tc.entities})
			if c.RedactedChars != tc.redacted || c.InputChars != len([]rune(tc.raw)) {
				t.Errorf("%d of %d, want %d", c.RedactedChars, c.InputChars, tc.redacted)
			}
		})
	}
}

// The metrics that a dashboard shows must exist once the stream has run.
func TestProgressIsExported(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	in := r.start("a")
	r.Feed(r.Raw(0, &schemas.RawEvent{CallID: "c-1", Seq: 1, Type: schemas.Utterance, Text: "Hi, this is Wilhelmina Quickly"}))
	for _, want := range []string{
		`sotto_lag_records{partition="0"}`, `sotto_assigned_partitions{session="0"} 1`, "sotto_end_to_end_seconds_count 1",
		"sotto_input_characters_total 30", "sotto_detections_total{", `sotto_oldest_open_call_seconds{session="0"}`,
	} {
		eventually(t, want+" is exported", func() bool { return strings.Contains(scrape(t, in), want) })
	}
	if code, _ := get(in, "/startupz"); code != 200 {
		t.Errorf("/startupz: %d", code)
	}
}

// A scraper that asks for OpenMetrics gets the trace of a slow record.
func TestLatencyHasTheTraceAsItsExemplar(t *testing.T) {
	registry := prometheus.NewRegistry()
	latency := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "latency_seconds", Help: "Latency.", Buckets: []float64{1, 10}})
	registry.MustRegister(latency)
	now := time.Now()
	traced := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1: 0xab, 15: 1}, SpanID: trace.SpanID{7: 1}, TraceFlags: trace.FlagsSampled}))
	g := newProgress()
	g.consumed([]*kgo.Record{
		{Timestamp: now.Add(-5 * time.Second), Context: traced},
		{Timestamp: now},
		{Timestamp: now, Context: context.Background()},
	})
	g.committed(latency.(prometheus.ExemplarObserver), now)
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text;version=1.0.0")
	w := httptest.NewRecorder()
	telemetry.Handler(registry).ServeHTTP(w, r)
	page := w.Body.String()
	if !strings.Contains(page, `latency_seconds_bucket{le="10.0"} 3 # {trace_id="00ab0000000000000000000000000001"}`) {
		t.Errorf("no exemplar:\n%s", page)
	}
	if strings.Count(page, "trace_id") != 1 || !strings.HasSuffix(page, "# EOF\n") {
		t.Errorf("more than one exemplar, or not OpenMetrics:\n%s", page)
	}
}

// A failed reload shows for as long as the old policy is in force.
func TestAFailedReloadShowsUntilOneSucceeds(t *testing.T) {
	r := newRig(t, 1)
	r.Set.DictionaryDir, r.Set.Reload = t.TempDir(), 100*time.Millisecond
	in := r.start("a")
	shows := func(what string) {
		t.Helper()
		eventually(t, what, func() bool { return strings.Contains(scrape(t, in), what) })
	}
	eventually(t, "the start", func() bool { return in.Ready() == nil }) // it watches the folder by then
	shows(`sotto_reload_failed{what="dictionaries"} 0`)
	file := filepath.Join(r.Set.DictionaryDir, "policy.yaml")
	if err := os.WriteFile(file, []byte("no such key: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shows(`sotto_reload_failed{what="dictionaries"} 1`)
	shows(`sotto_reload_failed{what="keys"} 0`)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	shows(`sotto_reload_failed{what="dictionaries"} 0`)
}

func TestCallsEndedAreCounted(t *testing.T) {
	r := newRig(t, 1)
	r.Set.OtherLanguages = "mask"
	in := r.start("a")
	foreign := utterance("c-2", 1, "x", "buenos dias, le habla Rosa")
	foreign.Language = "es-ES"
	r.Feed(append(speech(r, "c-1", 1, 1), r.Raw(0, ended("c-1", 2)), r.Raw(0, foreign), r.Raw(0, ended("c-2", 2)))...)
	for _, want := range []string{
		`sotto_calls_ended_total{context="customer_support",released="true"} 1`,
		`sotto_calls_ended_total{context="customer_support",released="false"} 1`,
	} {
		eventually(t, want, func() bool { return strings.Contains(scrape(t, in), want) })
	}
}
