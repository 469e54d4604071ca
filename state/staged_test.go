package state

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func TestStagedEventsSurviveEncoding(t *testing.T) {
	c := NewCall()
	want := []Staged{
		{Event: []byte("one"), RecordPosition: RecordPosition{Utterances: 1, Offset: 1 << 40, TimestampMS: 3}},
		{Event: []byte("two"), Remote: []byte("answer"), RecordPosition: RecordPosition{Ended: true, Closes: true}},
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
	if !reflect.DeepEqual(d.Staged(), want) {
		t.Errorf("got %v", d.Staged())
	}
	clone := d.Clone()
	clone.Stage(Staged{Event: []byte("three")})
	d.ClearStaged()
	if len(clone.Staged()) != 3 || len(d.Staged()) != 0 {
		t.Error("a copy and its original share staged events")
	}
	empty, _ := NewCall().MarshalBinary()
	if after, _ := d.MarshalBinary(); !bytes.Equal(after, empty) {
		t.Error("released events leave something in the encoded form")
	}
}

func TestStagedEventsAreBoundedWithTheirAnswers(t *testing.T) {
	c := NewCall()
	half := bytes.Repeat([]byte("x"), MaxStagedBytes/2)
	if !c.Stage(Staged{Event: []byte("x"), Remote: half[1:]}) || !c.Stage(Staged{Event: half}) {
		t.Error("what may be staged does not fit")
	}
	if c.Stage(Staged{Event: []byte("x")}) {
		t.Error("more bytes are staged than may be")
	}
	if NewCall().Stage(Staged{}) {
		t.Error("an empty event is staged, which could not be released")
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := NewCall().UnmarshalBinary(data); err != nil {
		t.Errorf("a state with as much as may be staged is not read: %v", err)
	}
}

// A release that knows no staged events would drop them from the state, so it must not be able to
// read such a state. It can still read all others.
func TestOnlyAStateWithStagedEventsHasTheNewVersion(t *testing.T) {
	k := ring(t, "7 "+key(1))
	s, err := k.Sealer("c")
	if err != nil {
		t.Fatal(err)
	}
	plain, staged := s.Seal(nil, []byte("body")), s.SealStaged(nil, []byte("body"))
	if plain[0] != 1 || staged[0] != 2 {
		t.Errorf("versions %d and %d", plain[0], staged[0])
	}
	for _, sealed := range [][]byte{plain, staged} {
		if body, err := k.Open("c", sealed); err != nil || string(body) != "body" {
			t.Errorf("version %d does not open: %v", sealed[0], err)
		}
		sealed[0] = 3 - sealed[0]
		if _, err := k.Open("c", sealed); !errors.Is(err, ErrNotAuthentic) {
			t.Errorf("a record opens as one of another version: %v", err)
		}
	}
}
