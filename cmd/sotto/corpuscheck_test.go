package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

const markedUp = `### id=M-1 context=customer_support vertical=dental
AGENT: this is {{PERSON_NAME|Ines Quimby}}, how can I help
CUSTOMER: it's {{PERSON_NAME|Tom Larkin}}. Ask Ines Quimby about 4471.
`

func TestCorpusCheck(t *testing.T) {
	good := write(t, "good.txt", markedUp)
	o := sotto(t, nil, "", "corpus", "check", good)
	if o.code != cli.Done || strings.Contains(o.out, "Quimby") || !strings.Contains(o.out, good+"      1      2       2       0      1\n") {
		t.Errorf("exit status %d, output\n%s%s", o.code, o.out, o.errors)
	}
	o = sotto(t, nil, "", "corpus", "check", "--notes", good)
	if o.code != cli.Done || !strings.Contains(o.out, `good.txt:3: "ines quimby" is PERSON_NAME elsewhere in M-1`) {
		t.Errorf("exit status %d, output\n%s%s", o.code, o.out, o.errors)
	}
	bad := write(t, "bad.txt", markedUp+"CUSTOMER: ask {{Larkin\n")
	o = sotto(t, nil, "", "corpus", "check", good, bad)
	if o.code != cli.Check || !strings.Contains(o.out, "bad.txt:4: broken markup") || !strings.Contains(o.out, "total") ||
		strings.Count(o.errors, "\n") != 1 || strings.Contains(o.out+o.errors, "Larkin") {
		t.Errorf("exit status %d, output\n%s%s", o.code, o.out, o.errors)
	}
	for _, args := range [][]string{{}, {good + "x"}, {filepath.Join(t.TempDir(), "none.txt")}} {
		if o := sotto(t, nil, "", append([]string{"corpus", "check"}, args...)...); o.code != cli.Usage {
			t.Errorf("%d files: exit status %d, errors %q", len(args), o.code, o.errors)
		}
	}
}

// Commands that read labelled conversations give the same result for both formats.
func TestLabelledConversationsInEitherFormat(t *testing.T) {
	dir := t.TempDir()
	text, lines := filepath.Join(dir, "own.txt"), filepath.Join(dir, "own.jsonl")
	if err := os.WriteFile(text, []byte(markedUp), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sotto(t, nil, "", "corpus", "convert", text)
	if o.code != cli.Done || strings.Count(o.out, "\n") != 1 {
		t.Fatalf("exit status %d, output %q, errors %q", o.code, o.out, o.errors)
	}
	if err := os.WriteFile(lines, []byte(o.out), 0o600); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "table.tsv")
	for _, args := range [][]string{
		{"corpus", "convert"},
		{"eval", "--json", "--gold"},
		{"corpus", "table", "-o", table, "--min-calls", "1"},
	} {
		a, b := sotto(t, nil, "", append(args, text)...), sotto(t, nil, "", append(args, lines)...)
		if a != b || a.code != cli.Done || !strings.Contains(a.out, "1") {
			t.Errorf("%v: exit status %d, %q, and %d, %q", args, a.code, a.errors, b.code, b.errors)
		}
	}
	broken := write(t, "broken.txt", markedUp+"Larkin\n")
	for _, args := range [][]string{{"corpus", "convert"}, {"eval", "--gold"}, {"train", "-o", table}} {
		o := sotto(t, nil, "", append(args, broken)...)
		if o.code != cli.Failed || o.out != "" || !strings.Contains(o.errors, "broken.txt:4: no speaker") || strings.Contains(o.errors, "Larkin") {
			t.Errorf("%v: exit status %d, output %q, errors %q", args, o.code, o.out, o.errors)
		}
	}
}
