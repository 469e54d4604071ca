// Package promtest runs a real Prometheus for tests, so that rules and panels are judged
// by the program that evaluates them in operation.
package promtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/internal/testkit/loopback"
)

// EnvTools names the environment variable with the folder of Prometheus and promtool.
const EnvTools = "SOTTO_TEST_PROMETHEUS"

// Tools returns the folder with Prometheus and promtool. The test is skipped if none is
// named; the targets of the Makefile that need them build and name them.
func Tools(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(EnvTools)
	if dir == "" {
		t.Skip("needs Prometheus: make test-helm, make test-kafka")
	}
	return dir
}

// Job is what Prometheus scrapes under one name, twice a second. Its series have the
// labels namespace="n" and pod="p".
type Job struct {
	Name    string
	Native  bool     // scrape native histograms
	Targets []string // host:port
}

// Server is a Prometheus that runs until the end of the test.
type Server struct {
	t    testing.TB
	addr string
}

// Start starts a Prometheus that scrapes the jobs and evaluates the rules of a file twice
// a second.
func Start(t testing.TB, rules string, jobs ...Job) *Server {
	t.Helper()
	dir, tools := t.TempDir(), Tools(t)
	var config strings.Builder
	fmt.Fprintf(&config, "global: {scrape_interval: 500ms, evaluation_interval: 500ms}\nrule_files: ['%s']\nscrape_configs:\n", rules)
	for _, j := range jobs {
		fmt.Fprintf(&config, "  - job_name: %s\n    scrape_native_histograms: %v\n    static_configs: [{targets: ['%s'], labels: {namespace: n, pod: p}}]\n",
			j.Name, j.Native, strings.Join(j.Targets, "', '"))
	}
	file := filepath.Join(dir, "prometheus.yaml")
	if err := os.WriteFile(file, []byte(config.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Server{t, loopback.FreeAddress(t)}
	cmd := exec.CommandContext(t.Context(), filepath.Join(tools, "prometheus"), "--config.file="+file,
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+s.addr, "--log.level=warn")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return s
}

// Query returns the labels of the series that an expression has now. An expression that
// Prometheus refuses fails the test.
func (s *Server) Query(expr string) []map[string]string {
	s.t.Helper()
	var got struct {
		Status, Error string
		Data          struct {
			Result []struct{ Metric map[string]string }
		}
	}
	s.fetch("/api/v1/query?query="+url.QueryEscape(expr), &got)
	if got.Status == "error" {
		s.t.Fatalf("%s: %s", expr, got.Error)
	}
	series := make([]map[string]string, len(got.Data.Result))
	for i, r := range got.Data.Result {
		series[i] = r.Metric
	}
	return series
}

// Firing returns the names of the alerts that fire.
func (s *Server) Firing() map[string]bool {
	s.t.Helper()
	names := map[string]bool{}
	for _, series := range s.Query(`ALERTS{alertstate="firing"}`) {
		names[series["alertname"]] = true
	}
	return names
}

// Rule is a rule and how its last evaluation went.
type Rule struct{ Name, Health, LastError string }

// Rules returns all rules.
func (s *Server) Rules() []Rule {
	s.t.Helper()
	var got struct {
		Data struct{ Groups []struct{ Rules []Rule } }
	}
	s.fetch("/api/v1/rules", &got)
	var rules []Rule
	for _, g := range got.Data.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules
}

// fetch asks until Prometheus has started and answers.
func (s *Server) fetch(path string, into any) {
	s.t.Helper()
	client := http.Client{Timeout: 10 * time.Second}
	ask := func() error {
		resp, err := client.Get("http://" + s.addr + path)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusServiceUnavailable {
			return fmt.Errorf("status %s", resp.Status)
		}
		return json.NewDecoder(resp.Body).Decode(into)
	}
	var err error
	for until := time.Now().Add(60 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if err = ask(); err == nil {
			return
		}
	}
	s.t.Fatalf("waited a minute for an answer of Prometheus: %v", err)
}
