package state

import (
	"maps"
	"reflect"
	"testing"

	"sotto/state/linking"
)

const (
	// doubtful is a model of pairs that is never sure.
	doubtful = "3000,5500\n0"
	// nobodyIsOne and allAreOne are models of couples.
	nobodyIsOne, allAreOne = "-9999,0\n0", "9999,0\n0"
)

// heardTwice is a call in which the second person may be the first.
func heardTwice(t *testing.T) *Call {
	t.Helper()
	c := NewCall()
	a, b := c.Speaker("a"), c.Speaker("b")
	c.NumberSpeaker(a)
	c.NumberSpeaker(b)
	linking.TryModels(doubtful, nobodyIsOne, func() {
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
	if !c.Settle() {
		t.Error("nothing is renumbered at the end")
	}
	before := c.Changes()
	if !c.Settle() || c.Changes() != before {
		t.Error("to settle a call again changes something")
	}
	for _, c := range []*Call{c, restored(t, c)} {
		if want := map[string]map[string]int64{"PERSON_NAME": {"2": 1}}; !reflect.DeepEqual(c.Renumbered(), want) {
			t.Errorf("renumbered is %v", c.Renumbered())
		}
		if n := c.Entities()["PERSON_NAME"]; n != 3 {
			t.Errorf("%d numbers were given", n)
		}
		if r := c.LinkOrCreate(said(c.Speaker("b"), person("mokoa")), 10); r.N != 1 || c.Entities()["PERSON_NAME"] != 3 {
			t.Errorf("a later mention has the number %d of %v", r.N, c.Entities())
		}
		c.Unite()
		if r := c.LinkOrCreate(said(c.Speaker("b"), person("mokoa")), 10); r.N != 1 || c.Entities()["PERSON_NAME"] != 2 {
			t.Errorf("in the final version a mention has the number %d of %v", r.N, c.Entities())
		}
	}
}

// restored returns the call as its encoded form has it.
func restored(t *testing.T, c *Call) *Call {
	t.Helper()
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	again := NewCall()
	if err := again.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	return again
}

// Persons who turn out to be one while the call goes on have one number from then on.
func TestPersonsTurnOutToBeOne(t *testing.T) {
	label := func(s linking.SpeakerID, m Mention) Mention {
		m.Self, m.Speaker, m.Source = true, s, linking.SourceLabel
		return m
	}
	also := said(1, person("brindle"))
	also.Talk.Also = true
	for _, c := range []struct {
		name     string
		mentions []Mention
		couples  string
		numbers  []int
		final    map[string]int64
	}{
		{"by all that is known", []Mention{said(1, person("makoa kealoha")), said(2, person("thaddeus")), said(2, person("thaddeus"))}, allAreOne,
			[]int{1, 1, 1}, map[string]int64{"2": 1}},
		{"nothing says so", []Mention{said(1, person("makoa kealoha")), said(2, person("thaddeus"))}, nobodyIsOne, []int{1, 2}, nil},
		{"namesakes are two", []Mention{label(1, person("makoa")), other(1, person("makoa"))}, allAreOne, []int{1, 2}, nil},
		{"and so are two speakers", []Mention{label(1, person("makoa")), label(2, person("thaddeus")), said(1, person("quill"))}, allAreOne,
			[]int{1, 2, 1}, map[string]int64{"3": 1}},
		{"another name of the speaker", []Mention{label(1, person("makoa")), said(2, person("brindle")), also}, nobodyIsOne,
			[]int{1, 2, 1}, map[string]int64{"2": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := NewCall()
			call.NumberSpeaker(call.Speaker("a"))
			call.NumberSpeaker(call.Speaker("b"))
			linking.TryModels(doubtful, c.couples, func() {
				for i, m := range c.mentions {
					m.Seq = int64(i)
					if r := call.LinkOrCreate(m, 10); r.N != c.numbers[i] {
						t.Errorf("mention %d has the number %d, want %d", i, r.N, c.numbers[i])
					}
					call = restored(t, call)
				}
			})
			if got := call.Renumbered()["PERSON_NAME"]; !maps.Equal(got, c.final) {
				t.Errorf("renumbered is %v, want %v", got, c.final)
			}
		})
	}
}

// Nobody who is a man and a woman is one.
func TestSettleKeepsThoseApartWhoDiffer(t *testing.T) {
	c := heardTwice(t)
	for i, g := range []linking.Gender{linking.Male, linking.Female} {
		m := person([]string{"makoa kealoha", "mokoa"}[i])
		m.Seq, m.Talk.Gender, m.Known = 3, g, true
		m.Speaker = c.Speaker("a")
		linking.TryModels("", nobodyIsOne, func() { c.LinkOrCreate(m, 10) })
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
