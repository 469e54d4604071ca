package main

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

const benchmarkFile = `[{"doc_id": "d-1", "text": "My name is Henrietta Oakes.\nMy phone number is 415 555 0134.", "annotations": {"a": {"entity_mentions": [
 {"start_offset": 11, "end_offset": 26, "span_text": "Henrietta Oakes", "identifier_type": "DIRECT", "entity_id": "e1"},
 {"start_offset": 47, "end_offset": 59, "span_text": "415 555 0134", "identifier_type": "QUASI", "entity_id": "e2"}]}}}]`

func TestEvalAsTheBenchmark(t *testing.T) {
	file := write(t, "tab.json", benchmarkFile)
	o := sotto(t, nil, "", "eval", "--tab", "--json", "--gold", file)
	var got map[string]float64
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || o.code != 0 {
		t.Fatalf("%v: %s%s", err, o.out, o.errors)
	}
	for figure, want := range map[string]float64{"documents": 1, "annotations": 1, "entity_recall_direct": 1, "entity_recall_quasi": 1,
		"entity_recall": 1, "token_precision": 1, "weighted_token_precision": 1} {
		if got[figure] != want {
			t.Errorf("%s is %v", figure, got[figure])
		}
	}
	// Calls of one's own, by the engine and by recorded masks, which here are the labels.
	calls := write(t, "calls.txt", markedUp)
	labels := write(t, "labels.jsonl", sotto(t, nil, "", "corpus", "convert", calls).out)
	if o = sotto(t, nil, "", "eval", "--tab", "--gold", calls, file); o.code != 0 || !strings.Contains(o.out, "ER direct %") {
		t.Errorf("%s%s", o.out, o.errors)
	}
	o = sotto(t, nil, "", "eval", "--tab", "--json", "--gold", labels, "--masks", labels)
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || got["entity_recall"] != 1 || got["token_precision"] != 1 {
		t.Errorf("%v: %s%s", got, o.out, o.errors)
	}
}

func TestEvalAsTheBenchmarkWrongUsage(t *testing.T) {
	file := write(t, "tab.json", benchmarkFile)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--gold", file, "--lower"}, cli.Usage, "leave out --lower"},
		{[]string{"--gold", "/no/such/file"}, cli.Usage, "/no/such/file"},
		{[]string{"--gold", write(t, "broken.json", `[{"text": "Henrietta"}]`)}, cli.Failed, "document 1: not an object"},
		{[]string{"--gold", write(t, "bare.jsonl", `{"utterances":[{"text":"Henrietta"}]}`)}, cli.Failed, "no labels"},
		{[]string{"--gold", file, "--sensitivity", "most"}, cli.Usage, "--sensitivity"},
		{[]string{"--gold", file, "--masks", "/no/such/file"}, cli.Usage, "/no/such/file"},
	} {
		o := sotto(t, nil, "", append([]string{"eval", "--tab"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.errors, c.want) || strings.Contains(o.errors, "Henrietta") {
			t.Errorf("%v: exit status %d, error %q", c.args, o.code, o.errors)
		}
	}
}
