package partition

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/internal/lifecycle"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// restSome makes as many of a partition's calls dormant as a test draws.
func restSome(t *rapid.T, p *Partition) {
	p.lim.Awake = rapid.IntRange(0, 3).Draw(t, "awake calls")
	if err := p.RestCalls(100); err != nil {
		t.Fatal(err)
	}
	for c := range p.calls.All() {
		if c.awake != nil && c.place == nil {
			t.Fatalf("the call %s is awake and will never be dormant", c.ID)
		}
	}
}

// talk is a call with something of everything that a dormant call keeps.
func talk(t *testing.T, id string) *Call {
	t.Helper()
	memory := state.NewCall()
	memory.LinkOrCreate(state.Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{"rosa", "lindqvist"}}, 10)
	candidates, err := estimate.FromKeys([]uint32{1<<5 | 1, 2<<5 | 2})
	if err != nil {
		t.Fatal(err)
	}
	return &Call{Entry: lifecycle.Entry{ID: id}, Meta: Meta{Utterances: 3, Context: "sales"}, awake: &awake{
		memory: memory,
		risk:   Risk{Candidates: candidates, chosen: true, missing: 2, Leftover: 7},
		Text:   newTranscript(4, [][]byte{[]byte("one"), []byte("two")}),
	}}
}

func TestADormantCallWakesAsItWas(t *testing.T) {
	v, c := newVault(), talk(t, "c")
	before := *c.awake
	want, _ := c.memory.MarshalBinary()
	if err := v.rest(c); err != nil || c.awake != nil {
		t.Fatalf("the call is not dormant: %v", err)
	}
	if bytes.Contains(c.sealed, []byte("lindqvist")) || bytes.Contains(c.sealed, []byte("two")) {
		t.Fatal("the state of a dormant call is readable")
	}
	if err := c.Begin(v); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.memory.MarshalBinary(); !bytes.Equal(got, want) {
		t.Error("the memory has changed")
	}
	if !reflect.DeepEqual(c.risk, before.risk) || !reflect.DeepEqual(c.Text, before.Text) {
		t.Errorf("got %+v and %+v, want %+v and %+v", c.risk, c.Text, before.risk, before.Text)
	}
}

// An abort takes a call that it had woken back to what was committed.
func TestAnAbortMakesAWokenCallDormantAgain(t *testing.T) {
	p := New(0, testLimits())
	p.lim.Awake = 0
	p.Begin()
	c, _ := p.Admit("c", &schemas.RawEvent{CallID: "c", Type: schemas.Utterance})
	p.Commit()
	if err := p.RestCalls(1); err != nil || c.awake != nil {
		t.Fatalf("the call is awake: %v", err)
	}
	p.Begin()
	p.Touch(c)
	if err := c.Begin(p.Vault); err != nil {
		t.Fatal(err)
	}
	c.Pending.LinkOrCreate(state.Mention{Type: "SSN", Kind: detectors.KindCode, Code: "078051120"}, 10)
	c.Changed = true
	p.Rollback()
	if c.awake != nil || p.awake.Len() != 0 || c.MustSeal() {
		t.Fatal("the call is still awake after the abort")
	}
	if err := c.Begin(p.Vault); err != nil || len(c.Pending.Entities()) != 0 {
		t.Errorf("what was aborted is in the state, or %v", err)
	}
}

// After an abort, a call in which an event had failed continues.
func TestACallThatFailedContinuesAfterTheAbort(t *testing.T) {
	for name, rest := range map[string]bool{"awake": false, "dormant": true} {
		t.Run(name, func(t *testing.T) {
			p := New(0, testLimits())
			p.Begin()
			c, _ := p.Admit("c", &schemas.RawEvent{CallID: "c", Type: schemas.Utterance})
			p.Commit()
			if rest {
				p.lim.Awake = 0
				if err := p.RestCalls(1); err != nil || c.awake != nil {
					t.Fatalf("the call is awake, or %v", err)
				}
			}
			p.Begin()
			p.Touch(c)
			if err := c.Begin(p.Vault); err != nil {
				t.Fatal(err)
			}
			c.Pending.LinkOrCreate(state.Mention{Type: "SSN", Kind: detectors.KindCode, Code: "078051120"}, 10)
			c.Fail()
			if !c.failed || len(c.Pending.Entities()) != 0 {
				t.Error("the state of the failed event is still there")
			}
			p.Rollback()
			if err := c.Begin(p.Vault); err != nil || c.failed {
				t.Errorf("the call does not continue: %v", err)
			}
		})
	}
}

func TestCallsRestInTheOrderOfTheirUse(t *testing.T) {
	p := New(0, testLimits())
	p.lim.Awake, p.lim.Dormant, p.lim.Open = 3, 100, 10
	hear := func(id string, at int64) {
		p.Begin()
		p.Advance(Time{MS: at}, p.calls.Get(id))
		p.Admit(id, &schemas.RawEvent{CallID: id, Type: schemas.Utterance, TimestampMS: at})
		p.Commit()
		if err := p.RestCalls(10); err != nil {
			t.Fatal(err)
		}
	}
	awakeNow := func() (ids string) {
		for _, id := range []string{"a", "b", "c", "d"} {
			if p.calls.Get(id) != nil && p.calls.Get(id).awake != nil {
				ids += id
			}
		}
		return ids
	}
	for i, step := range []struct {
		id   string
		at   int64
		want string
	}{{"a", 1, "a"}, {"b", 2, "ab"}, {"a", 3, "ab"}, {"c", 4, "abc"}, {"d", 5, "acd"}, {"d", 103, "cd"}, {"d", 104, "d"}} {
		if hear(step.id, step.at); awakeNow() != step.want {
			t.Fatalf("step %d: awake are %s, want %s", i, awakeNow(), step.want)
		}
	}
}

// The key of a vault is its own: a state opens only in its place.
func TestAVaultOpensOnlyItsOwn(t *testing.T) {
	v := newVault()
	for name, damage := range map[string]func(c *Call) *Vault{
		"another vault":       func(*Call) *Vault { return newVault() },
		"another call":        func(c *Call) *Vault { c.ID = "d"; return v },
		"a flipped bit":       func(c *Call) *Vault { c.sealed[len(c.sealed)/2] ^= 1; return v },
		"a state that is cut": func(c *Call) *Vault { c.sealed = c.sealed[:8]; return v },
	} {
		t.Run(name, func(t *testing.T) {
			c := talk(t, "c")
			if err := v.rest(c); err != nil {
				t.Fatal(err)
			}
			if err := c.Begin(damage(c)); err == nil || c.awake != nil {
				t.Error("the state opens")
			}
		})
	}
}
