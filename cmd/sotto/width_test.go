package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/cmd/internal/cli"
	"sotto/internal/texttable"
)

// A table that is wider than a terminal wraps, and its columns no longer stand
// below each other.
func TestTablesFitATerminal(t *testing.T) {
	calls := write(t, "calls.txt", markedUp)
	annotated := write(t, "annotated.jsonl", `{"id":"a","context":"customer_support","annotated":true,"text":"(Ola)[MISSED_PERSON_NAME] speaking"}`+"\n")
	raw := write(t, "raw.jsonl", `{"call_id":"call-0000000000000001","seq":1,"type":"UTTERANCE","text":"Hi, this is Ola Kettleby, of Dale Mutual, at 5 Elm Court, Seattle, WA 98101, born on May 4 1961."}`+"\n")
	clean := sotto(t, nil, "", "anonymize", raw)
	first := write(t, "first.jsonl", clean.out)
	second := write(t, "second.jsonl", strings.ReplaceAll(clean.out, "[PERSON_NAME_1]", "Ola Kettleby"))
	for _, args := range [][]string{
		{"eval", "--by-type", "--lower", "--gold", calls, calls},
		{"eval", "--sensitivity", "all", "--lower", "--gold", calls, calls},
		{"risk", annotated},
		{"size", "--calls", "1000,1000000"},
		{"diff", first, second},
		{"config"},
		{"preflight"},
		{"corpus", "check", calls},
		{"corpus", "agreement", calls, calls},
		{"corpus", "mask", "--report", calls},
		{"corpus", "blacklist", calls, "-o", t.TempDir() + "/list"},
	} {
		o := sotto(t, map[string]string{"SOTTO_STRATEGY": "entity", "SOTTO_ENTITY_MODE": "independent"}, "", args...)
		if o.out == "" || o.code == cli.Usage {
			t.Errorf("%s: status %d: %s", args[0], o.code, o.errors)
		}
		for line := range strings.Lines(o.out) {
			// A word that is too long, such as a path, cannot be broken.
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > texttable.Width && !strings.Contains(line, "/") {
				t.Errorf("%s: a line of %d columns: %q", strings.Join(args[:2], " "), utf8.RuneCountInString(line), line)
			}
		}
	}
}
