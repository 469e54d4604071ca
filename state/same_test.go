package state

import (
	"maps"
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
	linking.TryModels(doubtful, linking.NobodyIsOne, func() {
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
	// later says something new of a person, so that the model of couples is asked again, which finds that all are one.
	later := func(s linking.SpeakerID, m Mention) Mention {
		m.Speaker, m.Known, m.Talk.Role = s, true, linking.RoleAddressed
		return m
	}
	makoa, makua, thaddeus := said(1, person("makoa kealoha")), said(2, person("makua")), said(2, person("thaddeus"))
	for _, c := range []struct {
		name     string
		mentions []Mention
		settled  bool
		numbers  []int
		counted  int64
		final    map[string]int64
	}{
		{"when something new is said", []Mention{makoa, makua, later(1, makua), makua}, false, []int{1, 2, 1, 1}, 2, map[string]int64{"2": 1}},
		{"not if their names are unlike", []Mention{makoa, thaddeus, later(1, thaddeus), thaddeus}, false, []int{1, 2, 2, 2}, 2, nil},
		{"at once", []Mention{makoa, later(2, person("thaddeus")), thaddeus, said(1, person("quill"))}, false, []int{1, 1, 1, 2}, 2, nil},
		{"not when the call is over", []Mention{makoa, thaddeus, later(1, thaddeus)}, true, []int{1, 2, 2}, 2, nil},
		{"namesakes are two", []Mention{label(1, person("makoa")), other(1, person("makoa")), later(2, person("makoa"))}, false, []int{1, 2, 2}, 2, nil},
		{"and so are two speakers", []Mention{label(1, person("makoa")), label(2, person("thaddeus")), later(1, person("thaddeus"))}, false,
			[]int{1, 2, 2}, 2, nil},
		{"a label keeps its number", []Mention{said(1, person("makoa")), label(2, person("thaddeus")), later(1, person("thaddeus"))}, false,
			[]int{1, 2, 2}, 2, nil},
		{"nobody is one with two namesakes", []Mention{label(1, person("makoa")), other(1, person("makoa")), thaddeus, later(1, thaddeus), later(2, person("makoa"))},
			false, []int{1, 2, 3, 1, 1}, 3, map[string]int64{"3": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := NewCall()
			call.NumberSpeaker(call.Speaker("a"))
			call.NumberSpeaker(call.Speaker("b"))
			for i, m := range c.mentions {
				m.Seq = int64(i)
				couples := linking.NobodyIsOne
				if m.Talk.Role == linking.RoleAddressed {
					couples = linking.AllAreOne
				}
				if c.settled {
					linking.TryModels("", linking.NobodyIsOne, func() { call.Settle() })
				}
				linking.TryModels(doubtful, couples, func() {
					if r := call.LinkOrCreate(m, 10); r.N != c.numbers[i] {
						t.Errorf("mention %d has the number %d, want %d", i, r.N, c.numbers[i])
					}
				})
				call = restored(t, call)
			}
			if got := call.Renumbered()["PERSON_NAME"]; !maps.Equal(got, c.final) {
				t.Errorf("renumbered is %v, want %v", got, c.final)
			}
			if n := call.Entities()["PERSON_NAME"]; n != c.counted {
				t.Errorf("%d numbers were given, want %d", n, c.counted)
			}
		})
	}
}

// A participant of the call who is named late, and turns out to be somebody who has a number, changes nothing about that number.
func TestANumberNamesTheSamePerson(t *testing.T) {
	c := NewCall()
	c.NumberSpeaker(c.Speaker("a"))
	known := person("rowan merrow")
	known.Source = linking.SourceParticipant
	c.AddKnown(known, 10)
	linking.TryModels(doubtful, linking.NobodyIsOne, func() { c.LinkOrCreate(said(1, person("brindle")), 10) })
	linking.TryModels(doubtful, linking.AllAreOne, func() {
		if r := c.LinkOrCreate(self(1, person("rowan merrow")), 10); r.N != 1 {
			t.Errorf("the participant has the number %d", r.N)
		}
	})
	one := Ref{Type: "PERSON_NAME", N: 1}
	if name := c.FirstAlias(one); name != "brindle" {
		t.Errorf("the number names %s", name)
	}
	if !c.HasName(one, "brindle") {
		t.Error("a name is forgotten")
	}
}

// Nobody who is a man and a woman is one.
func TestSettleKeepsThoseApartWhoDiffer(t *testing.T) {
	c := heardTwice(t)
	for i, g := range []linking.Gender{linking.Male, linking.Female} {
		m := person([]string{"makoa kealoha", "mokoa"}[i])
		m.Seq, m.Talk.Gender, m.Known = 3, g, true
		m.Speaker = c.Speaker("a")
		linking.TryModels("", linking.NobodyIsOne, func() { c.LinkOrCreate(m, 10) })
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
