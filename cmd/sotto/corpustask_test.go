package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

func TestCorpusTasks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	raw := write("raw.jsonl", `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"this is Ines Larkmoor about my bill"}
{"call_id":"a","seq":2,"type":"END"}
{"call_id":"b","seq":1,"type":"UTTERANCE","text":"I want a refund please"}
{"call_id":"b","seq":2,"type":"END"}
`)
	clean := write("clean.jsonl", sotto(t, nil, "", "anonymize", raw).out)
	labels := write("labels.jsonl", `{"call_id":"a","summary":"[PERSON_NAME_1] asks about a bill","purpose":"billing"}
{"call_id":"b","summary":"Bao Larkmoor wants a refund","action_items":["pay the refund"],"purpose":"billing"}
`)
	o := sotto(t, nil, "", "corpus", "export", clean, "-o", "-", "--task", labels)
	if o.code != cli.Done || strings.Count(o.out, "\n") != 4 || strings.Contains(o.out, "Larkmoor") || !strings.Contains(o.errors, "1 labels were left out") {
		t.Fatalf("status %d, %s\n%s", o.code, o.errors, o.out)
	}
	rows := write("rows.jsonl", o.out)
	outputs := write("outputs.jsonl", `{"call_id":"a","task":"purpose","output":"billing"}
{"call_id":"b","task":"purpose","output":"refund"}
{"call_id":"a","task":"summary","output":"[PERSON_NAME_1] asks about a bill"}
{"call_id":"b","task":"action_items","output":""}
`)
	o = sotto(t, nil, "", "corpus", "score-task", "--json", rows, outputs)
	for _, want := range []string{`"accuracy": 0.5`, `"F1": 0.333`, `"ROUGE-L": 1`, `"BLEU": 0,`} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %s in %s%s", want, o.out, o.errors)
		}
	}
	if o = sotto(t, nil, "", "corpus", "score-task", rows, outputs); !strings.Contains(o.out, "ROUGE-2") {
		t.Error(o.out, o.errors)
	}
	if o = sotto(t, nil, "", "corpus", "score-task", rows, write("few.jsonl", `{"call_id":"a","task":"purpose","output":"secret"}`)); o.code != cli.Failed || strings.Contains(o.errors, "secret") {
		t.Errorf("outputs are missing: status %d, %s", o.code, o.errors)
	}
	if o = sotto(t, nil, "", "corpus", "score-task", rows, raw); o.code != cli.Failed || strings.Contains(o.errors, "Ines") {
		t.Errorf("no outputs: status %d, %s", o.code, o.errors)
	}
	for _, args := range [][]string{{"score-task", rows}, {"score-task", rows, "none"}, {"export", clean, "-o", dir, "--task", labels, "--form", "chat"}, {"export", clean, "-o", filepath.Join(dir, "d"), "--task", "none"}} {
		if o := sotto(t, nil, "", append([]string{"corpus"}, args...)...); o.code != cli.Usage {
			t.Errorf("%q: status %d, %s", args, o.code, o.errors)
		}
	}
}
