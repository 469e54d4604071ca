package callgen

import (
	"reflect"
	"slices"
	"testing"

	"sotto/schemas"
)

func TestSameSeedSameCalls(t *testing.T) {
	a, b, c := New(Config{Seed: 7}), New(Config{Seed: 7}), New(Config{Seed: 8})
	// In another order on purpose.
	for _, n := range []int{3, 0, 2} {
		if !reflect.DeepEqual(a.Call(n), b.Call(n)) {
			t.Errorf("call %d differs between equal generators", n)
		}
	}
	if reflect.DeepEqual(a.Call(1).Events, c.Call(1).Events) {
		t.Error("different seeds give equal calls")
	}
}

func TestCallsAreWellFormed(t *testing.T) {
	g := New(Config{Seed: 1, Interim: 0.1})
	types, interim, own := map[string]int{}, 0, 0
	for n := range 2 * len(all()) {
		c := g.Call(n)
		for i, e := range c.Events {
			if e.CallID != c.ID || e.Seq != int64(i+1) {
				t.Fatalf("%s: event %d has call %s and seq %d", c.ID, i, e.CallID, e.Seq)
			}
			if i > 0 && e.TimestampMS < c.Events[i-1].TimestampMS {
				t.Fatalf("%s: time goes back at seq %d", c.ID, e.Seq)
			}
			if last := i == len(c.Events)-1; last != (e.Type == schemas.End) {
				t.Fatalf("%s: END is not the last event", c.ID)
			}
			if e.Type == schemas.Utterance && (e.Text == "" || e.Speaker == nil || e.Speaker.Role == schemas.RoleUnknown) {
				t.Fatalf("%s seq %d has no text or no speaker", e.CallID, e.Seq)
			}
			if e.Interim() {
				interim++
			}
			for _, s := range e.Gold {
				types[s.Type]++
				if s.OfSpeaker {
					own++
				}
			}
		}
	}
	for _, want := range []string{"PERSON_NAME", "ORGANIZATION_NAME", "PHONE_NUMBER", "EMAIL_ADDRESS", "CREDIT_CARD_NUMBER", "SSN",
		"STREET_ADDRESS", "DATE_OF_BIRTH", "GENERIC_ID", "USER_NAME", "LOCATION", "MEDICAL_TERM", "VEHICLE_IDENTIFICATION_NUMBER"} {
		if types[want] < 10 {
			t.Errorf("%s occurs %d times", want, types[want])
		}
	}
	if interim == 0 || own == 0 || own == types["ORGANIZATION_NAME"] {
		t.Errorf("%d interim hypotheses, %d of %d organizations are of a speaker", interim, own, types["ORGANIZATION_NAME"])
	}
	for _, w := range all() {
		if w.agent == "" || w.customer == "" || w.phone == "" || w.companies[0] == "" {
			t.Errorf("the header in line %d does not say who speaks", w.Line)
		}
	}
}

// Every mention of a person is marked with who that is, and nothing else is.
func TestEveryPersonIsMarked(t *testing.T) {
	for _, w := range all() {
		if w.people.ID != w.ID {
			t.Fatalf("people.jsonl:%d is about another call than the one in line %d of calls.txt", w.people.Line, w.Line)
		}
		if w.people.Speaker("AGENT") == "" || w.people.Speaker("CUSTOMER") == "" {
			t.Errorf("%s: who speaks is not marked", w.ID)
		}
		if err := w.people.Fit(&w.Conversation); err != nil {
			t.Fatal(err)
		}
		for i, u := range w.Utterances {
			var labelled, marked [][2]int
			for _, s := range u.Entities {
				if s.Type == "PERSON_NAME" {
					labelled = append(labelled, [2]int{s.Start, s.End})
				}
			}
			for _, m := range w.mentions[i] {
				marked = append(marked, [2]int{m.Start, m.End})
				if w.people.Persons[m.Person] == "" {
					t.Errorf("%s, utterance %d: the person %s has no name", w.ID, i+1, m.Person)
				}
			}
			if !slices.Equal(labelled, marked) {
				t.Errorf("%s, utterance %d: labels at %v, persons at %v", w.ID, i+1, labelled, marked)
			}
		}
	}
}

func TestStreamInterleavesInOrder(t *testing.T) {
	g := New(Config{Seed: 5})
	const calls = 30
	seen := map[string]int64{}
	var last, changes int64
	var lastCall string
	total := 0
	for e := range g.Events(10, calls, 6) {
		total++
		if e.TimestampMS < last {
			t.Fatal("time goes back")
		}
		last = e.TimestampMS
		if seen[e.CallID]+1 != e.Seq {
			t.Fatalf("%s: seq %d after %d", e.CallID, e.Seq, seen[e.CallID])
		}
		seen[e.CallID] = e.Seq
		if e.CallID != lastCall {
			changes++
		}
		lastCall = e.CallID
	}
	want := 0
	for n := range calls {
		c := g.Call(10 + n)
		want += len(c.Events)
		if seen[c.ID] != int64(len(c.Events)) {
			t.Errorf("%s: %d of %d events", c.ID, seen[c.ID], len(c.Events))
		}
	}
	if total != want {
		t.Errorf("%d events, want %d", total, want)
	}
	if int(changes) < total/2 {
		t.Errorf("calls hardly interleave: %d changes in %d events", changes, total)
	}
	for range g.Events(0, 5, 2) {
		break // an early stop must not panic
	}
}

func BenchmarkEvents(b *testing.B) {
	g := New(Config{Seed: 1})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for range g.Events(0, 2000, 500) {
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
