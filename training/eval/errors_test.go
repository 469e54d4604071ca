package eval_test

import (
	"strings"
	"testing"

	"sotto/internal/gold"
	"sotto/training/eval"
)

func TestErrorsAreGroupedTheMostFrequentFirst(t *testing.T) {
	calls := []gold.Conversation{
		{ID: "c1", Line: 4, Utterances: marked("I am <PERSON_NAME|Bo>.", "<PERSON_NAME|Ann> said well then, <PERSON_NAME|Rachel Green>").Utterances},
		{ID: "c2", Line: 9, Utterances: marked("So <PERSON_NAME|bo> it is", "In <LOCATION|Hamm>, well then").Utterances},
	}
	a := anonymizer(func(c *gold.Conversation) ([][]eval.Mask, error) {
		if c.ID == "c1" {
			return masking("I am Bo.", "Ann said <NUMERIC#1|well then>, <PERSON_NAME#1|Rachel> Green")(c)
		}
		return masking("So bo it is", "In <PERSON_NAME#2|Hamm>, <NUMERIC#2|well then>")(c)
	})
	r := run(t, a, eval.Options{Errors: true}, calls...)
	var got []string
	for _, e := range r.Errors {
		got = append(got, strings.Join([]string{string(e.Kind), e.Type, e.Text, e.Left + e.As}, "/"))
	}
	want := []string{
		"miss/PERSON_NAME/bo/", "miss/PERSON_NAME/ann/",
		"partial/PERSON_NAME/rachel green/green", "over-mask/NUMERIC/well then/",
		"type/LOCATION/hamm/PERSON_NAME",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("errors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	bo, over := r.Errors[0], r.Errors[3]
	if bo.Count != 2 || len(bo.Examples) != 2 || bo.Examples[1] != (eval.Example{Conversation: "c2", Line: 9, Utterance: 1, Speaker: "agent", Context: "So «bo» it is"}) {
		t.Errorf("misses of bo: %+v", bo)
	}
	if over.Count != 2 || over.Examples[0].Context != "Ann said «well then», {Rachel} Green" {
		t.Errorf("over-maskings: %+v", over)
	}

	var b strings.Builder
	if err := r.WriteErrors(&b, 1); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"set: miss PERSON_NAME, 3 times, 2 texts", "     2  bo", "          4:1 c1 (agent): I am «Bo».",
		"        and 1 texts more", "     1  rachel green  (left: green)", "     1  hamm  (masked as PERSON_NAME)",
	} {
		if !strings.Contains(b.String(), line+"\n") {
			t.Errorf("the list lacks the line %q:\n%s", line, b.String())
		}
	}
}

func TestErrorsKeepTheFirstExamples(t *testing.T) {
	long := strings.Repeat("word ", 30)
	var calls []gold.Conversation
	for range 9 {
		calls = append(calls, marked(long+"<PERSON_NAME|Bo> "+long))
	}
	r := run(t, null, eval.Options{Errors: true}, calls...)
	if len(r.Errors) != 1 || r.Errors[0].Count != 9 || len(r.Errors[0].Examples) != 3 {
		t.Fatalf("%d groups", len(r.Errors))
	}
	context := r.Errors[0].Examples[0].Context
	if n := len([]rune(context)); n != 60+2+60+4 || !strings.HasPrefix(context, "…") || !strings.Contains(context, "word «Bo» word") {
		t.Errorf("context of %d code points: %s", n, context)
	}
	if r := run(t, null, eval.Options{}, calls...); len(r.Errors) != 0 {
		t.Error("errors were listed without being asked for")
	}
}
