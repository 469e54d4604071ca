package anonymize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file of testdata is a call, a line of dashes, and what becomes of it.
func TestGoldenConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations")
	}
	e := newEngine(t, Options{})
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			raw, want, ok := strings.Cut(string(data), "\n---\n")
			if !ok {
				t.Fatal("no line of dashes")
			}
			got := strings.Split(converse(t, e, raw), "\n")
			for i, w := range strings.Split(strings.TrimSpace(want), "\n") {
				if i >= len(got) || got[i] != w {
					t.Errorf("line %d\ngot  %s\nwant %s", i+1, got[min(i, len(got)-1)], w)
				}
			}
		})
	}
}
