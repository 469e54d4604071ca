package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

func TestDiffOfFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const raw = `{"call_id": "c-1", "seq": 1, "type": "UTTERANCE", "text": "my name is Wilhelmina Quickly"}` + "\n"
	o := sotto(t, nil, raw, "anonymize")
	if o.code != cli.Done {
		t.Fatal(o.errors)
	}
	first := write("first", o.out)
	second := write("second", `{"call_id": "c-1", "seq": 1, "type": "UTTERANCE", "text": "my name is Wilhelmina Quickly", "entities": []}`+"\n")
	if o := sotto(t, nil, "", "diff", first, first); o.code != cli.Done {
		t.Errorf("the same: status %d\n%s%s", o.code, o.out, o.errors)
	}
	o = sotto(t, nil, "", "diff", first, second)
	if o.code != cli.Check || !strings.Contains(o.errors, "reveals words in 1 utterances") || strings.Contains(o.out+o.errors, "Wilhelmina") {
		t.Errorf("a leak: status %d\n%s%s", o.code, o.out, o.errors)
	}
	if o := sotto(t, nil, "", "diff", second, first); o.code != cli.Done || !strings.Contains(o.out, "PERSON_NAME") {
		t.Errorf("an improvement: status %d\n%s%s", o.code, o.out, o.errors)
	}
	for _, args := range [][]string{{first}, {first, filepath.Join(dir, "none")}, {first, write("bad", "Wilhelmina\n")}} {
		if o := sotto(t, nil, "", append([]string{"diff"}, args...)...); o.code == cli.Done || strings.Contains(o.errors, "Wilhelmina") {
			t.Errorf("%v: status %d %s", args, o.code, o.errors)
		}
	}
}

// A stream writes the calls of a canary; compared with itself, its topic has no differences.
func TestDiffOfTopics(t *testing.T) {
	environ := runEnviron(t, broker(t), "off")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan outcome, 1)
	go func() { done <- sottoContext(ctx, environ, "", "run") }()
	if o := sotto(t, environ, "", "canary", "--once", "--timeout", "30s"); o.code != cli.Done {
		t.Fatal(o.errors)
	}
	stop()
	<-done
	o := sotto(t, environ, "", "diff", "--topics", "calls.clean", "calls.clean")
	if o.code != cli.Done || !strings.Contains(o.out, "reveal words that were masked") || strings.Contains(o.out, "utterances compared                         0") {
		t.Errorf("status %d\n%s%s", o.code, o.out, o.errors)
	}
	if o := sotto(t, environ, "", "diff", "--topics", "calls.clean", "calls.raw"); o.code == cli.Done {
		t.Errorf("raw events were compared: %s", o.out)
	}
}
