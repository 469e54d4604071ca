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
	if err := run(t.Context(), []string{"../../corpora/calls/train/kitchen_table.txt"}, dir, 6, 1); err != nil {
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
	if _, err := os.Stat(filepath.Join(dir, "experiments.svg")); err != nil {
		t.Error(err)
	}
}
