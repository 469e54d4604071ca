package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// namedCalls are labelled conversations of our own making.
func namedCalls(n int) string {
	names := []string{"Ines Quimby", "Tom Larkin", "Ada Brumm", "Olaf Wendel"}
	var b strings.Builder
	for i := range n {
		name := names[i%len(names)]
		fmt.Fprintf(&b, `{"id":"c-%d","utterances":[{"speaker":"agent","text":"this is %s, how can I help","entities":[{"start":8,"end":%d,"type":"PERSON_NAME"}]}]}`+"\n", i, name, 8+len(name))
	}
	return b.String()
}

func TestTrainedModelRunsAndItsCardTellsThePrivacy(t *testing.T) {
	gold := write(t, "own.jsonl", namedCalls(48))
	dir := t.TempDir()
	model, card := filepath.Join(dir, "own.model"), filepath.Join(dir, "own.md")
	if o := sotto(t, nil, "", "train", gold, "-o", model, "--card", card, "--licence", "own=ours", "--passes", "2"); o.code != exitDone {
		t.Fatalf("exit status %d: %s", o.code, o.errors)
	}
	text, err := os.ReadFile(card)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| own | ours |", "entity, independent", "overall (the greatest)", "Epsilon bounds how much surer"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the card does not say %q:\n%s", want, text)
		}
	}
	o := sotto(t, map[string]string{"SOTTO_MODEL_FILE": model}, `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"this is Ines Quimby"}`+"\n", "anonymize")
	if o.code != exitDone || !strings.Contains(o.out, "this is [PERSON_NAME_1]") {
		t.Errorf("exit status %d, output %q, errors %q", o.code, o.out, o.errors)
	}
	for file, want := range map[string]string{gold: "SOTTO_MODEL_FILE", filepath.Join(dir, "none"): "SOTTO_MODEL_FILE"} {
		if o := sotto(t, map[string]string{"SOTTO_MODEL_FILE": file}, "", "anonymize"); o.code == exitDone || !strings.Contains(o.errors, want) || strings.Contains(o.errors, "Quimby") {
			t.Errorf("exit status %d, errors %q", o.code, o.errors)
		}
	}
}
