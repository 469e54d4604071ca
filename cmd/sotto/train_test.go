package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// namedCalls are our own labelled conversations.
func namedCalls(n int) string {
	names := []string{"Ines Quimby", "Tom Larkin", "Ada Brumm", "Olaf Wendel"}
	var b strings.Builder
	for i := range n {
		name := names[i%len(names)]
		fmt.Fprintf(&b, `{"id":"c-%d","utterances":[{"speaker":"agent","text":"this is %s, how can I help","entities":[{"start":8,"end":%d,"type":"PERSON_NAME"}]}]}`+"\n", i, name, 8+len(name))
	}
	return b.String()
}

// kilnCalls are about things whose names the built-in model does not know.
func kilnCalls(n int) string {
	names := []string{"blue heron", "grey plover", "old lantern"}
	var b strings.Builder
	for i := range n {
		name := names[i%len(names)]
		fmt.Fprintf(&b, `{"id":"k-%d","utterances":[{"speaker":"agent","text":"what can I do for you","entities":[]},`+
			`{"speaker":"customer","text":"please send %s to the kiln","entities":[{"start":12,"end":%d,"type":"PRODUCT"}]}]}`+"\n", i, name, 12+len(name))
	}
	return b.String()
}

func TestTrainAdaptsTheEncoder(t *testing.T) {
	gold, model := write(t, "own.jsonl", kilnCalls(80)), filepath.Join(t.TempDir(), "own.model")
	o := sotto(t, nil, "", "train", gold, "-o", model, "--passes", "20")
	if o.code != cli.Done || !strings.Contains(o.errors, "pass 2 of 20: loss ") || !strings.Contains(o.out, "learned from 70 calls") {
		t.Fatalf("exit status %d, output %q: %s", o.code, o.out, o.errors)
	}
	const call = `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"please send red kestrel to the kiln"}` + "\n"
	policies := map[string]bool{}
	for file, learned := range map[string]bool{"": false, model: true} {
		o := sotto(t, map[string]string{"SOTTO_MODEL_FILE": file}, call, "anonymize")
		if o.code != cli.Done || strings.Contains(o.out, "[PRODUCT_1] to the kiln") != learned {
			t.Errorf("%q: exit status %d, output %q, errors %q", file, o.code, o.out, o.errors)
		}
		_, rest, _ := strings.Cut(o.out, `"policy":"`)
		policies[rest[:min(12, len(rest))]] = true
	}
	if len(policies) != 2 {
		t.Errorf("policies: %v", policies)
	}
	o = sotto(t, map[string]string{"SOTTO_MODEL_FILE": model, "SOTTO_READING": "fast"}, call, "anonymize")
	if o.code == cli.Done || !strings.Contains(o.errors, "SOTTO_READING=fast") {
		t.Errorf("exit status %d, errors %q", o.code, o.errors)
	}
}

func TestTrainNeedsCalls(t *testing.T) {
	few := write(t, "few.jsonl", kilnCalls(7))
	model := filepath.Join(t.TempDir(), "own.model")
	for _, args := range [][]string{{"train", "-o", model}, {"train", few}, {"train", few, "-o", model}, {"train", few, "-o", model, "--passes", "0"}} {
		if o := sotto(t, nil, "", args...); o.code == cli.Done || strings.Contains(o.errors, "heron") {
			t.Errorf("%v: exit status %d, errors %q", args, o.code, o.errors)
		}
	}
}

func TestTrainedModelRunsAndItsCardStatesThePrivacy(t *testing.T) {
	gold := write(t, "own.jsonl", namedCalls(48))
	dir := t.TempDir()
	model, card := filepath.Join(dir, "own.model"), filepath.Join(dir, "own.md")
	if o := sotto(t, nil, "", "train", "tagger", gold, "-o", model, "--card", card, "--licence", "own=ours", "--passes", "2"); o.code != cli.Done {
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
	if o.code != cli.Done || !strings.Contains(o.out, "this is [PERSON_NAME_1]") {
		t.Errorf("exit status %d, output %q, errors %q", o.code, o.out, o.errors)
	}
	for file, want := range map[string]string{gold: "SOTTO_MODEL_FILE", filepath.Join(dir, "none"): "SOTTO_MODEL_FILE"} {
		if o := sotto(t, map[string]string{"SOTTO_MODEL_FILE": file}, "", "anonymize"); o.code == cli.Done || !strings.Contains(o.errors, want) || strings.Contains(o.errors, "Quimby") {
			t.Errorf("exit status %d, errors %q", o.code, o.errors)
		}
	}
}

// Of two calls, none can be held out. Whoever trains on so few must know that nothing was measured.
func TestTrainSaysThatNothingWasHeldOut(t *testing.T) {
	const warning = "sotto: too few conversations to hold any out: the model is neither calibrated nor scored\n"
	for calls, want := range map[int]bool{2: true, 48: false} {
		gold := write(t, "own.jsonl", namedCalls(calls))
		o := sotto(t, nil, "", "train", "tagger", gold, "-o", filepath.Join(t.TempDir(), "own.model"), "--passes", "1")
		if o.code != cli.Done || strings.Contains(o.errors, warning) != want {
			t.Errorf("%d calls: status %d: %s", calls, o.code, o.errors)
		}
	}
}

func TestTrainComposesTurnsOfLists(t *testing.T) {
	gold := write(t, "own.jsonl", namedCalls(48))
	dir := t.TempDir()
	for _, file := range []string{"us_first_names", "intl_first_names_smashew", "us_surnames_census1990", "intl_surnames_smashew",
		"organizations_presidio_research", "us_cities", "world_cities_geonames15000", "countries"} {
		if err := os.WriteFile(filepath.Join(dir, file+".tsv"), []byte("Quimby\nWendel\nBrumm\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	model, card := filepath.Join(dir, "own.model"), filepath.Join(dir, "own.md")
	args := []string{"train", "tagger", gold, "-o", model, "--card", card, "--passes", "1", "--lists", dir, "--composed", "30"}
	if o := sotto(t, nil, "", args...); o.code != cli.Done {
		t.Fatalf("exit status %d: %s", o.code, o.errors)
	}
	if text, err := os.ReadFile(card); err != nil || !strings.Contains(string(text), "| composed |") {
		t.Errorf("the card does not list the composed turns: %v\n%s", err, text)
	}
	if err := os.Remove(filepath.Join(dir, "us_cities.tsv")); err != nil {
		t.Fatal(err)
	}
	if o := sotto(t, nil, "", args...); o.code != cli.Usage || !strings.Contains(o.errors, "us_cities.tsv") {
		t.Errorf("exit status %d without a list, errors %q", o.code, o.errors)
	}
}

func TestTrainLearnsFromAnnotatedTranscripts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `{"id":"a-%d","text":"Agent: Hello [PERSON_NAME_1], please ask (plork quim)[MISSED_PERSON_NAME] about it.\\nCustomer: Not today.\\n"}`+"\n", i)
	}
	audit := write(t, "audit.jsonl", b.String())
	dir := t.TempDir()
	var models [2][]byte
	for i := range models {
		model, card := filepath.Join(dir, "own.model"), filepath.Join(dir, "own.md")
		o := sotto(t, nil, "", "train", "tagger", "--annotated", audit, "-o", model, "--card", card, "--passes", "2", "--seed", "3")
		if o.code != cli.Done || !strings.Contains(o.errors, "pass 2 of 2: loss ") {
			t.Fatalf("exit status %d: %s", o.code, o.errors)
		}
		text, err := os.ReadFile(card)
		if err != nil || !strings.Contains(string(text), "| annotated | not stated |") {
			t.Errorf("the card does not list the annotated transcripts: %v\n%s", err, text)
		}
		if models[i], err = os.ReadFile(model); err != nil {
			t.Fatal(err)
		}
		run := sotto(t, map[string]string{"SOTTO_MODEL_FILE": model}, `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"Please ask about plork quim today."}`+"\n"+
			`{"call_id":"a","seq":2,"type":"UTTERANCE","text":"Not today."}`+"\n", "anonymize")
		if run.code != cli.Done || !strings.Contains(run.out, `"Not today."`) || strings.Contains(run.out, "plork") || strings.Contains(run.out, "quim") {
			t.Errorf("exit status %d, output %q", run.code, run.out)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the same seed gave two models")
	}
}
