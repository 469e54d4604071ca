package state

import (
	"bytes"
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
	d := restored(t, c)
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
