package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/internal/testkit/loopback"
	"sotto/processor"
	"sotto/processor/ingest"
	"sotto/processor/telemetry"
	service "sotto/serve"
)

const chart = "../../helm/sotto"

// exported are the names and labels of all metrics of the binary: those that 'run' and 'canary'
// show after a call, and those that the code declares for counters that are still 0.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	names := map[string][]string{}
	add := func(name, kind string, labels ...string) {
		all := []string{name}
		if kind == "histogram" {
			// The name alone is that of a native histogram.
			all = []string{name, name + "_bucket", name + "_sum", name + "_count"}
			labels = append(labels, "le")
		}
		for _, n := range all {
			names[n] = append(names[n], labels...)
		}
	}
	for _, m := range slices.Concat(telemetry.Describe(), processor.CanaryMetrics()) {
		add(m.Name, m.Type, m.Labels...)
	}
	for _, addr := range append(streamMetrics(t), serviceMetrics(t), receiverMetrics(t)) {
		found, err := scrape(addr)
		if err != nil {
			t.Fatal(err)
		}
		for n, l := range found {
			names[n] = append(names[n], l...)
		}
	}
	return names
}

// serviceMetrics starts the HTTP service and returns the address of its metrics after a request.
func serviceMetrics(t *testing.T) (addr string) {
	t.Helper()
	s, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	web, err := service.New(s, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	web.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost/health", nil))
	health := httptest.NewServer(web.HealthHandler())
	t.Cleanup(health.Close)
	return strings.TrimPrefix(health.URL, "http://")
}

// receiverMetrics makes a receiver of webhooks and returns the address of its metrics after a request.
func receiverMetrics(t *testing.T) (addr string) {
	t.Helper()
	secrets := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(secrets, []byte("a-secret-of-some-length"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(map[string]string{"SOTTO_INGEST_SIGNATURE": "secret", "SOTTO_INGEST_SECRET_FILE": secrets})
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := ingest.New(s, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	receiver.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost/", nil))
	health := httptest.NewServer(receiver.HealthHandler())
	t.Cleanup(health.Close)
	return strings.TrimPrefix(health.URL, "http://")
}

// streamMetrics starts a stream and a canary and returns the addresses of their metrics once a call
// has passed through.
func streamMetrics(t *testing.T) (addrs []string) {
	t.Helper()
	runAddr, canaryAddr := loopback.FreeAddress(t), loopback.FreeAddress(t)
	environ := runEnviron(t, broker(t), runAddr)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan outcome, 2)
	go func() { done <- sottoContext(ctx, environ, "", "run") }()
	watching := maps.Clone(environ)
	watching["SOTTO_HTTP_ADDR"] = canaryAddr
	go func() { done <- sottoContext(ctx, watching, "", "canary", "--every", "200ms") }()
	t.Cleanup(func() {
		stop()
		for range 2 {
			if o := <-done; o.code != cli.Done {
				t.Errorf("status %d: %s", o.code, o.errors)
			}
		}
	})
	waitFor(t, "the canary's metrics", func() bool {
		found, err := scrape(canaryAddr)
		return err == nil && found["sotto_canary_seconds_count"] != nil
	})
	return []string{runAddr, canaryAddr}
}

// waitFor waits until a condition check.
func waitFor(t *testing.T, what string, check func() bool) {
	t.Helper()
	for until := time.Now().Add(60 * time.Second); !check(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

func scrape(addr string) (map[string][]string, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + addr + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(resp.Body)
	names := map[string][]string{}
	for name, f := range families {
		var labels []string
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName())
			}
			if m.GetHistogram() != nil {
				if m.GetHistogram().GetSampleCount() > 0 {
					names[name+"_count"] = append(labels, "le")
				}
				names[name+"_sum"], names[name+"_bucket"] = append(labels, "le"), append(labels, "le")
			}
		}
		names[name] = labels
	}
	return names, err
}

// Labels that Prometheus adds.
var targetLabels = []string{"namespace", "job", "pod", "instance"}

// check checks that an expression parses and that every metric and every label in it is exported. It
// deletes the metrics from unused.
func check(t *testing.T, expr string, known map[string][]string, unused map[string]bool) {
	t.Helper()
	e, err := parser.ParseExpr(strings.ReplaceAll(expr, "$__rate_interval", "5m"))
	if err != nil {
		t.Errorf("%s: %v", expr, err)
		return
	}
	var has []string
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		v, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		delete(unused, baseName.ReplaceAllString(v.Name, ""))
		labelsOf, ok := known[v.Name]
		if !ok {
			t.Errorf("%s: %s is not exported", expr, v.Name)
		}
		has = append(has, labelsOf...)
		for _, m := range v.LabelMatchers {
			if m.Name != model.MetricNameLabel && !slices.Contains(append(labelsOf, targetLabels...), m.Name) {
				t.Errorf("%s: %s has no label %s", expr, v.Name, m.Name)
			}
		}
		return nil
	})
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok {
			for _, l := range a.Grouping {
				if !slices.Contains(append(has, targetLabels...), l) {
					t.Errorf("%s: nothing in it has a label %s", expr, l)
				}
			}
		}
		return nil
	})
}

type alert struct {
	Alert string
	Expr  string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(chart, "files/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []alert } }
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("no alerts")
	}
	return all
}

// baseName removes what the series of a histogram add to its name.
var baseName = regexp.MustCompile("_(bucket|sum|count)$")

// documented returns the expressions that documents show. One that begins with a space continues the
// line before.
func documented(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, block := range regexp.MustCompile("(?s)```promql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			all = append(all, strings.Split(strings.TrimSpace(strings.ReplaceAll(block[1], "\n ", " ")), "\n")...)
		}
		return err
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d expressions, %v", len(all), err)
	}
	return all
}

// An operator can trust what the dashboard, the alerts and the documents ask for, and no metric is
// there for nothing.
func TestMetricsAreExportedAndUsed(t *testing.T) {
	known := exported(t)
	unused := map[string]bool{}
	for name := range known {
		if strings.HasPrefix(name, "sotto_") {
			unused[baseName.ReplaceAllString(name, "")] = true
		}
	}
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
	n := 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			check(t, target.Expr, known, unused)
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d expressions", n)
	}
	for _, a := range alerts(t) {
		check(t, a.Expr, known, unused)
	}
	for _, expr := range documented(t) {
		check(t, expr, known, unused)
	}
	for name := range unused {
		t.Errorf("no alert, panel or documented query uses %s", name)
	}
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range known {
		base := baseName.ReplaceAllString(name, "")
		if strings.HasPrefix(name, "sotto_") && !strings.HasPrefix(name, "sotto_serve_") && !strings.HasPrefix(name, "sotto_ingest_") && !strings.Contains(string(page), "`"+base+"`") {
			t.Errorf("docs/metrics.md lacks %s", name)
		}
	}
}

func TestEveryAlertHasARunbookAndATest(t *testing.T) {
	tests, err := os.ReadFile(filepath.Join(chart, "tests/alerts_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadDir("../../docs/runbooks")
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, p := range pages {
		left[p.Name()] = true
	}
	delete(left, "README.md")
	for _, a := range alerts(t) {
		if strings.Count(string(tests), "alertname: "+a.Alert+"\n") == 0 {
			t.Errorf("no test in which %s fires", a.Alert)
		}
		file := a.Alert + ".md"
		delete(left, file)
		page, err := os.ReadFile(filepath.Join("../../docs/runbooks", file))
		if errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s has no runbook", a.Alert)
			continue
		}
		for _, part := range []string{"# " + a.Alert + "\n", "## What it means\n", "## Look\n", "## Act\n"} {
			if !strings.Contains(string(page), part) {
				t.Errorf("%s has no %q", file, part)
			}
		}
	}
	for file := range left {
		t.Errorf("%s is about no alert", file)
	}
}
