package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/anonymize"
	"sotto/internal/gold"
	"sotto/training/eval"
)

// recorded writes the conversations with the masks of an anonymizer as their entities, and reads them again.
func recorded(t rapid.TB, calls []gold.Conversation, a eval.Anonymizer) []gold.Conversation {
	t.Helper()
	var file strings.Builder
	var out []gold.Conversation
	for i := range calls {
		masks, err := a.Anonymize(&calls[i])
		if err != nil {
			t.Fatal(err)
		}
		c := gold.Conversation{ID: calls[i].ID, Context: calls[i].Context}
		for k, u := range calls[i].Utterances {
			u.Entities = nil
			for _, m := range masks[k] {
				u.Entities = append(u.Entities, gold.Span{Start: m.Start, End: m.End, Type: m.Type, Number: m.ID})
			}
			c.Utterances = append(c.Utterances, u)
		}
		out = append(out, c)
	}
	if err := gold.Write(&file, out); err != nil {
		t.Fatal(err)
	}
	out, err := gold.Read(strings.NewReader(file.String()), "masks")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// figures are those of a report, without the live estimate.
func figures(t rapid.TB, calls []gold.Conversation, a eval.Anonymizer) string {
	t.Helper()
	r, err := eval.Run([]eval.Set{{Name: "set", Conversations: calls}}, a, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Estimate, r.Contexts = nil, nil
	b, err := json.Marshal(r.Report)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMasksAreScoredAsTheirEngine measures masks that were written to a file and read again: the figures are
// those of the anonymizer, to the last digit.
func TestMasksAreScoredAsTheirEngine(t *testing.T) {
	e, err := anonymize.New(anonymize.Options{RawOffsets: true})
	if err != nil {
		t.Fatal(err)
	}
	check := func(t rapid.TB, calls []gold.Conversation, a eval.Anonymizer) {
		masks, err := eval.Masks(recorded(t, calls, a))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := figures(t, calls, masks), figures(t, calls, a); got != want {
			t.Fatalf("the masks have other figures than what made them:\n%.400s\n%.400s", got, want)
		}
	}
	check(t, generated(60).Conversations, eval.Engine(e))
	rapid.Check(t, func(t *rapid.T) {
		calls, a := drawn(t)
		check(t, calls, a)
	})
}

func TestMasksMustBeThoseOfTheConversations(t *testing.T) {
	with := func(id string, texts ...string) gold.Conversation {
		c := gold.Conversation{ID: id, Line: 1}
		for _, text := range texts {
			c.Utterances = append(c.Utterances, gold.Utterance{Text: text})
		}
		return c
	}
	labelled := with("secret", "words", "more")
	for _, c := range []struct {
		masks []gold.Conversation
		want  string
	}{
		{nil, "there are no masks for the conversation of this id"},
		{[]gold.Conversation{with("secret", "words")}, "1 utterances, where the labelled conversation has 2"},
		{[]gold.Conversation{with("secret", "words", "less")}, "utterance 2: the text is not that of the labelled conversation"},
		{[]gold.Conversation{labelled, labelled}, "an earlier conversation has the same id"},
	} {
		a, err := eval.Masks(c.masks)
		if err == nil {
			_, err = eval.Run([]eval.Set{{Name: "set", Conversations: []gold.Conversation{labelled}}}, a, eval.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "words") {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
