package state

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestDeferredEventsSurviveEncoding(t *testing.T) {
	c := NewCall()
	want := []Deferred{
		{Event: []byte("one"), Position: RecordPosition{Utterances: 1, Clock: -5, Offset: 1 << 40, TimestampMS: 3}},
		{Event: []byte("two"), Remote: []byte("answer"), Position: RecordPosition{Ended: true, Closes: true}},
	}
	for _, h := range want {
		if !c.Stage(h) {
			t.Fatal("there is no room")
		}
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	d := NewCall()
	if err := d.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.Deferred(), want) {
		t.Errorf("got %v", d.Deferred())
	}
	clone := d.Clone()
	clone.Defer(Deferred{Event: []byte("three")})
	d.ClearDeferred()
	if len(clone.Deferred()) != 3 || len(d.Deferred()) != 0 {
		t.Error("a copy and its original share deferred events")
	}
	empty, _ := NewCall().MarshalBinary()
	if after, _ := d.MarshalBinary(); !bytes.Equal(after, empty) {
		t.Error("released events leave something in the encoded form")
	}
}

func TestDeferredEventsAreBounded(t *testing.T) {
	c := NewCall()
	for i := range MaxDeferred {
		if !c.Defer(Deferred{Event: fmt.Append(nil, i)}) {
			t.Fatalf("event %d of %d does not fit", i+1, MaxDeferred)
		}
	}
	if c.Defer(Deferred{Event: []byte("x")}) || len(c.Deferred()) != MaxDeferred {
		t.Error("more events are deferred than the limit")
	}
	c.ClearDeferred()
	half := bytes.Repeat([]byte("x"), MaxDeferredBytes/2)
	for range 2 {
		if !c.Defer(Deferred{Event: half}) {
			t.Error("an event of the largest size does not fit")
		}
	}
	if c.Defer(Deferred{Event: []byte("x")}) {
		t.Error("more bytes are deferred than the limit")
	}
	if c.Defer(Deferred{}) {
		t.Error("an empty event is deferred, which could not be released")
	}
}

func TestStagedEventsAreBoundedWithTheirAnswers(t *testing.T) {
	c := NewCall()
	half := bytes.Repeat([]byte("x"), MaxStagedBytes/2)
	if !c.Stage(Deferred{Event: []byte("x"), Remote: half[1:]}) || !c.Stage(Deferred{Event: half}) {
		t.Error("what may be staged does not fit")
	}
	if c.Stage(Deferred{Event: []byte("x")}) {
		t.Error("more bytes are staged than may be")
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := NewCall().UnmarshalBinary(data); err != nil {
		t.Errorf("a state with as much as may be staged is not read: %v", err)
	}
}

// A release without hold-back would drop deferred events from the state, so it must not be able to
// read such a state. It can still read all others.
func TestOnlyAStateWithDeferredEventsHasTheNewVersion(t *testing.T) {
	k := ring(t, "7 "+key(1))
	s, err := k.Sealer("c")
	if err != nil {
		t.Fatal(err)
	}
	plain, held := s.Seal(nil, []byte("body")), s.SealDeferred(nil, []byte("body"))
	if plain[0] != 1 || held[0] != 2 {
		t.Errorf("versions %d and %d", plain[0], held[0])
	}
	for _, sealed := range [][]byte{plain, held} {
		if body, err := k.Open("c", sealed); err != nil || string(body) != "body" {
			t.Errorf("version %d does not open: %v", sealed[0], err)
		}
		sealed[0] = 3 - sealed[0]
		if _, err := k.Open("c", sealed); !errors.Is(err, ErrNotAuthentic) {
			t.Errorf("a record opens as one of another version: %v", err)
		}
	}
}
