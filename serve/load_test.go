package serve

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/config"
	"sotto/schemas"
	"sotto/training/corpus/callgen"
)

// BenchmarkService measures requests per second and the 99th percentile of their time, over
// loopback, with 8 clients in the same process.
func BenchmarkService(b *testing.B) {
	s, err := config.Load(nil)
	if err != nil {
		b.Fatal(err)
	}
	server, err := New(s, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	h := httptest.NewServer(server.Handler())
	defer h.Close()
	var texts []string
	for e := range callgen.New(callgen.Config{Seed: 1}).Events(0, 50, 8) {
		if e.Type == schemas.Utterance {
			texts = append(texts, e.Text)
		}
	}
	var calls atomic.Int64
	for _, c := range []struct {
		name    string
		request func(n int64) (path, body string)
	}{
		{"text", func(n int64) (string, string) {
			return "/v1/anonymize", body(map[string]any{"text": texts[n%int64(len(texts))]})
		}},
		// 20 utterances to a call, one in each request.
		{"live", func(n int64) (string, string) {
			return fmt.Sprintf("/v1/calls/%d/utterances", n/20), say(texts[n%int64(len(texts))])
		}},
		{"analyze", func(n int64) (string, string) {
			return "/analyze", body(map[string]any{"text": texts[n%int64(len(texts))], "language": "en"})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var mu sync.Mutex
			var times []time.Duration
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			b.SetParallelism(4)
			began := time.Now()
			b.RunParallel(func(pb *testing.PB) {
				var own []time.Duration
				for pb.Next() {
					path, request := c.request(calls.Add(1))
					start := time.Now()
					resp, err := client.Post(h.URL+path, "application/json", strings.NewReader(request))
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if resp.StatusCode != http.StatusOK {
						b.Errorf("status %d", resp.StatusCode)
						return
					}
					own = append(own, time.Since(start))
				}
				mu.Lock()
				defer mu.Unlock()
				times = append(times, own...)
			})
			took := time.Since(began)
			slices.Sort(times)
			b.ReportMetric(float64(len(times))/took.Seconds(), "requests/s")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
		})
	}
}
