package input

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sotto/review"
)

func TestRead(t *testing.T) {
	estimate := 2.5
	for name, c := range map[string]struct {
		file  string
		mode  review.Mode
		lines []string
		want  []review.Call
	}{
		"clean events, interleaved and out of order": {"clean.jsonl", review.Missed, []string{
			`{"call_id":"c1","seq":3,"type":"UTTERANCE","context":"sales","tenant":"acme","policy":"p1","strategy":"typed","timestamp_ms":7,` +
				`"speaker":{"id":"s1","label":"[PERSON_NAME_1]","role":"AGENT"},"text":"I am [PERSON_NAME_1]","entities":[{"start":5,"end":20,"type":"PERSON_NAME","id":1}]}`,
			`{"call_id":"c2","seq":1,"type":"UTTERANCE","speaker":{"id":"s9"},"text":"hi"}`,
			``,
			`{"call_id":"c1","seq":2,"type":"UTTERANCE","speaker":{"id":"s2","role":"CUSTOMER"},"text":"hello"}`,
			`{"call_id":"c1","seq":4,"type":"END","call":{"utterances":2,"estimated_risk":2.5}}`,
		}, []review.Call{
			{
				ID: "c1", Mode: review.Missed, Context: "sales", Tenant: "acme", Policy: "p1", Strategy: "typed", Reason: "file", TimestampMS: 7, Estimated: &estimate,
				Utterances: []review.Utterance{
					{Seq: 2, Speaker: "CUSTOMER", Text: "hello"},
					{Seq: 3, Speaker: "[PERSON_NAME_1]", Text: "I am [PERSON_NAME_1]", Masks: []review.Mask{{Start: 5, End: 20, Type: "PERSON_NAME"}}},
				},
			},
			{ID: "c2", Mode: review.Missed, Reason: "file", Utterances: []review.Utterance{{Seq: 1, Speaker: "s9", Text: "hi"}}},
		}},
		"audit events": {"audit.jsonl", review.Missed, []string{
			`{"call_id":"c1","seq":1,"type":"UTTERANCE","text":"hi","sampling":{"rate":0.1,"reason":"uniform"}}`,
			`{"call_id":"c1","seq":2,"type":"UTTERANCE","text":"bye","sampling":{"rate":0.4,"reason":"doubt","estimated_risk":2.5,"missing":3}}`,
		}, []review.Call{{
			ID: "c1", Mode: review.Missed, Reason: "doubt", Rate: 0.4, Estimated: &estimate, Missing: 3,
			Utterances: []review.Utterance{{Seq: 1, Text: "hi"}, {Seq: 2, Text: "bye"}},
		}}},
		"raw events to label: the role comes first, and the label is a name": {"raw.jsonl", review.Label, []string{
			`{"call_id":"c1","seq":1,"type":"START"}`,
			`{"call_id":"c1","seq":2,"type":"UTTERANCE","speaker":{"id":"s1","label":"Ines","role":"AGENT"},"text":"hi"}`,
		}, []review.Call{{ID: "c1", Mode: review.Label, Reason: "file", Utterances: []review.Utterance{{Seq: 2, Speaker: "AGENT", Text: "hi"}}}}},
		"a labelled conversation": {"gold.jsonl", review.Label, []string{
			`{"id":"g1","context":"meeting","utterances":[{"speaker":"agent","text":"hi","entities":[]},{"speaker":"customer","text":"hello"}]}`,
		}, []review.Call{{
			ID: "g1", Mode: review.Label, Context: "meeting", Reason: "file",
			Utterances: []review.Utterance{{Seq: 1, Speaker: "agent", Text: "hi"}, {Seq: 2, Speaker: "customer", Text: "hello"}},
		}}},
		"anonymized text": {"dir/call 7.TXT", review.Missed, []string{"Agent: I am [PERSON_NAME_12], [sic] at é[US_STATE]", "Caller: [] [x_1] [PERSON_NAME_1"}, []review.Call{{
			ID: "call 7", Mode: review.Missed, Reason: "file", Utterances: []review.Utterance{
				{Seq: 1, Speaker: "Agent", Text: "I am [PERSON_NAME_12], [sic] at é[US_STATE]", Masks: []review.Mask{
					{Start: 5, End: 21, Type: "PERSON_NAME"}, {Start: 33, End: 43, Type: "US_STATE"},
				}},
				{Seq: 2, Speaker: "Caller", Text: "[] [x_1] [PERSON_NAME_1"},
			},
		}}},
		"raw text has no tags": {"call.txt", review.Label, []string{"Agent: press [OK]"}, []review.Call{{
			ID: "call", Mode: review.Label, Reason: "file", Utterances: []review.Utterance{{Seq: 1, Speaker: "Agent", Text: "press [OK]"}},
		}}},
		"nothing": {"empty.jsonl", review.Missed, nil, []review.Call{}},
	} {
		got, err := Read(strings.NewReader(strings.Join(c.lines, "\n")), c.file, c.mode)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestErrorsNameTheLineAndQuoteNothing(t *testing.T) {
	const good = `{"call_id":"c1","seq":1,"type":"UTTERANCE","text":"Halpert"}` + "\n"
	for lines, want := range map[string]string{
		good + `{"text":"Halpert`:                      "calls.jsonl:2: not an event",
		good + "\n" + `{"seq":1,"text":"Halpert"}`:     "calls.jsonl:3: neither call_id nor id",
		good + `"Halpert"`:                             "calls.jsonl:2: not an event",
		good + strings.Repeat(" Halpert", maxLine/8+1): "calls.jsonl:2: a line of more than 16 MiB",
	} {
		_, err := Read(strings.NewReader(lines), "calls.jsonl", review.Missed)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "Halpert") {
			t.Errorf("%.100s: %v", lines, err)
		}
	}
}

func TestBesideGoesByCallAndUtterance(t *testing.T) {
	clean := []review.Call{
		{ID: "c1", Utterances: []review.Utterance{{Seq: 1, Text: "[PERSON_NAME_1]"}, {Seq: 2, Text: "hi"}}},
		{ID: "c2", Utterances: []review.Utterance{{Seq: 1, Text: "hi"}}},
	}
	raw := []review.Call{{ID: "c1", Utterances: []review.Utterance{{Seq: 1, Text: "Quimby"}, {Seq: 3, Text: "more"}}}, {ID: "c3", Utterances: []review.Utterance{{Seq: 1, Text: "other"}}}}
	if n := Beside(clean, raw); n != 1 || clean[0].Utterances[0].Raw != "Quimby" || clean[0].Utterances[1].Raw != "" || clean[1].Utterances[0].Raw != "" {
		t.Errorf("%d %+v", n, clean)
	}
}
