package processor

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"

	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// restSome makes as many of a partition's calls dormant as a test draws.
func restSome(t *rapid.T, p *partition) {
	p.lim.awake = rapid.IntRange(0, 3).Draw(t, "awake calls")
	if err := p.restCalls(100); err != nil {
		t.Fatal(err)
	}
	for _, c := range p.calls {
		if c.awake != nil && c.place == nil {
			t.Fatalf("the call %s is awake and will never be dormant", c.id)
		}
	}
}

// talk is a call with something of everything that a dormant call keeps.
func talk(t *testing.T, id string) *call {
	t.Helper()
	memory := state.NewCall()
	memory.LinkOrCreate(state.Mention{Type: "PERSON_NAME", Kind: state.KindName, Words: []string{"rosa", "lindqvist"}}, 10)
	candidates, err := estimate.FromKeys([]uint32{1<<5 | 1, 2<<5 | 2})
	if err != nil {
		t.Fatal(err)
	}
	return &call{id: id, meta: callMeta{Utterances: 3, Context: "sales"}, awake: &awake{
		memory: memory,
		risk:   callRisk{candidates: candidates, chosen: true, missing: 2, leftover: 7},
		text:   newTranscript(4, [][]byte{[]byte("one"), []byte("two")}),
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
	if err := c.begin(v); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.memory.MarshalBinary(); !bytes.Equal(got, want) {
		t.Error("the memory has changed")
	}
	if !reflect.DeepEqual(c.risk, before.risk) || !reflect.DeepEqual(c.text, before.text) {
		t.Errorf("got %+v and %+v, want %+v and %+v", c.risk, c.text, before.risk, before.text)
	}
}

// An abort takes a call that it had woken back to what was committed.
func TestAnAbortMakesAWokenCallDormantAgain(t *testing.T) {
	p := newPartition(0, testLimits())
	p.lim.awake = 0
	p.begin()
	c, _ := p.admit("c", &schemas.RawEvent{CallID: "c", Type: schemas.Utterance})
	p.commit()
	if err := p.restCalls(1); err != nil || c.awake != nil {
		t.Fatalf("the call is awake: %v", err)
	}
	p.begin()
	p.touch(c)
	if err := c.begin(p.vault); err != nil {
		t.Fatal(err)
	}
	c.pending.LinkOrCreate(state.Mention{Type: "SSN", Kind: state.KindCode, Code: "078051120"}, 10)
	c.changed = true
	p.rollback()
	if c.awake != nil || p.awake.Len() != 0 || c.mustSeal() {
		t.Fatal("the call is still awake after the abort")
	}
	if err := c.begin(p.vault); err != nil || len(c.pending.Entities()) != 0 {
		t.Errorf("what was aborted is in the state, or %v", err)
	}
}

// After an abort, a call in which an event had failed continues.
func TestACallThatFailedContinuesAfterTheAbort(t *testing.T) {
	for name, rest := range map[string]bool{"awake": false, "dormant": true} {
		t.Run(name, func(t *testing.T) {
			p := newPartition(0, testLimits())
			p.begin()
			c, _ := p.admit("c", &schemas.RawEvent{CallID: "c", Type: schemas.Utterance})
			p.commit()
			if rest {
				p.lim.awake = 0
				if err := p.restCalls(1); err != nil || c.awake != nil {
					t.Fatalf("the call is awake, or %v", err)
				}
			}
			p.begin()
			p.touch(c)
			if err := c.begin(p.vault); err != nil {
				t.Fatal(err)
			}
			c.pending.LinkOrCreate(state.Mention{Type: "SSN", Kind: state.KindCode, Code: "078051120"}, 10)
			c.fail()
			if !c.failed || len(c.pending.Entities()) != 0 {
				t.Error("the state of the failed event is still there")
			}
			p.rollback()
			if err := c.begin(p.vault); err != nil || c.failed {
				t.Errorf("the call does not continue: %v", err)
			}
		})
	}
}

func TestCallsRestInTheOrderOfTheirUse(t *testing.T) {
	p := newPartition(0, testLimits())
	p.lim.awake, p.lim.dormant, p.lim.open = 3, 100, 10
	hear := func(id string, at int64) {
		p.begin()
		p.advance(at, p.calls[id])
		p.admit(id, &schemas.RawEvent{CallID: id, Type: schemas.Utterance, TimestampMS: at})
		p.commit()
		if err := p.restCalls(10); err != nil {
			t.Fatal(err)
		}
	}
	awakeNow := func() (ids string) {
		for _, id := range []string{"a", "b", "c", "d"} {
			if p.calls[id] != nil && p.calls[id].awake != nil {
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
	for name, damage := range map[string]func(c *call) *vault{
		"another vault":       func(*call) *vault { return newVault() },
		"another call":        func(c *call) *vault { c.id = "d"; return v },
		"a flipped bit":       func(c *call) *vault { c.sealed[len(c.sealed)/2] ^= 1; return v },
		"a state that is cut": func(c *call) *vault { c.sealed = c.sealed[:8]; return v },
	} {
		t.Run(name, func(t *testing.T) {
			c := talk(t, "c")
			if err := v.rest(c); err != nil {
				t.Fatal(err)
			}
			if err := c.begin(damage(c)); err == nil || c.awake != nil {
				t.Error("the state opens")
			}
		})
	}
}

// A state is authentic, and its memory cannot be decoded. That shows only when the
// call wakes. Then its partition stops, nothing of the transaction is written, and the
// other partitions continue.
func TestADormantStateThatDoesNotOpenStopsItsPartition(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	in := r.start("a")
	r.feed(r.caller(0, "c", 1, "Rosa Lindqvist"), r.caller(1, "d", 1, "Tobias Ferrant"))
	r.await(r.topics.Clean, 2)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	keys, err := state.LoadKeyring(r.keyFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range r.read(r.topics.State) {
		if string(rec.Key) != "c" {
			continue
		}
		body, err := keys.Open("c", rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		var b stateBody
		if err := cbor.Unmarshal(body, &b); err != nil {
			t.Fatal(err)
		}
		b.Memory = []byte{0xff}
		body, err = stateEncoding.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		sealer, err := keys.Sealer("c")
		if err != nil {
			t.Fatal(err)
		}
		r.feed(&kgo.Record{Topic: r.topics.State, Partition: rec.Partition, Key: rec.Key, Value: sealer.Seal(nil, body)})
	}
	in = r.start("b")
	eventually(t, "the restore", func() bool { return in.Ready() == nil })
	r.feed(r.caller(0, "c", 2, "Rosa Lindqvist"))
	eventually(t, "the partition to be stopped", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "partition 0 is stopped") && strings.Contains(err.Error(), "not valid")
	})
	r.feed(r.caller(1, "d", 2, "Tobias Ferrant"))
	r.await(r.topics.Clean, 3)
	for _, e := range r.clean(r.read(r.topics.Clean)) {
		if e.CallID == "c" && e.Seq == 2 {
			t.Error("an event of the call was written")
		}
	}
	if dead := r.deadLetters(); len(dead) > 0 {
		t.Errorf("%d dead letters", len(dead))
	}
}
