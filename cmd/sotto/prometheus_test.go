package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// prometheusTools returns the folder with Prometheus and promtool, which 'make test-helm'
// builds and names.
func prometheusTools(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SOTTO_TEST_PROMETHEUS")
	if dir == "" {
		t.Skip("needs Prometheus: make test-helm")
	}
	return dir
}

// The names and units of our own metrics pass 'promtool check metrics'.
func TestPromtoolAcceptsTheMetrics(t *testing.T) {
	tools := prometheusTools(t)
	for _, addr := range serveMetrics(t) {
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
	tools := prometheusTools(t)
	targets := serveMetrics(t)
	dir, addr := t.TempDir(), freeAddr(t)
	rules, err := filepath.Abs(filepath.Join(chart, "files/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	job := func(name string, native bool) string {
		return fmt.Sprintf("  - job_name: %s\n    scrape_native_histograms: %v\n    static_configs: [{targets: ['%s'], labels: {namespace: n, pod: p}}]\n",
			name, native, strings.Join(targets, "', '"))
	}
	file := filepath.Join(dir, "prometheus.yaml")
	text := "global: {scrape_interval: 500ms, evaluation_interval: 500ms}\nrule_files: ['" + rules + "']\nscrape_configs:\n" + job("classic", false) + job("native", true)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(tools, "prometheus"), "--config.file="+file,
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+addr, "--log.level=warn")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })

	// query returns the number of series of an expression.
	query := func(expr string) int {
		var got struct {
			Status, Error string
			Data          struct{ Result []any }
		}
		fetchJSON(t, "http://"+addr+"/api/v1/query?query="+url.QueryEscape(expr), &got)
		if got.Status == "error" {
			t.Fatalf("%s: %s", expr, got.Error)
		}
		return len(got.Data.Result)
	}
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
	var got struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	fetchJSON(t, "http://"+addr+"/api/v1/rules", &got)
	n := 0
	for _, g := range got.Data.Groups {
		for _, r := range g.Rules {
			if n++; r.Health != "ok" {
				t.Errorf("%s: %s %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if n != len(alerts(t)) {
		t.Errorf("Prometheus has %d alerts, the file %d", n, len(alerts(t)))
	}
}

func fetchJSON(t *testing.T, address string, into any) {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second}
	waitFor(t, "an answer of Prometheus", func() bool {
		resp, err := client.Get(address)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode != http.StatusServiceUnavailable && json.NewDecoder(resp.Body).Decode(into) == nil
	})
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
