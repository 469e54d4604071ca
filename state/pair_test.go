package state

import (
	"testing"

	"sotto/state/linking"
)

// What is known of a person does not depend on the number of the event that begins the call: it may be 0.
func TestEventsMayCountFromZero(t *testing.T) {
	pairs := func(first int64) (all []linking.Pair) {
		c := NewCall()
		agent, customer := c.Speaker("agent"), c.Speaker("customer")
		c.NumberSpeaker(agent)
		c.NumberSpeaker(customer)
		say := func(seq int64, place int, s linking.SpeakerID, name string, talk linking.Talk) {
			m := person(name)
			m.Seq, m.Place, m.Speaker, m.Talk = first+seq, place, s, talk
			c.EachPair(&m, func(_ int, p *linking.Pair) { all = append(all, *p) })
			c.LinkOrCreate(m, 10)
		}
		say(0, 0, agent, "ida quimby", linking.Talk{Role: linking.RoleOwn})
		say(0, 1, agent, "ines", linking.Talk{Joined: true, Gap: 2})
		say(1, 0, customer, "ida", linking.Talk{Role: linking.RoleAddressed})
		return all
	}
	zero, one := pairs(0), pairs(1)
	if len(zero) != len(one) || len(zero) == 0 {
		t.Fatalf("%d pairs, and %d where the first event has the number 1", len(zero), len(one))
	}
	for i := range zero {
		if zero[i] != one[i] {
			t.Errorf("pair %d is %v, and %v where the first event has the number 1", i, zero[i], one[i])
		}
	}
}
