package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		inside, outside []float64
		want            float64
	}{
		{[]float64{1, 2}, []float64{3, 4}, 1},
		{[]float64{3, 4}, []float64{1, 2}, 0},
		{[]float64{1, 4}, []float64{2, 3}, 0.5},
	} {
		if got := auc(c.inside, c.outside); got != c.want {
			t.Errorf("%v and %v: %f", c.inside, c.outside, got)
		}
	}
}

// The experiments run to their end on a few calls, and protection of both kinds keeps everything.
func TestFewCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	dir := t.TempDir()
	neural := filepath.Join(dir, "neural.json")
	if err := os.WriteFile(neural, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options{files: []string{"../../corpora/calls/train/kitchen_table.txt"}, out: dir, neural: neural, limit: 6, seeds: 1}
	if err := run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "experiments.md"))
	if err != nil {
		t.Fatal(err)
	}
	both := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "| both | ") && strings.HasSuffix(line, "| 1.000 | 1.000 | 1.000 |\n") {
			both++
		}
	}
	if both != 3 {
		t.Errorf("%d rows of full protection:\n%s", both, data)
	}
	if _, next, found := strings.Cut(string(data), downstreamFindings); !found || !strings.HasPrefix(next, "\n## A small transformer\n") {
		t.Error("the findings of the downstream task are not at its end")
	}
	if _, err := os.Stat(filepath.Join(dir, "experiments.svg")); err != nil {
		t.Error(err)
	}
}

// The report says which row a model belongs to, with deviations over the seeds.
func TestNeuralResults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "neural.json")
	content := `{"layers": 2, "parameters": 1500000, "seeds": 2, "perplexity": {"Top-1": {"vocab": [10, 12]}}, "privacy": [
		{"protection": "both", "epochs": 4, "privacy": 0.9, "own": 0.2, "auc": 0.5},
		{"protection": "both", "epochs": 4, "privacy": 0.8, "own": 0.4, "auc": 0.5},
		{"protection": "none", "epochs": 4, "privacy": 0.1}]}`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := writeNeural(&b, file, dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.50 million parameters", "| Top-1 | 0.0 | 11.0 ± 1.4 | 0.0 |", "| both | 4 | 0.300 ± 0.141 | 0.000 ± 0.000 | 0.850 ± 0.071 |", "| both | 4 | 0.500 ± 0.000 |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if err := writeNeural(&b, filepath.Join(dir, "missing.json"), dir); err == nil {
		t.Error("missing results are no error")
	}
}

// The report in docs has the section that the kept results give.
func TestTheReportHasTheKeptResults(t *testing.T) {
	var b strings.Builder
	if err := writeNeural(&b, "neural.json", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile("../../docs/training/experiments.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(report), b.String()) {
		t.Error("docs/training/experiments.md is not of the results in neural.json; run make experiments")
	}
}
