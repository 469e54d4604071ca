package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/cmd/internal/cli"
)

const formatSamples = "../../files/testdata/formats/"

// Compact JSON of a recognizer once kept a whole card number in its list of words.
func TestAnonymizeMasksListsOfWords(t *testing.T) {
	o := sotto(t, nil, "", "anonymize", formatSamples+"deepgram.json")
	if o.code != cli.Done || o.errors != "" {
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
	if o.code != cli.Done || o.errors != "sotto: 4 files anonymized\n" {
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
	o = sotto(t, nil, "", "anonymize", formatSamples+"*.vtt", "-o", out)
	if o.code != cli.Done || !strings.Contains(o.errors, "0 files anonymized, 3 were finished before") {
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
		if o.code != cli.Done || o.out != c.want {
			t.Errorf("%v: status %d, %s%s", c.args, o.code, o.out, o.errors)
		}
	}
	for _, args := range [][]string{
		{"--types", "NOPE"}, {"--types", "DATE", "--dictionary-dir", "."}, {"--participants", "none"}, {"--strategy", "nope"}, {"--sensitivity", "all"}, {"--json"}, {"--format", "nope"},
	} {
		if o := sotto(t, nil, "A: hi\n", append([]string{"anonymize"}, args...)...); o.code != cli.Usage || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%v: status %d, %q", args, o.code, o.errors)
		}
	}
}

// Input that is not understood is refused as a whole, in one line and without its text.
func TestAnonymizeRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"name":"Quillfeather"}`, "--format"},
		{"<calls>Quillfeather</calls>", "--format"},
		{"Quillfeather\x00\x01\n\x02\n\x03\n", "binary"},
	} {
		o := sotto(t, nil, c.in, "anonymize")
		if o.code != cli.Failed || o.out != "" || !strings.Contains(o.errors, c.want) || strings.Count(o.errors, "\n") != 1 || strings.Contains(o.errors, "Quill") {
			t.Errorf("%q: status %d, %q, %q", c.in, o.code, o.out, o.errors)
		}
	}
	if o := sotto(t, nil, `{"name":"my name is Ines Quillfeather"}`, "anonymize", "--format", "json"); o.code != cli.Done || o.out != `{"name":"my name is [PERSON_NAME_1]"}` {
		t.Errorf("as json: status %d, %q, %s", o.code, o.out, o.errors)
	}
}

func TestAnonymizeLongLines(t *testing.T) {
	text := "A: my name is Ines Quimby " + strings.Repeat("okay ", 300_000)
	if o := sotto(t, nil, `{"words":["`+text+`"]}`, "anonymize"); o.code != cli.Failed || !strings.Contains(o.errors, "--format") {
		t.Errorf("one line of JSON: status %d: %s", o.code, o.errors)
	}
	o := sotto(t, map[string]string{"SOTTO_READING": "fast"}, text, "anonymize")
	if o.code != cli.Done || !strings.HasPrefix(o.out, "A: my name is [PERSON_NAME_1] okay") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
}

func TestProgressLine(t *testing.T) {
	p := progress{files: 4, bytes: 4e6, passed: 1e6, processed: 1e6, finished: 1}
	if got := p.line(time.Second); got != "[#####...............] 1 of 4 files, 1.0 MB/s, 3s left" {
		t.Error(got)
	}
}

// A finished file is processed again when anything changed that its output depends on.
func TestAnonymizeAgainWithOtherSettings(t *testing.T) {
	in := filepath.Join(t.TempDir(), "calls.csv")
	if err := os.WriteFile(in, []byte("call_id,speaker,text\n6045550134,A,hi\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	first, second := keyFile(t), keyFile(t)
	if err := os.WriteFile(second, []byte("1 "+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, environ := range []map[string]string{
		nil, {"SOTTO_CALL_ID": "hash", "SOTTO_STATE_KEY_FILE": first}, {"SOTTO_CALL_ID": "hash", "SOTTO_STATE_KEY_FILE": second},
	} {
		for _, want := range []string{"sotto: 1 files anonymized\n", "were finished before"} {
			o := sotto(t, environ, "", "anonymize", in, "-o", out)
			if o.code != cli.Done || !strings.Contains(o.errors, want) {
				t.Errorf("status %d: %s, want %q", o.code, o.errors, want)
			}
		}
		data, err := os.ReadFile(filepath.Join(out, "calls.csv"))
		if err != nil || seen[string(data)] || len(environ) > 0 && strings.Contains(string(data), "6045550134") {
			t.Errorf("the output is %q, %v", data, err)
		}
		seen[string(data)] = true
	}
	for _, environ := range []map[string]string{
		{"SOTTO_STRATEGY": "entity", "SOTTO_STATE_KEY_FILE": first}, {"SOTTO_STRATEGY": "entity", "SOTTO_STATE_KEY_FILE": second},
	} {
		if o := sotto(t, environ, "", "anonymize", in, "-o", out); !strings.HasSuffix(o.errors, "sotto: 1 files anonymized\n") {
			t.Errorf("surrogates under another key: status %d: %s", o.code, o.errors)
		}
	}
	for _, sensitivity := range []string{"balanced", "maximum"} {
		for _, want := range []string{"sotto: 1 files anonymized\n", "were finished before"} {
			if o := sotto(t, nil, "", "anonymize", in, "-o", out, "--sensitivity", sensitivity); !strings.Contains(o.errors, want) {
				t.Errorf("%s: status %d: %s, want %q", sensitivity, o.code, o.errors, want)
			}
		}
	}
}

// A mapping reads JSON that is not known, and what is wrong with it is said without text of a file.
func TestAnonymizeWithAMapping(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	call := file("call.json", `{"timeline":[{"by":1,"said":{"it":"I am Ines Quimby."},"list":["I","am","Ines","Quimby."]}],"version":2}`)
	o := sotto(t, nil, "", "anonymize", call)
	if o.code != cli.Failed || !strings.Contains(o.errors, "the nearest are") || !strings.Contains(o.errors, "--mapping") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
	mapping := file("mapping.yaml", "turns: [{path: timeline.*, text: said.it, speaker: by, words: [{path: list}]}]")
	o = sotto(t, nil, "", "anonymize", "--mapping", mapping, call)
	const want = `{"timeline":[{"by":1,"said":{"it":"I am [PERSON_NAME_1]."},"list":["I","am","[PERSON_NAME_1]."]}],"version":2}`
	if o.code != cli.Done || o.out != want {
		t.Errorf("status %d: %s\ngot  %s\nwant %s", o.code, o.errors, o.out, want)
	}
	for _, wrong := range []string{call, file("a.yaml", "turns: []"), file("b.yaml", "turns: [{path: Quimby, text: a, unit: Quimby}]"), file("c.yaml", "Quimby: 1"), filepath.Join(dir, "none")} {
		o = sotto(t, nil, "", "anonymize", "--mapping", wrong, call)
		if o.code != cli.Usage || strings.Contains(o.errors, "Quimby") {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
	}
	o = sotto(t, nil, "", "anonymize", "--mapping", file("d.yaml", "turns: [{path: logs.*, text: said}]"), call)
	if o.code != cli.Failed || !strings.Contains(o.errors, "no path of the mapping") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
}

// Who exports what are no events, or a folder, is told what to do.
func TestWhatIsNoFileOfEvents(t *testing.T) {
	table := write(t, "clean.csv", "call,speaker,text\n1,agent,hello\n")
	for args, want := range map[string]string{table: "'sotto anonymize --events' writes", filepath.Dir(table): "is a folder: name the files in it"} {
		if o := sotto(t, nil, "", "corpus", "export", "--form", "chat", "-o", filepath.Join(t.TempDir(), "shards"), args); o.code == cli.Done || !strings.Contains(o.errors, want) {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
	}
}

// The same labelled calls, in both of their forms, become events of their IDs, which can be exported. So do other formats.
func TestEventsOfEveryFormat(t *testing.T) {
	marked := "// kind 2\n### id=KT01 context=sales\nAGENT: this is {{PERSON_NAME|Ines Quimby}} at 604-555-0134\nCUSTOMER: hello Ines\n"
	line := sotto(t, nil, "", "corpus", "convert", write(t, "c.txt", marked)).out
	for name, text := range map[string]string{"calls.txt": marked, "calls.jsonl": line, "KT01.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ines Quimby>this is Ines Quimby\n"} {
		o := sotto(t, nil, "", "anonymize", "--events", write(t, name, text))
		if o.code != cli.Done || !strings.HasPrefix(o.out, `{"call_id":"KT01","seq":1,"type":"UTTERANCE"`) || !strings.Contains(o.out, `"type":"END"`) || strings.Contains(o.out, "Quimby") {
			t.Fatalf("%s: status %d, %s\n%s", name, o.code, o.errors, o.out)
		}
		// The summary names the calls as their events do.
		if o := sotto(t, nil, "", "anonymize", "--json", "-o", filepath.Join(t.TempDir(), "out"), write(t, name, text)); !strings.Contains(o.out, `"call_id": "KT01"`) {
			t.Errorf("%s: the summary is %s%s", name, o.out, o.errors)
		}
		o = sotto(t, nil, "", "corpus", "export", "-o", "-", write(t, "clean.jsonl", o.out))
		if o.code != cli.Done || !strings.Contains(o.out, "this is [PERSON_NAME_1]") {
			t.Errorf("%s: status %d, %s\n%s", name, o.code, o.errors, o.out)
		}
		if o = sotto(t, nil, "", "anonymize", write(t, name, text)); o.code != cli.Done || name != "KT01.vtt" && !strings.Contains(o.out, "KT01") || strings.Contains(o.out, "{{") || strings.Contains(o.out, "Quimby") {
			t.Errorf("%s: its own form: status %d, %s\n%s", name, o.code, o.errors, o.out)
		}
	}
}
