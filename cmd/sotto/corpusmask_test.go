package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

func TestCorpusMask(t *testing.T) {
	dir := t.TempDir()
	in, out, list := filepath.Join(dir, "in.txt"), filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "words.txt")
	text := "### id=A1 context=sales\nAGENT: hello, this is {{PERSON_NAME|Ines Quimbolt}} about the turbine.\n"
	for path, content := range map[string]string{in: text, list: "hello\nturbine\nabout\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--technique", "allowlist"}, "hello, this is [MASK] [MASK] about the [MASK]."},
		{[]string{"--technique", "entity"}, "hello, this is [MASK] [MASK] about the turbine."},
		{[]string{"--technique", "entity,allowlist"}, "hello, this is [MASK] [MASK] about the [MASK]."},
		{[]string{"--technique", "vocab", "--words", list, "--limit", "2"}, "hello, [MASK] [MASK] [MASK] [MASK] [MASK] [MASK] turbine."},
	} {
		o := sotto(t, nil, "", append([]string{"corpus", "mask", in, "-o", out}, c.args...)...)
		got, err := os.ReadFile(out)
		if o.code != cli.Done || err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%q: status %d, %s%v\n%s", c.args, o.code, o.errors, err, got)
		}
	}
	o := sotto(t, nil, "", "corpus", "mask", "--report", in)
	if o.code != cli.Done || !strings.Contains(o.out, "\nin   0.0 %, 0.0 %  0.0 %, 0.0 %  0.0 %, 0.0 %\n") {
		t.Errorf("status %d\n%s%s", o.code, o.out, o.errors)
	}
	for _, args := range [][]string{
		{}, {in}, {in, "--technique", "entity"}, {in, "-o", out}, {in, "-o", out, "--technique", "name"}, {in, "-o", out, "--technique", "allowlist,vocab"},
		{in, "-o", out, "--technique", "entity", "--words", list}, {in, "-o", out, "--technique", "vocab", "--words", in}, {in, "--report", "-o", out},
	} {
		if o := sotto(t, nil, "", append([]string{"corpus", "mask"}, args...)...); o.code != cli.Usage {
			t.Errorf("%q: status %d, %q", args, o.code, o.errors)
		}
	}
}

// The settings of the stream reach the engine.
func TestStrictMaskingSetting(t *testing.T) {
	const call = "Agent: the trombone is here\n"
	for masking, want := range map[string]string{"entity": "the trombone is here", "entity,allowlist": "the [SPELLED_WORD] is here"} {
		o := sotto(t, map[string]string{"SOTTO_MASKING": masking}, call, "anonymize", "--text")
		if o.code != cli.Done || !strings.Contains(o.out, want) {
			t.Errorf("%s: %q %q", masking, o.out, o.errors)
		}
	}
	for name, value := range map[string]string{"SOTTO_MASKING": "allowlist", "SOTTO_MASKING_WORDS_FILE": "words.txt"} {
		if o := sotto(t, map[string]string{name: value}, call, "anonymize", "--text"); o.code != cli.Usage || !strings.Contains(o.errors, name) {
			t.Errorf("%s: status %d, %q", name, o.code, o.errors)
		}
	}
}

// Speakers without a role may be called by their names, and figures of calls without labels say nothing.
func TestMaskedSpeakersAndCallsWithoutLabels(t *testing.T) {
	file := write(t, "c.jsonl", `{"id":"a","utterances":[{"speaker":"Ines Quimby","text":"hello"},{"speaker":"agent","text":"hello"},{"speaker":"Ines Quimby","text":"hello"}]}`+"\n")
	o := sotto(t, nil, "", "corpus", "mask", "--technique", "allowlist", file, "-o", "-")
	if o.code != cli.Done || strings.Contains(o.out, "Quimby") || strings.Count(o.out, `"speaker":"s1"`) != 2 || !strings.Contains(o.out, `"speaker":"agent"`) {
		t.Errorf("status %d, %s%s", o.code, o.out, o.errors)
	}
	for _, args := range [][]string{{"corpus", "mask", "--report", file}, {"eval", "--gold", file}} {
		if o := sotto(t, nil, "", args...); o.code != cli.Failed || o.out != "" || !strings.Contains(o.errors, "no labels") {
			t.Errorf("%q: status %d, %s%s", args, o.code, o.out, o.errors)
		}
	}
}
