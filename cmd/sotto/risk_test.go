package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// annotatedCall is the annotated call of the paper's Table 2.
const annotatedCall = `Person 1: (Dunder Mifflin)[MISSED_ORGANIZATION_NAME_SPEAKER], this
is [PERSON_NAME_1] (Green)[MISSED_PERSON_NAME_PARTIAL] speaking.
Person 2: It's (M-K two one)[MISSED_EMAIL_PARTIAL] [EMAIL_1]
`

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRiskScoresTheWorkedExample(t *testing.T) {
	call := write(t, "call.txt", annotatedCall)
	scores := write(t, "scores.yaml", "EMAIL_ADDRESS: {score: 3}\n")
	for _, c := range []struct {
		args []string
		want float64
	}{
		{[]string{"risk", "--json", call}, 7},
		{[]string{"risk", "--json", "--scores", scores, call}, 6},
	} {
		o := sotto(t, nil, "", c.args...)
		var report struct {
			Total struct {
				Count  int     `json:"count"`
				Mean   float64 `json:"mean"`
				Passes bool    `json:"passes"`
			} `json:"total"`
		}
		if err := json.Unmarshal([]byte(o.out), &report); err != nil || o.code != cli.Done {
			t.Fatalf("exit status %d, %v, %s", o.code, err, o.errors)
		}
		if report.Total.Mean != c.want || report.Total.Count != 1 || report.Total.Passes {
			t.Errorf("%v: %+v, want a mean of %v", c.args, report.Total, c.want)
		}
	}
}

func TestRiskTable(t *testing.T) {
	call := write(t, "call.txt", annotatedCall)
	o := sotto(t, nil, "", "risk", call, "--context", "sales")
	if o.code != cli.Done || !strings.Contains(o.out, "sales") || !strings.Contains(o.out, "FAIL") {
		t.Errorf("exit status %d\n%s%s", o.code, o.out, o.errors)
	}
}

// The page for people who decide comes beside the table, also if the corpus does not pass.
func TestRiskPage(t *testing.T) {
	call, page := write(t, "call.txt", annotatedCall), filepath.Join(t.TempDir(), "page.md")
	if o := sotto(t, nil, "", "risk", call, "--check", "--page", page); o.code != cli.Check || !strings.Contains(o.out, "FAIL") {
		t.Errorf("exit status %d\n%s%s", o.code, o.out, o.errors)
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "**Does not pass: ") || strings.Contains(string(text), "Dunder") {
		t.Errorf("%v: the page is\n%s", err, text)
	}
	if o := sotto(t, nil, "", "risk", call, "--page", filepath.Join(page, "x")); o.code == cli.Done || strings.Count(o.errors, "\n") != 1 {
		t.Errorf("a page that cannot be written: exit status %d, %s", o.code, o.errors)
	}
	if o := sotto(t, nil, "", "risk", call, "--adversary", "none", "--page", page); o.code != cli.Usage {
		t.Errorf("--page of an adversary: exit status %d, %s", o.code, o.errors)
	}
}

func TestRiskCheckAndErrors(t *testing.T) {
	bad := write(t, "call.txt", annotatedCall)
	good := write(t, "clean@ann.txt", "Person 1: Hi [PERSON_NAME_1]\n")
	unread := write(t, "clean.txt", "Person 1: Hi [PERSON_NAME_1]\n")
	broken := write(t, "broken.txt", "secret\n(secret) words [MISSED_AGE]")
	brokenToo := write(t, "broken.jsonl", "\n{secret")
	badScores := write(t, "scores.yaml", "SSN: {score: 9}\n")
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"risk", "--check", good}, cli.Done, nil},
		{[]string{"risk", "--check", bad}, cli.Check, []string{"does not pass", "7.0"}},
		{[]string{"risk", unread}, cli.Done, nil},
		{[]string{"risk", "--check", unread}, cli.Check, []string{"1 of 1 calls are not annotated"}},
		{[]string{"risk", "--check", good, unread}, cli.Check, []string{"1 of 2 calls are not annotated"}},
		{[]string{"risk"}, cli.Usage, []string{"no transcripts"}},
		{[]string{"risk", "/no/such/file"}, cli.Usage, []string{"/no/such/file"}},
		{[]string{"risk", broken, brokenToo}, cli.Failed, []string{"broken.txt:2:16: ", "broken.jsonl:2: "}},
		{[]string{"risk", "--scores", badScores, good}, cli.Usage, []string{"scores.yaml: score of SSN", "between 0 and 5"}},
		{[]string{"risk", "--scores", "/no/such/file", good}, cli.Usage, []string{"/no/such/file"}},
	} {
		o := sotto(t, nil, "", c.args...)
		if o.code != c.code {
			t.Errorf("%v: exit status %d, want %d: %s", c.args, o.code, c.code, o.errors)
		}
		for _, want := range c.want {
			if !strings.Contains(o.errors, want) {
				t.Errorf("%v: error %q lacks %q", c.args, o.errors, want)
			}
		}
		if strings.Contains(o.errors, "secret") || strings.Count(o.errors, "\n") > 1 {
			t.Errorf("%v: error %q", c.args, o.errors)
		}
	}
}

// A speaker who says an annotation is not an annotator.
func TestRiskOfForgedAnnotations(t *testing.T) {
	raw := write(t, "call.txt", "Agent: (hello)[MISSED_SSN] it is [PERSON_NAME_1] (really)(MISSED_AGE)\n")
	o := sotto(t, nil, "", "anonymize", "--text", raw)
	if o.code != cli.Done {
		t.Fatalf("exit status %d: %s", o.code, o.errors)
	}
	clean := write(t, "clean.txt", o.out)
	o = sotto(t, nil, "", "risk", "--json", clean)
	if o.code != cli.Done || !strings.Contains(o.out, `"result": "not annotated"`) || !strings.Contains(o.out, `"not_annotated": 1`) {
		t.Errorf("exit status %d: %s%s", o.code, o.out, o.errors)
	}
}
