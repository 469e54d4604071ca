package state

import (
	"testing"

	"sotto/detectors"
)

// A call that starts again knows what it said, and numbers it in the order of the second time.
func TestRestart(t *testing.T) {
	c := NewCall()
	speaker := c.Speaker("x")
	c.NumberSpeaker(speaker)
	first := Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{"ines"}}
	second := Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{"tobias"}}
	c.LinkOrCreate(first, 10)
	c.LinkOrCreate(second, 10)
	c.SetQuestions([]Question{{Type: "PERSON_NAME"}})

	again := c.Restart()
	if len(again.Entities()) != 0 || again.Speakers() != 0 || len(again.Questions()) != 0 {
		t.Error("something was said already")
	}
	if again.Link(second) < 0 {
		t.Error("a value is not known")
	}
	if r := again.LinkOrCreate(second, 10); r.N != 1 {
		t.Errorf("the first name has number %d", r.N)
	}
	if r := c.LinkOrCreate(second, 10); r.N != 2 {
		t.Errorf("the first call changed: the name has number %d", r.N)
	}
}

func TestEndDialogue(t *testing.T) {
	c := NewCall()
	c.SetQuestions([]Question{{Type: "PERSON_NAME"}})
	c.LinkOrCreate(Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{"ines"}}, 10)
	c.EndDialogue()
	if len(c.Questions()) != 0 || len(c.Entities()) != 1 {
		t.Error("the dialogue goes on, or an entity is lost")
	}
}
