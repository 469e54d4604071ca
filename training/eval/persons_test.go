package eval_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sotto/internal/gold"
	"sotto/training/eval"
)

// twoPeople is a call of Ida, who has two tags, and Ines, who shares one of them, and the masks of it.
func twoPeople() (gold.Conversation, anonymizer, eval.Options) {
	call := marked("I am <PERSON_NAME|Ida>.", "Hi <PERSON_NAME|Eider>, is <PERSON_NAME|Ines> there?", "<PERSON_NAME|Ines> or Bo or <PERSON_NAME|Al>?")
	a := masking("I am <PERSON_NAME#1|Ida>.", "Hi <PERSON_NAME#2|Eider>, is <PERSON_NAME#2|Ines> there?", "<SPELLED_WORD#1|Ines> or Bo or <PERSON_NAME#3|Al>?")
	at := func(utterance, start, end int, person string) gold.PersonMention {
		return gold.PersonMention{Utterance: utterance, Start: start, End: end, Person: person}
	}
	return call, a, eval.Options{Errors: true, People: map[string]*gold.People{call.ID: {ID: call.ID, Mentions: []gold.PersonMention{
		at(0, 5, 8, "p1"), at(1, 3, 8, "p1"), at(1, 13, 17, "p2"), at(2, 0, 4, "p2"), at(2, 8, 10, "p3"), at(2, 14, 16, gold.Unknown),
	}}}}
}

func TestWhoIsWho(t *testing.T) {
	call, a, o := twoPeople()
	other := marked("Hi <PERSON_NAME|Bo>")
	other.ID = "nobody is marked"
	r := run(t, anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
		if c.ID == other.ID {
			return masking("Hi <PERSON_NAME#1|Bo>")(c)
		}
		return a(c)
	}), o, call, other)
	p := r.Persons
	if p == nil || p.Calls != 1 || p.Mentions != 4 || p.Missed != 1 || p.OtherType != 1 {
		t.Fatalf("persons: %+v", p)
	}
	wantShare(t, "persons with several tags", p.Split, 2, 2)
	wantShare(t, "tags of several persons", p.Merged, 1, 3)
	wantShare(t, "calls right", p.CallsRight, 0, 1)
	// Two of four mentions share their tag with another person, and each has half of its person's mentions.
	if math.Abs(p.Precision-0.75) > 1e-9 || math.Abs(p.Recall-0.5) > 1e-9 || math.Abs(p.F-0.6) > 1e-9 {
		t.Errorf("precision %v, recall %v, F %v", p.Precision, p.Recall, p.F)
	}
	var b strings.Builder
	if err := r.WriteTable(&b, false); err != nil || !strings.Contains(b.String(), "who is who") || !strings.Contains(b.String(), "75.00") {
		t.Errorf("%v: the table lacks the persons:\n%s", err, b.String())
	}
	if j, err := json.Marshal(r); err != nil || !strings.Contains(string(j), `"persons":{"calls":1,"mentions":4,"precision":0.75,"recall":0.5,"f":0.6`) {
		t.Errorf("%v: %s", err, j)
	}
}

func TestErrorsListWhoIsSplitAndMergedAndQuoteNothing(t *testing.T) {
	call, a, o := twoPeople()
	r := run(t, a, o, call)
	var got []string
	for _, e := range r.Errors {
		if e.Kind == eval.Split || e.Kind == eval.Merged {
			got = append(got, string(e.Kind)+" "+e.Text)
			if x := e.Examples[0]; x.Context != "" || x.Conversation != call.ID {
				t.Errorf("example %+v", x)
			}
		}
	}
	want := []string{
		"split p1: PERSON_NAME_1 in 1; PERSON_NAME_2 in 2",
		"split p2: PERSON_NAME_2 in 2; SPELLED_WORD_1 in 3",
		"merged PERSON_NAME_2: p1 in 2; p2 in 2",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("listed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCallsInWhichEveryPersonHasOneTagAreRight(t *testing.T) {
	var p eval.PersonsReport
	p.AddCall([]string{"p1", "p2", "p1"}, []string{"1", "2", "1"})
	p.AddCall(nil, nil)
	if p.CallsRight != (eval.Share{Part: 2, Whole: 2}) || p.F != 1 {
		t.Errorf("%+v", p)
	}
}

func TestPersonsOfAnotherTextAreAnError(t *testing.T) {
	call, _, o := twoPeople()
	call.Utterances = call.Utterances[:2]
	_, err := eval.Run([]eval.Set{{Name: "set", Conversations: []gold.Conversation{call}}}, anonymizer(func(*gold.Conversation) ([][]eval.Mask, error) {
		return make([][]eval.Mask, 2), nil
	}), o)
	if err == nil || !strings.Contains(err.Error(), "set: line 1, mention 4") || strings.Contains(err.Error(), "Ida") {
		t.Errorf("error %v", err)
	}
}
