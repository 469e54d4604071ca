package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const formatSamples = "../../internal/batch/testdata/formats/"

// Compact JSON of a recognizer once kept a whole card number in its list of words.
func TestAnonymizeMasksListsOfWords(t *testing.T) {
	o := sotto(t, nil, "", "anonymize", formatSamples+"deepgram.json")
	if o.code != exitDone || o.errors != "" {
		t.Fatalf("status %d: %s", o.code, o.errors)
	}
	for _, v := range []string{"4111", "1111", "Wendover", "wendover"} {
		if strings.Contains(o.out, v) {
			t.Errorf("%s is in the output", v)
		}
	}
	if !json.Valid([]byte(o.out)) {
		t.Error("the output is not JSON")
	}
}

func TestAnonymizeFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	report := filepath.Join(t.TempDir(), "review.html")
	o := sotto(t, nil, "", "anonymize", formatSamples+"*.vtt", formatSamples+"rev.json", "-o", out, "--json", "--report", report)
	if o.code != exitDone || o.errors != "sotto: 4 files anonymized\n" {
		t.Fatalf("status %d: %s", o.code, o.errors)
	}
	var s struct {
		Calls int
		Files []struct{ Output, Format string }
	}
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Calls != 4 || len(s.Files) != 4 {
		t.Fatalf("the summary is %s", o.out)
	}
	for _, f := range s.Files {
		if _, err := os.Stat(f.Output); err != nil {
			t.Error(err)
		}
	}
	page, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(page), "contains raw text") {
		t.Errorf("the report is missing: %v", err)
	}
	if info, err := os.Stat(report); err != nil || info.Mode().Perm() != 0o600 {
		t.Error("others can read the report")
	}
	if _, err := os.Stat(strings.TrimSuffix(report, ".html") + ".json"); err != nil {
		t.Error(err)
	}
	o = sotto(t, nil, "", "anonymize", formatSamples+"*.vtt", "-o", out)
	if o.code != exitDone || !strings.Contains(o.errors, "0 files anonymized, 3 were finished before") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
}

func TestAnonymizeFlags(t *testing.T) {
	participants := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(participants, []byte("# known\nZyqwol\nzyq@wol.example\n6045550134\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in, want string
		args     []string
	}{
		{"A: my name is Ines Quimby\n", "A: my name is [REDACTED]\n", []string{"--strategy", "redact"}},
		{"A: my name is Ines Quimby\n", "A: my name is Ines Quimby\n", []string{"--types=-PERSON_NAME"}},
		{"A: zyqwol it is\n", "A: [PERSON_NAME_1] it is\n", []string{"--participants", participants}},
	} {
		o := sotto(t, nil, c.in, append([]string{"anonymize", "--text"}, c.args...)...)
		if o.code != exitDone || o.out != c.want {
			t.Errorf("%v: status %d, %s%s", c.args, o.code, o.out, o.errors)
		}
	}
	for _, args := range [][]string{
		{"--types", "NOPE"}, {"--types", "DATE", "--policy", "."}, {"--participants", "none"}, {"--strategy", "nope"}, {"--json"}, {"--format", "nope"},
	} {
		if o := sotto(t, nil, "A: hi\n", append([]string{"anonymize"}, args...)...); o.code != exitUsage || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%v: status %d, %q", args, o.code, o.errors)
		}
	}
}

// Input that is not understood is refused as a whole, in one line and without its text.
func TestAnonymizeRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"name":"Quillfeather"}`, "--format"},
		{"<html>Quillfeather</html>", "--format"},
		{"Quillfeather\x00\x01\n\x02\n\x03\n", "binary"},
	} {
		o := sotto(t, nil, c.in, "anonymize")
		if o.code != exitFailed || o.out != "" || !strings.Contains(o.errors, c.want) || strings.Count(o.errors, "\n") != 1 || strings.Contains(o.errors, "Quill") {
			t.Errorf("%q: status %d, %q, %q", c.in, o.code, o.out, o.errors)
		}
	}
	if o := sotto(t, nil, `{"name":"my name is Ines Quillfeather"}`, "anonymize", "--format", "json"); o.code != exitDone || o.out != `{"name":"my name is [PERSON_NAME_1]"}` {
		t.Errorf("as json: status %d, %q, %s", o.code, o.out, o.errors)
	}
}

func TestAnonymizeLongLines(t *testing.T) {
	text := "A: my name is Ines Quimby " + strings.Repeat("okay ", 300_000)
	if o := sotto(t, nil, `{"words":["`+text+`"]}`, "anonymize"); o.code != exitFailed || !strings.Contains(o.errors, "--format") {
		t.Errorf("one line of JSON: status %d: %s", o.code, o.errors)
	}
	o := sotto(t, nil, text, "anonymize")
	if o.code != exitDone || !strings.HasPrefix(o.out, "A: my name is [PERSON_NAME_1] okay") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
}

func TestProgressLine(t *testing.T) {
	p := progress{files: 4, bytes: 4e6, passed: 1e6, processed: 1e6, finished: 1}
	if got := p.line(time.Second); got != "[#####...............] 1 of 4 files, 1.0 MB/s, 3s left" {
		t.Error(got)
	}
}
