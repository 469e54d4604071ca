package state

import (
	"fmt"
	"reflect"
	"testing"

	"sotto/state/linking"
)

// couplesOf returns what the model of couples is asked about a call.
func couplesOf(c *Call) map[[2]int]linking.Couple {
	all := map[[2]int]linking.Couple{}
	c.EachCouple(func(a, b Ref, f *linking.Couple) { all[[2]int{a.N, b.N}] = *f })
	return all
}

// callOf is a call of n people who are each mentioned once, by turns by two speakers.
func callOf(n int) *Call {
	c := NewCall()
	speakers := []linking.SpeakerID{c.Speaker("a"), c.Speaker("b")}
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
	if after := couplesOf(restored(t, c)); !reflect.DeepEqual(before, after) {
		t.Errorf("%v, and %v after a restart", before, after)
	}
	const step = 256 // of a doubt, on the scale of the model
	if doubt := before[[2]int{1, 2}][len(linking.Couple{})-5]; doubt != 3000/step {
		t.Errorf("the second person is the first with a doubt of %d", doubt)
	}
}
