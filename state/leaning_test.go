package state

import (
	"testing"

	"sotto/state/linking"
)

// Who listens is the other one of the first two who talk, whoever else was announced with the START.
func TestLeaningsCountThoseWhoTalk(t *testing.T) {
	leaning := func(announced ...string) linking.Leaning {
		c := NewCall()
		for _, id := range announced {
			c.Speaker(id)
		}
		for i, id := range []string{"a", "b"} {
			s := c.Speaker(id)
			c.NumberSpeaker(s)
			m := said(s, person([]string{"walter", "oksana"}[i]))
			m.Seq, m.Talk.Chances = int64(i), linking.Chances{Speaks: 1, Listens: 97, Third: 2}
			c.LinkOrCreate(m, 10)
		}
		return c.entities[0].Leaning
	}
	if alone, among := leaning(), leaning("supervisor", "b"); alone != among || alone == 0 {
		t.Errorf("the leaning is %x, and %x if a supervisor was announced", alone, among)
	}
}

func TestALeaningThatCannotBeIsRefused(t *testing.T) {
	c := NewCall()
	c.LinkOrCreate(person("walter"), 10)
	c.entities[0].Leaning = 101
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if NewCall().UnmarshalBinary(data) == nil {
		t.Error("a probability over 1 was decoded")
	}
}
