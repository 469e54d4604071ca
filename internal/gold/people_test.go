package gold_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/gold"
)

const peopleLine = `{"id":"g-1","set":"x","persons":{"p1":"Zoë"},"speakers":{"AGENT":"p1"},"mentions":[[0,3,6,"p1"],[0,0,2,"?"]],"note":"n"}`

func TestReadPeople(t *testing.T) {
	people, err := gold.ReadPeople(strings.NewReader("\n"+peopleLine), "who.jsonl")
	if err != nil || len(people) != 1 {
		t.Fatalf("read %d: %v", len(people), err)
	}
	p := people[0]
	if p.ID != "g-1" || p.Line != 2 || p.Speaker("agent") != "p1" || p.Speaker("customer") != "" || len(p.Mentions) != 2 ||
		p.Mentions[0] != (gold.PersonMention{Utterance: 0, Start: 3, End: 6, Person: "p1"}) || p.Mentions[1].Person != gold.Unknown {
		t.Errorf("read %+v", p)
	}
}

func TestPeopleMustFitTheirConversation(t *testing.T) {
	c := gold.Conversation{Utterances: []gold.Utterance{{Text: "Hi Zoë"}}}
	for _, x := range []struct {
		m    gold.PersonMention
		want string
	}{
		{gold.PersonMention{Utterance: 0, Start: 3, End: 6, Person: "p1"}, ""},
		{gold.PersonMention{Utterance: 1, Start: 3, End: 6, Person: "p1"}, "utterance 2 of 1"},
		{gold.PersonMention{Utterance: -1, Start: 3, End: 6, Person: "p1"}, "utterance 0 of 1"},
		{gold.PersonMention{Utterance: 0, Start: 3, End: 7, Person: "p1"}, "text of 6 code points"},
		{gold.PersonMention{Utterance: 0, Start: 3, End: 3, Person: "p1"}, "text of 6 code points"},
	} {
		err := (&gold.People{Mentions: []gold.PersonMention{x.m}}).Fit(&c)
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, want %q", x.m, err, x.want)
		}
	}
}

func TestReadPeopleErrorsNameThePlaceOnly(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`secret`, "not the persons of a conversation"},
		{`{"id":"secret"}`, "not the persons of a conversation"},
		{`{"mentions":[]}`, "not the persons of a conversation"},
		{`{"id":"secret","mentions":[[0,1,"secret"]]}`, "a mention is not [utterance, start, end, person]"},
		{`{"id":"secret","mentions":[[0,1,2,"p1",3]]}`, "a mention is not"},
		{`{"id":"secret","mentions":[{"secret":1}]}`, "a mention is not"},
		{peopleLine, "marked twice"},
	} {
		file := filepath.Join(t.TempDir(), "who.jsonl")
		if err := os.WriteFile(file, []byte(peopleLine+"\n"+c.line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := gold.ReadPeopleFiles(file)
		if err == nil || !strings.Contains(err.Error(), "who.jsonl:2: ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want line 2 and %q", c.line, err, c.want)
		}
	}
}
