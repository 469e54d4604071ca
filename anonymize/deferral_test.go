package anonymize

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/schemas"
	"sotto/state"
)

// play passes the events of a call to an engine with hold-back. With failover, the state is encoded
// and decoded before each event. It returns the clean events as JSON, in the order in which they
// are released, and how many events each was deferred for.
func play(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, e *Engine, events []*schemas.RawEvent, failover bool) (out []string, waits []int) {
	c := NewConversation(e)
	apply := func(released []Released, now int) {
		for _, r := range released {
			clean := c.Apply(r).Clean
			if r.Event.Type == schemas.Utterance {
				checkClean(t, r.Event.Text, &clean)
			}
			v, _ := json.Marshal(clean)
			out = append(out, string(v))
			came := now
			if r.Deferred {
				came = int(r.Position.Utterances)
			}
			waits = append(waits, now-came)
		}
	}
	for i, ev := range events {
		before, err := c.Call().MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if failover {
			c = NewConversation(e)
			if err := c.Call().UnmarshalBinary(before); err != nil {
				t.Fatal(err)
			}
		}
		deferred := len(c.Call().Deferred())
		released, changed := c.Accept(e.Prepare(ev), state.RecordPosition{Utterances: int64(i)})
		if changed != (deferred > 0 || len(c.Call().Deferred()) > 0) {
			t.Fatal("changed is ", changed, " with ", deferred, " deferred events before and ", len(c.Call().Deferred()), " after")
		}
		apply(released, i)
	}
	released, _ := c.Release()
	apply(released, len(events))
	return out, waits
}

// With hold-back, too, every event is released once, in order, after no more events than it may be
// deferred for, and byte for byte the same whatever fails in between.
func TestDeferredEventsComeOutOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "hold back")
		e, err := New(Options{RawOffsets: true, HoldBack: n, HoldBackTime: time.Second, MaxEntities: 12})
		if err != nil {
			t.Fatal(err)
		}
		var all []*schemas.RawEvent
		for i := range rapid.IntRange(1, 25).Draw(t, "events") {
			ev := events().Draw(t, "event")
			ev.Seq = int64(i)
			all = append(all, ev)
		}
		out, waits := play(t, e, all, false)
		if len(out) != len(all) {
			t.Fatalf("%d events came out of %d", len(out), len(all))
		}
		for i := range out {
			if !strings.Contains(out[i], fmt.Sprintf(`"seq":%d,`, i)) {
				t.Fatalf("event %d is not at its place", i)
			}
			if waits[i] > n {
				t.Fatalf("event %d waited for %d others", i, waits[i])
			}
		}
		if again, _ := play(t, e, all, true); !slices.Equal(out, again) {
			t.Fatal("failovers change the outcome")
		}
	})
}

func TestHoldBackIsBounded(t *testing.T) {
	for _, o := range []Options{{HoldBack: -1, HoldBackTime: time.Second}, {HoldBack: state.MaxDeferred, HoldBackTime: time.Second}, {HoldBack: 1}} {
		if _, err := New(o); err == nil {
			t.Errorf("a hold-back of %d utterances or %v is accepted", o.HoldBack, o.HoldBackTime)
		}
	}
	c := NewConversation(newEngine(t, Options{HoldBack: state.MaxDeferred - 1, HoldBackTime: time.Second}))
	long := strings.Repeat("so ", state.MaxDeferredBytes/3) + "my card is four five"
	if out := c.Add(utterance(1, "Ann", long)); len(out) != 1 {
		t.Error("an utterance is deferred that is longer than all that may be deferred")
	}
	if out := c.Add(utterance(2, "Ann", "my card is four five")); len(out) != 0 {
		t.Fatal("the utterance is not deferred")
	}
	// There is no room for what follows: both are released, as if nothing more could come.
	out := c.Add(utterance(3, "Ann", "three "+strings.Repeat("two one ", state.MaxDeferredBytes/8)))
	if len(out) != 2 || len(c.Call().Deferred()) != 0 {
		t.Errorf("%d events come out", len(out))
	}
}

// An engine without hold-back releases what another one, with other settings, deferred.
func TestDeferredEventsAreReleasedWhenHoldBackIsTurnedOff(t *testing.T) {
	on, off := newEngine(t, Options{HoldBack: 2, HoldBackTime: time.Second}), newEngine(t, Options{})
	c := state.NewCall()
	Resume(on, c).Accept(on.Prepare(utterance(1, "Ann", "my card is four five")), state.RecordPosition{Offset: 7})
	released, changed := Resume(off, c).Accept(off.Prepare(utterance(2, "Ann", "three two one five")), state.RecordPosition{})
	if len(released) != 2 || !changed || !released[0].Deferred || released[0].Position.Offset != 7 || released[1].Deferred || len(c.Deferred()) > 0 {
		t.Errorf("%d events come out, changed %v", len(released), changed)
	}
	if on.Policy() == off.Policy() {
		t.Error("hold-back decides outcomes and does not show in the policy")
	}
}

// The event that ends a call is not deferred, and what was deferred comes before it.
func TestTheLastEventIsNotDeferred(t *testing.T) {
	e := newEngine(t, Options{HoldBack: 2, HoldBackTime: time.Second})
	c := NewConversation(e)
	c.Add(utterance(1, "Ann", "my card is four five"))
	released, changed := c.AcceptLast(e.Prepare(utterance(2, "Ann", "three two one five")))
	if len(released) != 2 || !changed || !released[0].Deferred || released[1].Deferred {
		t.Errorf("%d events come out, changed %v", len(released), changed)
	}
	if released, changed := c.AcceptLast(e.Prepare(utterance(3, "Ann", "my card is four five"))); len(released) != 1 || changed {
		t.Errorf("%d events come out, changed %v", len(released), changed)
	}
}

func TestDeferredEventsAreOverdueAfterTheirTime(t *testing.T) {
	e := newEngine(t, Options{HoldBack: 2, HoldBackTime: time.Second})
	c := NewConversation(e)
	if c.Overdue(1 << 40) {
		t.Error("no deferred event is overdue")
	}
	c.Accept(e.Prepare(utterance(1, "Ann", "my card is four five")), state.RecordPosition{Clock: 5000})
	c.Accept(e.Prepare(utterance(2, "Bob", "okay")), state.RecordPosition{Clock: 5900})
	if c.Overdue(5999) || !c.Overdue(6000) {
		t.Error("they are not overdue a second after the first of them came")
	}
	if out := c.Flush(); len(out) != 2 || c.Overdue(6000) || len(c.Call().Deferred()) != 0 {
		t.Errorf("%d events are released", len(out))
	}
}

// A span over several utterances is explained in each of them.
func TestASpanPartIsExplained(t *testing.T) {
	e := newEngine(t, Options{HoldBack: 2, HoldBackTime: time.Second})
	c := NewConversation(e)
	c.Add(utterance(1, "Ann", "my card is four five"))
	released, _ := c.Accept(e.Prepare(utterance(2, "Ann", "three two one five one one two eight three oh three six six")), state.RecordPosition{})
	if len(released) != 2 {
		t.Fatalf("%d events come out", len(released))
	}
	for i, r := range released {
		out := c.Explain(r)
		if x := out.Explanations; len(x) != 1 || x[0].Detector != "hold-back" || !strings.Contains(x[0].Evidence, "hotword") || x[0].Entity.ID != 1 {
			t.Errorf("event %d, %q: %+v", i, out.Clean.Text, x)
		}
	}
}

// Whatever state a call has and whatever comes next, every event is released once and clean, and
// nothing panics.
func FuzzDeferral(f *testing.F) {
	e, err := New(Options{RawOffsets: true, MaxEntities: 20, HoldBack: 2, HoldBackTime: time.Second})
	if err != nil {
		f.Fatal(err)
	}
	for i, s := range turns {
		f.Add([]byte{}, s, "Mark", turns[(i+1)%len(turns)], turns[(i+2)%len(turns)])
	}
	seed := NewConversation(e)
	seed.Add(utterance(1, "Ann", "my card is four five"))
	memory, _ := seed.Call().MarshalBinary()
	f.Add(memory, "three two one", "Ann", "five", "three two one")
	f.Fuzz(func(t *testing.T, memory []byte, first, label, second, form string) {
		for _, s := range []string{first, label, second, form} {
			if !utf8.ValidString(s) {
				t.Skip() // such records become dead letters
			}
		}
		c := NewConversation(e)
		if c.Call().UnmarshalBinary(memory) != nil {
			c = NewConversation(e)
		}
		for _, d := range c.Call().Deferred() {
			if ev, err := deferralCodec.DecodeRaw(d.Event); err != nil || ev.Interim() {
				t.Skip() // not what Accept writes
			}
		}
		due, out := len(c.Call().Deferred()), 0
		apply := func(released []Released, _ bool) {
			for _, r := range released {
				clean := c.Apply(r).Clean
				if r.Event.Type == schemas.Utterance {
					checkClean(t, r.Event.Text, &clean)
				}
				out++
			}
		}
		for i, text := range []string{first, second, first, second} {
			ev := utterance(int64(i), label, text)
			if i%2 == 0 {
				ev.Lexical = &form
			}
			apply(c.Accept(e.Prepare(ev), state.RecordPosition{}))
			due++
		}
		apply(c.Release())
		if out != due {
			t.Fatalf("%d events came out of %d", out, due)
		}
	})
}
