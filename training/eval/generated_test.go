package eval_test

import (
	"fmt"
	"testing"

	"sotto/anonymize"
	"sotto/internal/gold"
	"sotto/schemas"
	"sotto/training/corpus/callgen"
	"sotto/training/eval"
)

// generated are generated, labelled calls, as written and as a recognizer writes them. The rules
// were improved after looking at other calls of the same generator, so these figures are a lower
// bound for this generator, and do not measure what is found elsewhere.
func generated(calls int) (set eval.Set) {
	set.Name = "generated"
	g := callgen.New(callgen.Config{Seed: 20})
	for n := range calls {
		c := gold.Conversation{ID: fmt.Sprint(n), Context: "customer_support"}
		for _, e := range g.Call(n).Events {
			if e.Type != schemas.Utterance || e.Interim() {
				continue
			}
			u := gold.Utterance{Text: e.Text}
			if e.Speaker != nil {
				u.Speaker = string(e.Speaker.Role)
			}
			for _, s := range e.Gold {
				u.Entities = append(u.Entities, gold.Span{Start: s.Start, End: s.End, Type: s.Type})
			}
			c.Utterances = append(c.Utterances, u)
		}
		set.Conversations = append(set.Conversations, c)
	}
	return set
}

// The thresholds are somewhat below the figures of November 2026. A change that falls below them
// finds less than before.
func TestGeneratedCallsAreMasked(t *testing.T) {
	e, err := anonymize.New(anonymize.Options{RawOffsets: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Run([]eval.Set{generated(150)}, eval.Engine(e), eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		got   float64
		least float64
	}{
		{"recall of structured types by characters", r.Structured.Value(), 0.97},
		{"recall of names of people", r.ByType["PERSON_NAME"].RecallChars.Value(), 0.97},
		{"recall of organizations", r.ByType["ORGANIZATION_NAME"].RecallChars.Value(), 0.92},
		{"recall of card numbers", r.ByType["CREDIT_CARD_NUMBER"].RecallChars.Value(), 1},
		{"recall of telephone numbers", r.ByType["PHONE_NUMBER"].RecallChars.Value(), 0.999},
		{"one number for one entity", r.SameEntitySameNumber.Value(), 0.96},
		{"tokens left alone", 1 - r.OverMaskedTokens.Value(), 0.993},
	} {
		t.Logf("%s: %.2f %%", c.what, 100*c.got)
		if c.got < c.least {
			t.Errorf("%s: %.2f %%, want %.2f", c.what, 100*c.got, 100*c.least)
		}
	}
}
