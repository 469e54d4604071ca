package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/corpus/transcripts"
	"sotto/internal/gold"
)

// command runs one command line.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, progress bytes.Buffer
	err := execute(t.Context(), args, &out, &progress)
	return out.String(), err
}

func TestRecover(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	text := "### id=A1 context=sales\nAGENT: hello, this is Ines about the turbine\nCUSTOMER: the turbine is fine\n"
	if err := os.WriteFile(path("in.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		if _, err := command(t, args...); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
	}
	run("lm", path("in.txt"), "-k", "1", "-o", path("model"))
	calls, err := transcripts.Conversations(path("in.txt"))
	if err != nil {
		t.Fatal(err)
	}
	calls[0].Utterances[0].Text = strings.ReplaceAll(calls[0].Utterances[0].Text, "Ines", "[MASK]")
	f, err := os.Create(path("masked.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := gold.Write(f, calls); err != nil {
		t.Fatal(err)
	}
	f.Close()
	var outputs [2][]byte
	for i, name := range []string{"a.jsonl", "b.jsonl"} {
		run("recover", path("masked.jsonl"), "-m", path("model"), "--own-calls", "--technique", "allowlist", "--finetune", "1", "--train", path("in.txt"), "-o", path(name))
		var err error
		if outputs[i], err = os.ReadFile(path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(outputs[0], outputs[1]) || bytes.Contains(outputs[0], []byte("[MASK]")) || !bytes.Contains(outputs[0], []byte("hello, this is ")) {
		t.Errorf("%s\n%s", outputs[0], outputs[1])
	}
	printed, err := command(t, "recover", path("masked.jsonl"), "-m", path("model"), "--own-calls", "-o", "-")
	if err != nil || !strings.HasPrefix(printed, "{") || strings.Contains(printed, "[MASK]") {
		t.Errorf("standard output: %q, %v", printed, err)
	}
	masked, model, out := path("masked.jsonl"), path("model"), path("out.jsonl")
	for _, args := range [][]string{
		{"lm"}, {"lm", masked}, {"lm", masked, "-o", out, "-k", "0"}, {"recover"}, {"recover", masked}, {"recover", masked, "-o", out}, {"recover", masked, "-o", out, "-m", path("missing")},
		{"recover", masked, "-o", out, "-m", model, "--openai", "http://localhost"}, {"recover", masked, "-o", out, "-m", model, "--method", "best"},
		{"recover", masked, "-o", out, "-m", model, "--k", "0"}, {"recover", masked, "-o", out, "-m", model, "--words", masked},
		{"recover", masked, "-o", out, "--openai", "http://localhost", "--finetune", "1"}, {"recover", masked, "-o", out, "-m", model, "--train", masked},
	} {
		if _, err := command(t, args...); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	if _, err := command(t, "recover", masked, "-o", out, "-m", masked); err == nil || !strings.Contains(err.Error(), "not a language model") {
		t.Errorf("another file as the model: %v", err)
	}
}

// TestRecoverBringsNoNameBack: what only one call says is not in the model of the calls, nor is it
// after fine-tuning with them.
func TestRecoverBringsNoNameBack(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	names := []string{"Ines", "Bao", "Quill", "Orla"}
	var text strings.Builder
	for i, name := range names {
		fmt.Fprintf(&text, "### id=A%d context=sales\nAGENT: hello %[2]s, how are you\nCUSTOMER: this is %[2]s, good thanks\n\n", i, name)
	}
	if err := os.WriteFile(path("in.txt"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	calls, err := transcripts.Conversations(path("in.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range calls {
		for k := range c.Utterances {
			u := &c.Utterances[k]
			*u = gold.Utterance{Speaker: u.Speaker, Text: strings.ReplaceAll(u.Text, names[i], "[MASK]")}
		}
	}
	f, err := os.Create(path("masked.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := gold.Write(f, calls); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for k, want := range map[string]bool{"1": true, "2": false} {
		if _, err := command(t, "lm", path("in.txt"), "-k", k, "-o", path("model")); err != nil {
			t.Fatal(err)
		}
		out := path("out.jsonl")
		if _, err := command(t, "recover", path("masked.jsonl"), "-m", path("model"), "-o", out); err == nil || !strings.Contains(err.Error(), "trained on 4 of these 4 calls") {
			t.Errorf("the model's own calls are filled: %v", err)
		}
		if _, err := command(t, "recover", path("masked.jsonl"), "-m", path("model"), "--own-calls", "--finetune", "1", "--train", path("in.txt"), "-o", out); err != nil {
			t.Fatal(err)
		}
		filled, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(bytes.ToLower(filled), []byte(strings.ToLower(name))) }); got != want {
			t.Errorf("k=%s: names come back: %v, want %v", k, got, want)
		}
		if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others can read the result: %v %v", info.Mode(), err)
		}
	}
}
