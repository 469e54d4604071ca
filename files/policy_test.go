package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sotto/config"
	"sotto/files/formats"
	"sotto/schemas"
)

var record = flag.Bool("record", false, "write the record of the policy hashes and the outputs again")

const (
	policyCorpus = "testdata/policy/corpus.jsonl"
	policyRecord = "testdata/policy/record.txt"
)

// setups are settings under which the calls of policyCorpus are anonymized. What follows detection is tried without the encoder, which
// takes longer.
var setups = map[string]map[string]string{
	"default":           nil,
	"fast":              {"READING": "fast"},
	"balanced":          {"SENSITIVITY": "balanced"},
	"maximum":           {"SENSITIVITY": "maximum"},
	"typed":             {"READING": "fast", "STRATEGY": "typed"},
	"redact":            {"READING": "fast", "STRATEGY": "redact"},
	"named":             {"READING": "fast", "STRATEGY": "named"},
	"word":              {"READING": "fast", "STRATEGY": "word"},
	"entity":            {"READING": "fast", "STRATEGY": "entity"},
	"independent":       {"READING": "fast", "STRATEGY": "entity", "ENTITY_MODE": "independent", "SURROGATE_NAMES": "neutral"},
	"by infoType":       {"READING": "fast", "STRATEGY": "default=typed,PERSON_NAME=entity,PHONE_NUMBER=word", "REPLACE_PROBABILITY": "0.5", "REPLACE_RISK": config.RiskAccepted},
	"strict":            {"MASKING": "entity,allowlist", "CALL_ID": "hash", "TENANT": "hash"},
	"strict vocabulary": {"READING": "fast", "MASKING": "entity,vocab", "OTHER_LANGUAGES": "hold", "RISK_GATE": "enforce", "RISK_LIMIT": "1"},
	"own policy":        {"DICTIONARY_DIR": "testdata/policy/dictionaries", "OTHER_LANGUAGES": "pass", "TENANTS": "acme", "MAX_ENTITIES": "3"},
}

// outcome is the policy hash of a setup, and a hash of its output.
type outcome struct{ policy, output string }

// The same policy hash means the same output. This test compares what comes out of the calls of
// policyCorpus with the record of the last commit: where it changed, the hash must have changed, because
// data or settings did, or because RuleVersion was raised for a change of code.
func TestOutputHasItsPolicy(t *testing.T) {
	if testing.Short() {
		t.Skip("the tests of the engine run under the race detector")
	}
	corpus, err := os.ReadFile(policyCorpus)
	if err != nil {
		t.Fatal(err)
	}
	got := outcomes(t, corpus)
	if t.Failed() {
		return
	}
	old, err := os.ReadFile(policyRecord)
	if err != nil && !*record {
		t.Fatal(err)
	}
	fresh := formatRecord(corpus, got)
	if same := unversioned(string(old), fresh); len(same) > 0 {
		t.Fatalf("the output changed under these setups, and the policy hash did not: %s. Code changed what comes out: raise RuleVersion in "+
			"anonymize/engine.go, and run 'make record-output'. If the output should be as before, 'bin/sotto anonymize "+
			"batch/%s' shows the difference to another commit", strings.Join(same, ", "), policyCorpus)
	}
	switch {
	case string(old) == fresh:
	case *record:
		if err := os.WriteFile(policyRecord, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the policy hash changed, and batch/" + policyRecord + " has the former one: run 'make record-output' and commit the file")
	}
}

// outcomes anonymizes the calls under every setup.
func outcomes(t *testing.T, corpus []byte) map[string]outcome {
	t.Helper()
	keyFile := filepath.Join(t.TempDir(), "state.key")
	if err := os.WriteFile(keyFile, []byte(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	texts := textsOf(t, corpus)
	var mu sync.Mutex
	all := map[string]outcome{}
	t.Run("setups", func(t *testing.T) {
		for name, settings := range setups {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				j, policy := policyJob(t, keyFile, settings)
				var out bytes.Buffer
				if _, err := j.Events(context.Background(), bytes.NewReader(corpus), &out); err != nil {
					t.Fatal(err)
				}
				if name == "default" || name == "entity" {
					for _, text := range texts {
						clean, err := j.Anonymize(context.Background(), []byte(text), formats.Options{Name: "call.txt"}, &FileResult{})
						if err != nil {
							t.Fatal(err)
						}
						out.Write(clean)
					}
				}
				sum := sha256.Sum256(bytes.ReplaceAll(out.Bytes(), []byte(policy), []byte("policy")))
				mu.Lock()
				defer mu.Unlock()
				all[name] = outcome{policy, fmt.Sprintf("%x", sum[:12])}
			})
		}
	})
	return all
}

// policyJob returns a job as 'sotto anonymize' makes it, and the policy hash.
func policyJob(t *testing.T, keyFile string, settings map[string]string) (*Job, string) {
	t.Helper()
	env := map[string]string{config.EnvPrefix + "STATE_KEY_FILE": keyFile}
	for name, value := range settings {
		env[config.EnvPrefix+name] = value
	}
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	s.RawOffsets = true
	e, err := s.NewEngine()
	if err != nil {
		t.Fatal(err)
	}
	intake, err := s.FileIntake()
	if err != nil {
		t.Fatal(err)
	}
	return &Job{
		Engine: e, Admit: intake.Admit, Publish: intake.Publish, CallID: intake.CallID, Explain: true,
		Gate: s.Gate(),
	}, e.Policy()
}

// textsOf returns each call of the corpus as a text file.
func textsOf(t *testing.T, corpus []byte) []string {
	t.Helper()
	var texts []string
	of := map[string]int{}
	for line := range bytes.Lines(corpus) {
		var e schemas.RawEvent
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type != schemas.Utterance || e.Speaker == nil {
			continue
		}
		if _, ok := of[e.CallID]; !ok {
			of[e.CallID] = len(texts)
			texts = append(texts, "")
		}
		texts[of[e.CallID]] += e.Speaker.Label + ": " + e.Text + "\n"
	}
	return texts
}

const recordHeader = "# What comes out of corpus.jsonl under each setup of TestOutputHasItsPolicy. Written by `make record-output`.\n"

// formatRecord writes a line for the corpus and one for each setup.
func formatRecord(corpus []byte, all map[string]outcome) string {
	sum := sha256.Sum256(corpus)
	lines := recordHeader + fmt.Sprintf("corpus: %x\n", sum[:12])
	for _, name := range slices.Sorted(maps.Keys(all)) {
		lines += fmt.Sprintf("%s: policy %s, output %s\n", name, all[name].policy, all[name].output)
	}
	return lines
}

// unversioned returns the setups of two records under which another output has the same policy hash. None
// has if the corpus is another one: its outputs cannot be compared.
func unversioned(old, fresh string) (names []string) {
	before := parseRecord(old)
	after := parseRecord(fresh)
	if before["corpus"] != after["corpus"] {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, _, ok := strings.Cut(before[name], ", ")
		is, _, _ := strings.Cut(after[name], ", ")
		if ok && was == is && before[name] != after[name] {
			names = append(names, name)
		}
	}
	return names
}

func parseRecord(text string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
			lines[name] = value
		}
	}
	return lines
}

func TestAnotherOutputNeedsAnotherPolicy(t *testing.T) {
	text := func(corpus, policy, output string) string {
		return formatRecord([]byte(corpus), map[string]outcome{"a": {"1", "x"}, "b": {policy, output}})
	}
	old := text("calls", "1", "x")
	for _, c := range []struct {
		name, fresh string
		want        []string
	}{
		{"nothing changed", old, nil},
		{"the code changed the output", text("calls", "1", "y"), []string{"b"}},
		{"data or the version changed the output", text("calls", "2", "y"), nil},
		{"only the hash changed", text("calls", "2", "x"), nil},
		{"other calls", text("other calls", "1", "y"), nil},
	} {
		if got := unversioned(old, c.fresh); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := unversioned("", old); got != nil {
		t.Errorf("without a record: %q", got)
	}
}
