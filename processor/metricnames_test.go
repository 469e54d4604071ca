package processor

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// TestMetricsAreNamedAsPrometheusWants checks names, units and help of all metrics by the rules of
// `promtool check metrics`.
func TestMetricsAreNamedAsPrometheusWants(t *testing.T) {
	r := newRig(t, 1)
	in := r.start("a")
	r.Feed(speech(r, "c", 1, 2)...)
	r.Await(r.Topics.Clean, 2)
	canaries := prometheus.NewRegistry()
	if _, err := NewCanary(t.Context(), r.Set, canaries, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]prometheus.Gatherer{"stream": in.registry, "canary": canaries} {
		families, err := g.Gather()
		if err != nil || len(families) == 0 {
			t.Fatalf("%s: %d metrics (%v)", name, len(families), err)
		}
		problems, err := promlint.NewWithMetricFamilies(families).Lint()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}
