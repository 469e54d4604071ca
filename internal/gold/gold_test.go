package gold_test

import (
	"strings"
	"testing"

	"sotto/internal/gold"
)

const goldLine = `{"id":"g-1","source":"s","context":"sales","domain":"x","utterances":[{"speaker":"agent","text":"Hi Zoë","entities":[{"start":3,"end":6,"type":"PERSON_NAME","text":"Zoë","label":"l"}],"intent":"greet"}]}`

func TestReadGold(t *testing.T) {
	got, err := gold.Read(strings.NewReader(goldLine+"\n\n  \n"+goldLine), "g.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Line != 1 || got[1].Line != 4 || got[0].Context != "sales" ||
		got[0].Utterances[0].Entities[0] != (gold.Span{Start: 3, End: 6, Type: "PERSON_NAME"}) {
		t.Errorf("read %+v", got)
	}
}

func TestReadGoldErrorsNameThePlaceOnly(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"id":"secret"`, "g.jsonl:2: not a JSON object"},
		{`secret`, "g.jsonl:2: not a JSON object"},
		{`{"id":"secret"}`, "no utterances"},
		{`["secret"]`, "not a labelled conversation"},
		{`{"utterances":[{"text":7}]}`, "utterances.text has the wrong type"},
		{`{"utterances":[{"text":"secret","entities":[{"start":0,"end":"secret","type":"X"}]}]}`, "entities.end has the wrong type"},
		{`{"utterances":[{"text":"secret"},{"text":"secret","entities":[{"start":0,"end":1,"type":"X"},{"start":2,"end":7,"type":"X"}]}]}`, "utterance 2, entity 2: positions 2 to 7 are not within a text of 6 code points"},
		{`{"utterances":[{"text":"secret","entities":[{"start":3,"end":3,"type":"X"}]}]}`, "positions 3 to 3"},
		{`{"utterances":[{"text":"secret","entities":[{"start":-1,"end":3,"type":"X"}]}]}`, "positions -1 to 3"},
		{`{"utterances":[{"text":"secret","entities":[{"start":0,"end":3}]}]}`, "entity 1 has no type"},
		{"{\"utterances\":[{\"text\":\"secret\xff\"}]}", "not valid UTF-8"},
	} {
		_, err := gold.Read(strings.NewReader(goldLine+"\n"+c.line), "g.jsonl")
		switch {
		case err == nil:
			t.Errorf("a line that should fail with %q was read", c.want)
		case !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "g.jsonl:2: "):
			t.Errorf("error %q, want g.jsonl:2 and %q", err, c.want)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("error %q repeats the input", err)
		}
	}
}

func TestRoles(t *testing.T) {
	for speaker, want := range map[string]string{
		"agent": "AGENT", "Agent": "AGENT", "customer": "CUSTOMER", "user": "CUSTOMER",
		"unknown": "UNKNOWN", "speaker_2": "UNKNOWN", "": "UNKNOWN",
	} {
		u := gold.Utterance{Speaker: speaker}
		if got := u.Role(); got != want {
			t.Errorf("%q is %s, want %s", speaker, got, want)
		}
	}
}
