package state

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/wordhash"
	"sotto/state/linking"
)

// mentions draws mentions from few values, so that many are equal.
func mentions() *rapid.Generator[Mention] {
	name := rapid.SampledFrom([]string{"mark", "marc", "mark kowalski", "kowalski", "jim", "jim halpert", "ann lee", "lee", "j lee"})
	number := rapid.StringMatching(`[0-9]{3,10}`)
	return rapid.Custom(func(t *rapid.T) Mention {
		var m Mention
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			m = person(name.Draw(t, "name"))
			m.Part = linking.Part(rapid.IntRange(0, 2).Draw(t, "part"))
		case 1:
			m = org(rapid.SampledFrom([]string{"acme", "acme paper", "dunder mifflin"}).Draw(t, "org"))
		case 2:
			m = code(rapid.SampledFrom([]string{"PHONE_NUMBER", "SSN", "GENERIC_ID"}).Draw(t, "type"), number.Draw(t, "code"))
		case 3:
			m = weak("NUMERIC", number.Draw(t, "code"))
		case 4:
			m = spelled(rapid.SampledFrom([]string{"MARK", "KOWALSKI", "ACME", "XQZ"}).Draw(t, "letters"))
		default:
			m = Mention{Type: "LOCATION", Words: []string{rapid.SampledFrom([]string{"hamilton", "new york"}).Draw(t, "place")}}
		}
		m.OfSpeaker = rapid.Bool().Draw(t, "of speaker")
		m.Speaker = linking.SpeakerID(rapid.IntRange(0, 2).Draw(t, "speaker"))
		m.Self = rapid.Bool().Draw(t, "self")
		m.Other = !m.Self && rapid.Bool().Draw(t, "other")
		m.Talk.Chances = linking.Chances{Speaks: uint8(rapid.IntRange(0, 100).Draw(t, "speaks")), Third: uint8(rapid.IntRange(0, 100).Draw(t, "third"))}
		return m
	})
}

// A state that was encoded and decoded at any point continues as the original.
func TestDecodedStateContinuesAsTheOriginal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := NewCall(), NewCall()
		for _, c := range []*Call{a, b} {
			c.Speaker("a")
			c.Speaker("b")
		}
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0:
				data, err := b.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				b = NewCall()
				if err := b.UnmarshalBinary(data); err != nil {
					t.Fatal(err)
				}
			case 1:
				m := mentions().Draw(t, "known")
				if changes(a, func() { a.AddKnown(m, limit) }) != changes(b, func() { b.AddKnown(m, limit) }) {
					t.Fatal("Know differs")
				}
			case 2:
				s := linking.SpeakerID(rapid.IntRange(0, 2).Draw(t, "speaker"))
				n := a.NumberSpeaker(s)
				if k := b.NumberSpeaker(s); n != k {
					t.Fatal("Appear differs")
				}
			case 3:
				q := []Question{{Type: "SSN", Asker: 1, Seq: rapid.Int64().Draw(t, "seq"), TimeMS: -1}}
				if changes(a, func() { a.SetQuestions(q) }) != changes(b, func() { b.SetQuestions(q) }) {
					t.Fatal("Ask differs")
				}
			default:
				m := mentions().Draw(t, "mention")
				before, _ := a.MarshalBinary()
				var ra, rb Ref
				ca := changes(a, func() { ra = a.LinkOrCreate(m, limit) })
				cb := changes(b, func() { rb = b.LinkOrCreate(m, limit) })
				if ra != rb || ca != cb {
					t.Fatalf("%+v %v, decoded %+v %v", ra, ca, rb, cb)
				}
				after, _ := a.MarshalBinary()
				if ca != !bytes.Equal(before, after) {
					t.Fatalf("changed is %v", ca)
				}
			}
		}
		da, _ := a.MarshalBinary()
		db, _ := b.MarshalBinary()
		if !bytes.Equal(da, db) {
			t.Fatal("equal states have different bytes")
		}
	})
}

// formerCall is a call as the version before the model of pairs encoded it: the agent Wendeline, whose label says so, the
// customer Dale Merrow, a phone number, Ottoline Merrow, and Brisco.
const formerCall = `a401826b504552534f4e5f4e414d456c50484f4e455f4e554d424552028204010385a5020104020601070108816977656e64656c696e65
a402010602070208826b64616c65206d6572726f776464616c65a401010203070108816a36303435353530313432a30201070308816f6f
74746f6c696e65206d6572726f77a30201070408816662726973636f0482a201656167656e740201a20168637573746f6d65720202`

// A call that began under the former version goes on with its numbers.
func TestFormerCallKeepsItsNumbers(t *testing.T) {
	data, err := hex.DecodeString(strings.ReplaceAll(formerCall, "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	c := NewCall()
	if err := c.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	agent, customer := c.Speaker("agent"), c.Speaker("customer")
	for i, next := range []struct {
		m    Mention
		want Ref
	}{
		{other(customer, person("wendeline")), Ref{"PERSON_NAME", 1, linking.SourceLabel}},
		{self(customer, person("dale merrow")), Ref{"PERSON_NAME", 2, linking.SourceSaid}},
		{other(agent, person("dale")), Ref{"PERSON_NAME", 2, linking.SourceSaid}},
		{code("PHONE_NUMBER", "6045550142"), Ref{"PHONE_NUMBER", 1, linking.SourceSaid}},
		{said(customer, person("ottoline")), Ref{"PERSON_NAME", 3, linking.SourceSaid}},
		{said(agent, person("brisco")), Ref{"PERSON_NAME", 4, linking.SourceSaid}},
		{said(agent, person("thaddeus quill")), Ref{"PERSON_NAME", 5, linking.SourceSaid}},
	} {
		next.m.Seq = int64(10 + i)
		if r := c.LinkOrCreate(next.m, 100); r != next.want {
			t.Errorf("mention %d is %v, want %v", i, r, next.want)
		}
	}
}

// changes reports whether f changes a call.
func changes(c *Call, f func()) bool {
	before := c.Changes()
	f()
	return c.Changes() != before
}

func TestEncodedStateIsSmall(t *testing.T) {
	c := NewCall()
	for i := range 10 {
		c.LinkOrCreate(person(fmt.Sprintf("first%d last%d", i, i)), 100)
		c.LinkOrCreate(code("PHONE_NUMBER", fmt.Sprint(6045550000+i)), 100)
	}
	data, err := c.MarshalBinary()
	if err != nil || len(data) > 800 {
		t.Errorf("20 entities take %d bytes, %v", len(data), err)
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	c := NewCall()
	c.Speaker("a")
	c.LinkOrCreate(person("jim halpert"), 10)
	c.LinkOrCreate(code("SSN", "078051120"), 10)
	c.SetQuestions([]Question{{Type: "SSN", Asker: 1}})
	c.SetDictation(Dictation{Entity: 2, Code: "0780"})
	c.Stage(Staged{Event: []byte("{}"), RecordPosition: RecordPosition{Utterances: 2, Offset: 1 << 40}})
	data, _ := c.MarshalBinary()
	f.Add(data)
	f.Add([]byte{0xa0})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		c := NewCall()
		if c.UnmarshalBinary(data) != nil {
			return
		}
		c.LinkOrCreate(person("jim"), 1000)
		c.Index().Word(wordhash.String("jim"))
		out, err := c.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := NewCall().UnmarshalBinary(out); err != nil {
			t.Fatal("the encoded state does not decode")
		}
	})
}
