package state

import (
	"reflect"
	"testing"

	"sotto/state/linking"
)

// doubtful is a model of pairs that is never sure.
const doubtful = "3000,5500\n0"

// heardTwice is a call in which the second person may be the first.
func heardTwice(t *testing.T) *Call {
	t.Helper()
	c := NewCall()
	a, b := c.Speaker("a"), c.Speaker("b")
	c.NumberSpeaker(a)
	c.NumberSpeaker(b)
	linking.TryModels(doubtful, "", func() {
		for i, m := range []Mention{self(a, person("makoa kealoha")), said(b, person("mokoa")), person("thaddeus quill")} {
			m.Seq = int64(i)
			if i == 1 {
				m.Talk.Role = linking.RoleAddressed
			}
			if r := c.LinkOrCreate(m, 10); r.N != i+1 {
				t.Fatalf("mention %d has the number %d", i, r.N)
			}
		}
	})
	return c
}

func TestSettle(t *testing.T) {
	c := heardTwice(t)
	if len(c.Renumbered()) != 0 {
		t.Error("something is renumbered before the end")
	}
	if !c.Settle() || c.Settle() {
		t.Error("a call is settled once")
	}
	data, _ := c.MarshalBinary()
	again := NewCall()
	if err := again.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Call{c, again} {
		if want := map[string]map[string]int64{"PERSON_NAME": {"2": 1}}; !reflect.DeepEqual(c.Renumbered(), want) {
			t.Errorf("renumbered is %v", c.Renumbered())
		}
		if n := c.Entities()["PERSON_NAME"]; n != 3 {
			t.Errorf("%d numbers were given", n)
		}
		if r := c.LinkOrCreate(said(c.Speaker("b"), person("mokoa")), 10); r.N != 2 || c.FinalOf(r).N != 1 {
			t.Errorf("a later mention has the number %d and in the end %d", r.N, c.FinalOf(r).N)
		}
		c.Unite()
		if r := c.LinkOrCreate(said(c.Speaker("b"), person("mokoa")), 10); r.N != 1 || c.Entities()["PERSON_NAME"] != 2 {
			t.Errorf("in the final version a mention has the number %d of %v", r.N, c.Entities())
		}
	}
}

// Nobody who is a man and a woman is one.
func TestSettleKeepsThoseApartWhoDiffer(t *testing.T) {
	c := heardTwice(t)
	for i, g := range []linking.Gender{linking.Male, linking.Female} {
		m := person([]string{"makoa kealoha", "mokoa"}[i])
		m.Seq, m.Talk.Gender, m.Known = 3, g, true
		m.Speaker = c.Speaker("a")
		c.LinkOrCreate(m, 10)
	}
	if c.Settle() {
		t.Errorf("renumbered is %v", c.Renumbered())
	}
}

// A call that starts again knows the persons that were joined as one.
func TestRestartJoinsPersons(t *testing.T) {
	c := heardTwice(t)
	c.Settle()
	c = c.Restart()
	a, b := c.Speaker("a"), c.Speaker("b")
	for i, want := range []struct {
		m Mention
		n int
	}{{said(b, person("mokoa")), 1}, {said(a, person("makoa")), 1}, {person("thaddeus quill"), 2}} {
		want.m.Seq = int64(i)
		if r := c.LinkOrCreate(want.m, 10); r.N != want.n {
			t.Errorf("mention %d has the number %d, want %d", i, r.N, want.n)
		}
	}
	if len(c.Renumbered()) != 0 {
		t.Error("numbers that nobody saw are renumbered")
	}
}
