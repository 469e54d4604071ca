package anonymize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file of testdata is a call, a line of dashes, and the expected output.
func TestGoldenConversations(t *testing.T) {
	e := newEngine(t, Options{})
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations")
	}
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
			anonymized := converse(t, e, raw)
			if *update {
				if err := os.WriteFile(f, []byte(raw+"\n---\n"+anonymized+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			got := strings.Split(anonymized, "\n")
			for i, w := range strings.Split(strings.TrimSpace(want), "\n") {
				if i >= len(got) || got[i] != w {
					t.Errorf("line %d\ngot  %s\nwant %s", i+1, got[min(i, len(got)-1)], w)
				}
			}
		})
	}
}
