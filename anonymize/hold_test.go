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

// converseHolding is converse with hold-back.
func converseHolding(t testing.TB, e *Engine, text string) string {
	t.Helper()
	c := state.NewCall()
	var out []string
	apply := func(ready []Ready) {
		for _, r := range ready {
			clean, _ := e.Apply(c, r.Prepared)
			out = append(out, FormatText(&clean))
		}
	}
	if err := ReadText(strings.NewReader(text), func(ev *schemas.RawEvent) error {
		ready, _ := e.Hold(c, e.Prepare(ev), state.RecordPosition{})
		apply(ready)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	apply(e.Release(c))
	if len(c.Deferred()) > 0 {
		t.Error("something is held after the end")
	}
	return strings.Join(out, "\n")
}

// play gives a call's events to an engine with hold-back. With failover the
// memory is encoded and decoded before each of them. It returns the clean events
// as JSON, in the order in which they come out, and how many events each waited
// for.
func play(t interface{ Fatal(...any) }, e *Engine, events []*schemas.RawEvent, failover bool) (out []string, waits []int) {
	c := state.NewCall()
	apply := func(ready []Ready, now int) {
		for _, r := range ready {
			clean, _ := e.Apply(c, r.Prepared)
			if r.Event.Type == schemas.Utterance {
				checkClean(t.(interface{ Fatalf(string, ...any) }), r.Event.Text, &clean)
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
		before, err := c.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if failover {
			c = state.NewCall()
			if err := c.UnmarshalBinary(before); err != nil {
				t.Fatal(err)
			}
		}
		held := len(c.Deferred())
		ready, changed := e.Hold(c, e.Prepare(ev), state.RecordPosition{Utterances: int64(i)})
		if changed != (held > 0 || len(c.Deferred()) > 0) {
			t.Fatal("changed is ", changed, " with ", held, " events held before and ", len(c.Deferred()), " after")
		}
		apply(ready, i)
	}
	apply(e.Release(c), len(events))
	return out, waits
}

// With hold-back, too, every event comes out once, in the order in which they
// came, after no more events than it may wait for, and byte for byte the same
// whatever fails in between.
func TestWhatIsHeldComesOutOnceAndInOrder(t *testing.T) {
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
	e := newEngine(t, Options{HoldBack: state.MaxDeferred - 1, HoldBackTime: time.Second})
	c := state.NewCall()
	long := strings.Repeat("so ", state.MaxDeferredBytes/3) + "my card is four five"
	if ready, changed := e.Hold(c, e.Prepare(utterance(1, "Ann", long)), state.RecordPosition{}); len(ready) != 1 || changed {
		t.Error("an utterance is held that is longer than all that may be held")
	}
	if ready, _ := e.Hold(c, e.Prepare(utterance(2, "Ann", "my card is four five")), state.RecordPosition{}); len(ready) != 0 {
		t.Fatal("the utterance does not wait")
	}
	// What follows does not fit beside it: both go, as if nothing more could come.
	ready, changed := e.Hold(c, e.Prepare(utterance(3, "Ann", "three "+strings.Repeat("two one ", state.MaxDeferredBytes/8))), state.RecordPosition{})
	if len(ready) != 2 || !changed || len(c.Deferred()) != 0 {
		t.Errorf("%d events come out", len(ready))
	}
}

// An engine without hold-back lets go what another one, by other settings, held.
func TestWhatIsHeldIsLetGoWhenHoldBackIsTurnedOff(t *testing.T) {
	on, off := newEngine(t, Options{HoldBack: 2, HoldBackTime: time.Second}), newEngine(t, Options{})
	c := state.NewCall()
	if off.Holds(c) || !on.Holds(c) {
		t.Error("hold-back is not on or off as it should be")
	}
	on.Hold(c, on.Prepare(utterance(1, "Ann", "my card is four five")), state.RecordPosition{Offset: 7})
	if !off.Holds(c) {
		t.Fatal("nothing tells that an event waits")
	}
	ready, changed := off.Hold(c, off.Prepare(utterance(2, "Ann", "three two one five")), state.RecordPosition{})
	if len(ready) != 2 || !changed || !ready[0].Deferred || ready[0].Position.Offset != 7 || ready[1].Deferred || off.Holds(c) {
		t.Errorf("%d events come out, changed %v", len(ready), changed)
	}
	if on.Policy() == off.Policy() {
		t.Error("hold-back decides outcomes and does not show in the policy")
	}
}

func TestWhatIsHeldIsOverdueAfterItsTime(t *testing.T) {
	e := newEngine(t, Options{HoldBack: 2, HoldBackTime: time.Second})
	c := state.NewCall()
	if e.Overdue(c, 1<<40) {
		t.Error("nothing is overdue")
	}
	e.Hold(c, e.Prepare(utterance(1, "Ann", "my card is four five")), state.RecordPosition{Clock: 5000})
	e.Hold(c, e.Prepare(utterance(2, "Bob", "okay")), state.RecordPosition{Clock: 5900})
	if e.Overdue(c, 5999) || !e.Overdue(c, 6000) {
		t.Error("it is not overdue a second after the first event came")
	}
	if ready := e.Release(c); len(ready) != 2 || e.Overdue(c, 6000) || len(c.Deferred()) != 0 {
		t.Errorf("%d events are let go", len(ready))
	}
}

// What spans several utterances is explained as what it is.
func TestAShareIsExplained(t *testing.T) {
	e := newEngine(t, Options{HoldBack: 2, HoldBackTime: time.Second})
	c := state.NewCall()
	e.Hold(c, e.Prepare(utterance(1, "Ann", "my card is four five")), state.RecordPosition{})
	ready, _ := e.Hold(c, e.Prepare(utterance(2, "Ann", "three two one five one one two eight three oh three six six")), state.RecordPosition{})
	for i, r := range ready {
		clean, x := e.Explain(c, r.Prepared)
		if len(x) != 1 || x[0].Detector != "hold-back" || !strings.Contains(x[0].Evidence, "hotword") || x[0].Entity.ID != 1 {
			t.Errorf("event %d, %q: %+v", i, clean.Text, x)
		}
	}
}

// Whatever a memory holds and whatever comes, every event comes out once and
// clean, and nothing panics.
func FuzzHold(f *testing.F) {
	e, err := New(Options{RawOffsets: true, MaxEntities: 20, HoldBack: 2, HoldBackTime: time.Second})
	if err != nil {
		f.Fatal(err)
	}
	for i, s := range turns {
		f.Add([]byte{}, s, "Mark", turns[(i+1)%len(turns)], turns[(i+2)%len(turns)])
	}
	c := state.NewCall()
	e.Hold(c, e.Prepare(utterance(1, "Ann", "my card is four five")), state.RecordPosition{})
	memory, _ := c.MarshalBinary()
	f.Add(memory, "three two one", "Ann", "five", "three two one")
	f.Fuzz(func(t *testing.T, memory []byte, first, label, second, form string) {
		for _, s := range []string{first, label, second, form} {
			if !utf8.ValidString(s) {
				t.Skip() // such records become dead letters
			}
		}
		c := state.NewCall()
		if c.UnmarshalBinary(memory) != nil {
			c = state.NewCall()
		}
		for _, h := range c.Deferred() {
			if ev, err := heldCodec.DecodeRaw(h.Event); err != nil || ev.Interim() {
				t.Skip() // not what Hold writes
			}
		}
		due, out := len(c.Deferred()), 0
		apply := func(ready []Ready) {
			for _, r := range ready {
				clean, _ := e.Apply(c, r.Prepared)
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
			ready, _ := e.Hold(c, e.Prepare(ev), state.RecordPosition{})
			apply(ready)
			due++
		}
		apply(e.Release(c))
		if out != due {
			t.Fatalf("%d events came out of %d", out, due)
		}
	})
}
