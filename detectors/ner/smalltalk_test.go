package ner

import "testing"

func TestSmallTalk(t *testing.T) {
	for text, want := range map[string]bool{
		"How may I help you today?":                true,
		"Okay. Thank you, that is all.":            true,
		"do you want to do that now or later":      true,
		"":                                         true,
		"How may I help you, Pam?":                 false,
		"how may i help you pam":                   false,
		"I will do that for Grace":                 false,
		"Are you with Blue Harbor?":                false,
		"it is p a m":                              false,
		"I would like to return the quimbolt now.": false,
	} {
		if got := smallTalk(document(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Small talk is tagged only where it may answer a question.
func TestSmallTalkIsTaggedInAnswerToAQuestion(t *testing.T) {
	d := document("will park")
	tagger := NewTagger(Builtin())
	tagger.small = true
	tagger.reader.Read(d, tagger.model.vocabulary)
	if tagger.Find(d, &Context{}); len(tagger.static) > 0 {
		t.Error("small talk was weighed")
	}
	if tagger.Find(d, &Context{Asked: 3 << 2}); len(tagger.static) != 2 {
		t.Error("the answer to a question was not weighed")
	}
}
