package state

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/wordhash"
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
			m.Part = Part(rapid.IntRange(0, 2).Draw(t, "part"))
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
		m.Speaker = SpeakerID(rapid.IntRange(0, 2).Draw(t, "speaker"))
		m.Self = rapid.Bool().Draw(t, "self")
		m.Other = !m.Self && rapid.Bool().Draw(t, "other")
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
				s := SpeakerID(rapid.IntRange(0, 2).Draw(t, "speaker"))
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
