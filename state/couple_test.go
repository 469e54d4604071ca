package state

import (
	"fmt"
	"reflect"
	"testing"
)

// couplesOf returns what the model of couples is asked about a call.
func couplesOf(c *Call) map[[2]int]Couple {
	all := map[[2]int]Couple{}
	c.EachCouple(func(a, b Ref, f *Couple) { all[[2]int{a.N, b.N}] = *f })
	return all
}

// callOf is a call of n people who are each mentioned once, by turns by two speakers.
func callOf(n int) *Call {
	c := NewCall()
	speakers := []SpeakerID{c.Speaker("a"), c.Speaker("b")}
	for i := range n {
		m := said(speakers[i%2], person(fmt.Sprintf("ida%c%c quimby%c%c", 'a'+i/26, 'a'+i%26, 'a'+i%26, 'a'+i/26)))
		m.Seq = int64(i)
		c.LinkAs(m, -1, 1000)
	}
	return c
}

// What decides about the final version survives a restart.
func TestCouplesOfARestoredCall(t *testing.T) {
	c := heardTwice(t)
	before := couplesOf(c)
	if len(before) != 3 {
		t.Fatalf("%d couples of three people", len(before))
	}
	body, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	restored := NewCall()
	if err := restored.UnmarshalBinary(body); err != nil {
		t.Fatal(err)
	}
	if after := couplesOf(restored); !reflect.DeepEqual(before, after) {
		t.Errorf("%v, and %v after a restart", before, after)
	}
	if doubt := before[[2]int{1, 2}][len(Couple{})-5]; doubt != 3000/doubtStep {
		t.Errorf("the second person is the first with a doubt of %d", doubt)
	}
}

// Each two of a few people are compared once; in a call with many, the time grows with their number and not with its square.
func TestCouplesAreBounded(t *testing.T) {
	few, many := couplesOf(callOf(manyPersons)), couplesOf(callOf(4*manyPersons))
	if len(few) != manyPersons*(manyPersons-1)/2 {
		t.Errorf("%d couples of %d people", len(few), manyPersons)
	}
	if len(many) == 0 || len(many) > 4*manyPersons {
		t.Errorf("%d couples of %d people", len(many), 4*manyPersons)
	}
}

// Namesakes are counted up to four, and nobody is a namesake of their own.
func TestNamesakes(t *testing.T) {
	c := NewCall()
	var persons []int
	for i, name := range []string{"ida quimby", "ines quimby", "otto kealoha", "quimby", "ivy quimby", "ulla quimby", "thea quimby"} {
		m := said(c.Speaker("a"), person(name))
		m.Seq = int64(i)
		persons = append(persons, c.LinkAs(m, -1, 1000))
	}
	if got, want := c.namesakes(persons), []int16{4, 4, 0, 4, 4, 4, 4}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
