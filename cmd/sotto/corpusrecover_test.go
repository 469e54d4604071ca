package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCorpusRecover(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	text := "### id=A1 context=sales\nAGENT: hello, this is Ines about the turbine\nCUSTOMER: the turbine is fine\n"
	if err := os.WriteFile(path("in.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		if o := sotto(t, nil, "", append([]string{"corpus"}, args...)...); o.code != exitDone {
			t.Fatalf("%q: status %d, %s", args, o.code, o.errors)
		}
	}
	run("lm", path("in.txt"), "-o", path("model"))
	run("mask", "--technique", "allowlist", path("in.txt"), "-o", path("masked.jsonl"))
	var outputs [2][]byte
	for i, name := range []string{"a.jsonl", "b.jsonl"} {
		run("recover", path("masked.jsonl"), "-m", path("model"), "--technique", "allowlist", "--finetune", "1", "--train", path("in.txt"), "-o", path(name))
		var err error
		if outputs[i], err = os.ReadFile(path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(outputs[0], outputs[1]) || bytes.Contains(outputs[0], []byte("[MASK]")) || !bytes.Contains(outputs[0], []byte("hello, this is ")) {
		t.Errorf("%s\n%s", outputs[0], outputs[1])
	}
	masked, model, out := path("masked.jsonl"), path("model"), path("out.jsonl")
	for _, args := range [][]string{
		{"lm"}, {"lm", masked}, {"recover"}, {"recover", masked}, {"recover", masked, "-o", out}, {"recover", masked, "-o", out, "-m", path("missing")},
		{"recover", masked, "-o", out, "-m", model, "--openai", "http://localhost"}, {"recover", masked, "-o", out, "-m", model, "--method", "best"},
		{"recover", masked, "-o", out, "-m", model, "--k", "0"}, {"recover", masked, "-o", out, "-m", model, "--words", masked},
		{"recover", masked, "-o", out, "--openai", "http://localhost", "--finetune", "1"}, {"recover", masked, "-o", out, "-m", model, "--train", masked},
	} {
		if o := sotto(t, nil, "", append([]string{"corpus"}, args...)...); o.code != exitUsage {
			t.Errorf("%q: status %d, %q", args, o.code, o.errors)
		}
	}
	o := sotto(t, nil, "", "corpus", "recover", masked, "-o", out, "-m", masked)
	if o.code != exitFailed || !strings.Contains(o.errors, "not a language model") {
		t.Errorf("another file as the model: status %d, %q", o.code, o.errors)
	}
}
