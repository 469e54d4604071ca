package telemetry

import (
	"fmt"
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"sotto/anonymize/ending"
)

func TestRiskMetricsHaveBoundedLabels(t *testing.T) {
	registry := prometheus.NewRegistry()
	var m riskMetrics
	(&Definer{Factory: promauto.With(registry)}).Define(&m)
	m.Labels, m.Gate = map[string]bool{"sales": true, "chat": true}, ending.GateEnforce
	for i := range 50 {
		m.ended([]CallEnd{{fmt.Sprintf("made up %d", i), 1, false, true}})
	}
	m.ended([]CallEnd{{"sales", 2, false, true}, {"sales", 4, false, true}, {"sales", 9, true, false}, {"chat", 1, false, true}})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, x := range f.GetMetric() {
			for _, l := range x.GetLabel() {
				if l.GetName() == "context" {
					got[f.GetName()+" "+l.GetValue()] = x.GetGauge().GetValue() + x.GetCounter().GetValue() + float64(x.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	want := map[string]float64{
		"sotto_estimated_risk_mean_plus_std sales": 5 + math.Sqrt(13),
		"sotto_estimated_risk sales":               3, "sotto_estimated_risk chat": 1, "sotto_estimated_risk other": 50,
		"sotto_calls_over_risk_limit_total sales": 1,
	}
	for name, x := range want {
		if math.Abs(got[name]-x) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], x)
		}
	}
	// Two figures, one kind of end, and both for sales, which has the call over the limit.
	if len(got) != 2*3+1+3 {
		t.Errorf("%d series, want those of sales, chat and other", len(got))
	}
}
