package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/anonymize/replace"
)

// The demo itself checks that every event comes out once.
func TestDemoOfEachStrategy(t *testing.T) {
	for _, s := range []replace.Strategy{replace.TypedNumbered, replace.Typed, replace.Redact, replace.Named, replace.Word, replace.Entity} {
		t.Run(s.String(), func(t *testing.T) {
			got := sotto(t, nil, "", "demo", "--calls", "2", "--strategy", s.String())
			if got.code != 0 || !strings.Contains(strings.Join(strings.Fields(got.out), " "), "came out exactly once") {
				t.Errorf("exit status %d, %s", got.code, got.errors)
			}
		})
	}
	if got := sotto(t, nil, "", "demo", "--strategy", "hide"); got.code != 2 || !strings.Contains(got.errors, "SOTTO_STRATEGY") {
		t.Errorf("exit status %d, %s", got.code, got.errors)
	}
}

func TestTableIsLearntAndUsed(t *testing.T) {
	dir := t.TempDir()
	gold, table := filepath.Join(dir, "gold.jsonl"), filepath.Join(dir, "table.tsv")
	line := `{"id": "a", "utterances": [{"speaker": "agent", "text": "I am Ola Testperson", "entities": [{"start": 5, "end": 19, "type": "PERSON_NAME"}]}]}`
	if err := os.WriteFile(gold, []byte(line+"\n"+line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := sotto(t, nil, "", "corpus", "table", gold, "-o", table, "--min-calls", "2"); got.code != 0 {
		t.Fatalf("exit status %d, %s", got.code, got.errors)
	}
	if info, err := os.Stat(table); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the table is not private: %v %v", info, err)
	}
	env := map[string]string{"SOTTO_STRATEGY": "entity", "SOTTO_SURROGATE_FILE": table}
	if got := sotto(t, env, "Agent: My name is Kim Elsewhere.\n", "anonymize", "--text"); got.out != "Agent: My name is Ola Testperson.\n" {
		t.Errorf("got %q, %s", got.out, got.errors)
	}
	if got := sotto(t, nil, "", "corpus", "table", gold, "-o", table); got.code != 1 || !strings.Contains(got.errors, "--min-calls") {
		t.Errorf("exit status %d, %s", got.code, got.errors)
	}
	for _, args := range [][]string{{"corpus", "table"}, {"corpus", "table", gold}, {"corpus", "table", gold, "-o", table, "--min-calls", "0"}} {
		if got := sotto(t, nil, "", args...); got.code != 2 {
			t.Errorf("%v: exit status %d, %s", args, got.code, got.errors)
		}
	}
}

func TestConfigReportsThePrivacy(t *testing.T) {
	env := map[string]string{"SOTTO_STRATEGY": "entity", "SOTTO_ENTITY_MODE": "independent", "SOTTO_REPLACE_PROBABILITY": "0.9",
		"SOTTO_REPLACE_RISK": "personal-information-stays-in-the-output"}
	if got := sotto(t, env, "", "config"); got.code != 0 || !strings.Contains(got.out, "Privacy of the replacement") || !strings.Contains(got.out, "18.0704") {
		t.Errorf("exit status %d, %s", got.code, got.errors)
	}
	delete(env, "SOTTO_REPLACE_RISK")
	if got := sotto(t, env, "", "config"); got.code != 2 || !strings.Contains(got.errors, "SOTTO_REPLACE_RISK") {
		t.Errorf("exit status %d, %s", got.code, got.errors)
	}
}
