package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

func TestCorpusAgreement(t *testing.T) {
	first := write(t, "first.txt", strings.ReplaceAll(markedUp, "M-1", "M-0")+"\n"+markedUp)
	second := write(t, "second.txt", strings.Replace(markedUp, "{{PERSON_NAME|Tom Larkin}}", "{{PERSON_NAME|Tom}} Larkin", 1))
	o := sotto(t, nil, "", "corpus", "agreement", first, second)
	if o.code != cli.Done || !strings.Contains(o.out, "1 conversations, 2 turns") || !strings.Contains(o.out, "PERSON_NAME") || strings.Contains(o.out, "Larkin") {
		t.Errorf("exit status %d, output\n%s%s", o.code, o.out, o.errors)
	}
	o = sotto(t, nil, "", "corpus", "agreement", "--errors", first, second)
	if o.code != cli.Done || !strings.Contains(o.out, "tom larkin  (left: larkin)") {
		t.Errorf("exit status %d, output\n%s%s", o.code, o.out, o.errors)
	}
	o = sotto(t, nil, "", "corpus", "agreement", "--json", first, second)
	var got struct {
		RecallChars float64 `json:"recall_chars"`
		ByType      map[string]struct {
			SpanF1 float64 `json:"span_f1"`
		} `json:"by_type"`
	}
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || got.RecallChars != 14./21 || got.ByType["PERSON_NAME"].SpanF1 != 0.5 {
		t.Errorf("%v, output\n%s%s", err, o.out, o.errors)
	}
	other := write(t, "other.txt", strings.Replace(markedUp, "Ask", "Say", 1))
	for want, files := range map[string][]string{
		"other.txt: line 1: utterance 2: the text is not": {first, other},
		"needs two annotations":                           {first},
		"name files of labelled conversations":            {first, filepath.Join(t.TempDir(), "none.txt")},
	} {
		o := sotto(t, nil, "", append([]string{"corpus", "agreement"}, files...)...)
		if o.code == cli.Done || !strings.Contains(o.errors, want) || strings.Contains(o.errors, "Larkin") {
			t.Errorf("exit status %d, errors %q, want %q", o.code, o.errors, want)
		}
	}
}
