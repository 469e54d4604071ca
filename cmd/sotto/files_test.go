package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
	"sotto/detectors/encoder"
	"sotto/detectors/ner"
)

// TestOutputsMayGoToStandardOutput: then nothing else does.
func TestOutputsMayGoToStandardOutput(t *testing.T) {
	gold, events := write(t, "own.jsonl", namedCalls(48)), write(t, "events.jsonl", engineEvents("a"))
	lines := func(t *testing.T, out string) {
		t.Helper()
		for line := range strings.Lines(out) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q is not JSON", line)
			}
		}
	}
	starts := func(prefix string) func(*testing.T, string) {
		return func(t *testing.T, out string) {
			t.Helper()
			if !strings.HasPrefix(out, prefix) {
				t.Errorf("it begins with %.80q", out)
			}
		}
	}
	model := func(t *testing.T, out string) {
		t.Helper()
		if _, err := ner.Decode([]byte(out)); err != nil {
			t.Error(err)
		}
	}
	t.Chdir(t.TempDir())
	for args, check := range map[string]func(*testing.T, string){
		"corpus blacklist GOLD":                                       starts("# sotto blacklist"),
		"corpus mask --technique allowlist GOLD":                      lines,
		"corpus table --min-calls 1 GOLD":                             starts("sotto surrogates 1\n"),
		"corpus noise --json GOLD":                                    lines,
		"corpus export EVENTS":                                        lines,
		"train --passes 1 GOLD":                                       starts(encoder.HeadMagic),
		"train tagger --passes 1 GOLD":                                model,
		"review retrain --held-out 0.5 --passes 1 --store STORE GOLD": starts(encoder.HeadMagic),
	} {
		t.Run(args, func(t *testing.T) {
			fields := strings.Fields(strings.NewReplacer("GOLD", gold, "EVENTS", events, "STORE", annotatedStore(t)).Replace(args))
			o := sotto(t, nil, "", append(slices.Clone(fields), "-o", "-")...)
			if o.code != cli.Done || o.out == "" {
				t.Fatalf("status %d: %s", o.code, o.errors)
			}
			check(t, o.out)
			if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
				t.Errorf("it left %v, %v", entries, err)
			}
		})
	}
}

// A device is written to, and not replaced by a file.
func TestWriteFileReplacesNoDevice(t *testing.T) {
	link := filepath.Join(t.TempDir(), "out")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skip(err)
	}
	gold := write(t, "own.jsonl", namedCalls(8))
	if o := sotto(t, nil, "", "corpus", "mask", "--technique", "allowlist", gold, "-o", link); o.code != cli.Done {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
	if target, err := os.Readlink(link); err != nil || target != os.DevNull {
		t.Errorf("the link is %q, %v", target, err)
	}
}
