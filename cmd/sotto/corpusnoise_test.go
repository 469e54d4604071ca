package main

import (
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

func TestCorpusNoise(t *testing.T) {
	file := write(t, "own.txt", markedUp)
	raw := sotto(t, nil, "", "corpus", "noise", "--seed", "3", file)
	if raw.code != cli.Done || !strings.HasPrefix(raw.out, "### id=M-1 context=customer_support vertical=dental\nAGENT: this ") ||
		strings.Contains(raw.out, "4471") {
		t.Fatalf("exit status %d, output\n%s%s", raw.code, raw.out, raw.errors)
	}
	if again := sotto(t, nil, "", "corpus", "noise", "--seed", "3", file); again != raw {
		t.Errorf("the same seed gave another result:\n%s", again.out)
	}
	// Its output is labelled conversations again, in both formats.
	lines := sotto(t, nil, "", "corpus", "noise", "--seed", "3", "--json", file)
	converted := sotto(t, nil, "", "corpus", "convert", write(t, "raw.txt", raw.out))
	if converted.code != cli.Done || converted.out != lines.out {
		t.Errorf("JSON lines\n%s, from marked-up text\n%s%s", lines.out, converted.out, converted.errors)
	}
	for want, args := range map[string][]string{
		"--profile must be one of typed, raw, commercial": {"--profile", "loud", file},
		"no labelled conversations":                       {},
	} {
		if o := sotto(t, nil, "", append([]string{"corpus", "noise"}, args...)...); o.code != cli.Usage || !strings.Contains(o.errors, want) {
			t.Errorf("exit status %d, errors %q, want %q", o.code, o.errors, want)
		}
	}
}
