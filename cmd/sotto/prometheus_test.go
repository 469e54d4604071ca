package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/testkit/promtest"
)

// The names and units of our own metrics pass 'promtool check metrics'.
func TestPromtoolAcceptsTheMetrics(t *testing.T) {
	tools := promtest.Tools(t)
	for _, addr := range streamMetrics(t) {
		resp, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(tools, "promtool"), "check", "metrics")
		cmd.Stdin = strings.NewReader(string(page))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", addr, err, out)
		}
	}
}

// A real Prometheus scrapes the same processes twice, once with native histograms. Every
// panel that reads a histogram must show something in both, and every alert must be
// evaluated without an error.
func TestPrometheusReadsBothFormsOfHistograms(t *testing.T) {
	promtest.Tools(t) // or skip, before anything is started
	targets := streamMetrics(t)
	rules, err := filepath.Abs(filepath.Join(chart, "files/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	server := promtest.Start(t, rules, promtest.Job{Name: "classic", Targets: targets}, promtest.Job{Name: "native", Native: true, Targets: targets})
	query := func(expr string) int { return len(server.Query(expr)) }
	waitFor(t, "a scrape of both jobs", func() bool {
		return query(`rate(sotto_end_to_end_seconds{job="native"}[10s]) and rate(sotto_canary_seconds{job="native"}[10s])`)+
			query(`rate(sotto_end_to_end_seconds{job="native"}[10s])`) >= 1 &&
			query(`rate(sotto_end_to_end_seconds_bucket{job="classic"}[10s])`) > 1 && query(`rate(sotto_canary_seconds_count{job="classic"}[10s])`) > 0
	})
	if query(`sotto_end_to_end_seconds_bucket{job="native"}`) != 0 || query(`sotto_end_to_end_seconds{job="classic"}`) != 0 {
		t.Fatal("the jobs do not differ in the form of their histograms")
	}
	for _, expr := range histogramPanels(t) {
		for _, job := range []string{"classic", "native"} {
			q := strings.NewReplacer("$__rate_interval", "10s", "$namespace", "n", "$job", job).Replace(expr)
			waitFor(t, q, func() bool { return query(q) > 0 })
		}
	}
	found := server.Rules()
	for _, r := range found {
		if r.Health != "ok" {
			t.Errorf("%s: %s %s", r.Name, r.Health, r.LastError)
		}
	}
	if len(found) != len(alerts(t)) {
		t.Errorf("Prometheus has %d alerts, the file %d", len(found), len(alerts(t)))
	}
}

// histogramPanels are the expressions of the dashboard that read a histogram which has
// observed something when one call has gone through.
func histogramPanels(t *testing.T) (exprs []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(chart, "files/dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			if strings.Contains(target.Expr, "histogram_") {
				exprs = append(exprs, target.Expr)
			}
		}
	}
	if len(exprs) < 10 {
		t.Fatalf("only %d panels read histograms", len(exprs))
	}
	return exprs
}
