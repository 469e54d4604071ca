package main

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/cmd/internal/cli"
	"sotto/schemas"
)

const explained = "Ines Larkmoor"

func TestExplainText(t *testing.T) {
	o := sotto(t, nil, "Agent: This is "+explained+" speaking, call me at 604-555-0134.\nAgent: "+explained+" again.\n", "anonymize", "--text", "--explain")
	if o.code != cli.Done || o.errors != "" {
		t.Fatalf("status %d, errors %q", o.code, o.errors)
	}
	if strings.Contains(o.out, "Ines") || strings.Contains(o.out, "0134") {
		t.Error("the explanation shows what was masked")
	}
	for _, want := range []string{
		"Agent: This is [PERSON_NAME_1] speaking, call me at [PHONE_NUMBER_1].\n    PERSON_NAME_1 at 8-21: ",
		"\n    PHONE_NUMBER_1 at 43-55: ", "; known in this call\n", "; lost by ",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the output lacks %q:\n%s", want, o.out)
		}
	}
}

func TestExplainEvents(t *testing.T) {
	o := sotto(t, nil, `{"call_id":"c","seq":1,"type":"UTTERANCE","text":"my name is `+explained+`"}`+"\n"+`{"call_id":"c","seq":2,"type":"END"}`+"\n", "anonymize", "--explain")
	if o.code != cli.Done {
		t.Fatalf("status %d, errors %q", o.code, o.errors)
	}
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	for i, want := range []int{1, 0} {
		var got struct {
			Event        schemas.CleanEvent
			Explanations []anonymize.Explanation
		}
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		if got.Event.Seq != int64(i+1) || len(got.Explanations) != want {
			t.Errorf("line %d: event %d with %d explanations, want %d", i+1, got.Event.Seq, len(got.Explanations), want)
		}
		for _, x := range got.Explanations {
			if x.Detector == "" || x.Evidence == "" || x.Likelihood == "" {
				t.Errorf("an explanation says too little: %+v", x)
			}
		}
	}
}
