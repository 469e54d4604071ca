package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sotto/anonymize/intake/mapping"
	"sotto/internal/lifecycle"
	"sotto/schemas"
)

// world is a partition whose events are written in the order of real time, by producers with clocks
// of their own. Times are in ms.
type world struct {
	t    *testing.T
	p    *Partition
	real int64
	// heard is when each call had its last event, by the real time.
	heard map[string]int64
	ended map[string]bool // by idleness
	// log has the records, for a replay, and fired which calls each of them ended.
	log   []logRecord
	fired []string
}

type logRecord struct {
	id   string
	time Time
}

const (
	second = 1000
	minute = 60 * second
	hour   = 60 * minute
)

func newWorld(t *testing.T, idle, grace int64) *world {
	lim := testLimits()
	lim.Limits = lifecycle.Limits{Idle: idle, Grace: grace, Open: 1 << 20}
	w := &world{t: t, p: New(0, lim), real: 1_700_000_000_000, heard: map[string]int64{}, ended: map[string]bool{}}
	w.p.Begin()
	return w
}

// say is an event of a call, by a clock that is behind by some time.
func (w *world) say(id string, behind int64) { w.put(id, Time{MS: w.real - behind}) }

func (w *world) put(id string, at Time) {
	w.log = append(w.log, logRecord{id, at})
	for _, f := range w.p.Advance(at, w.p.Call(id)) {
		w.fired = append(w.fired, fmt.Sprint(len(w.log), f.Call.ID, f.Expired))
		silent := w.real - w.heard[f.Call.ID]
		switch {
		case f.Expired:
		case silent < w.p.lim.Idle*3/4-second:
			w.t.Errorf("call %s ended although it was silent for %d ms only", f.Call.ID, silent)
		default:
			w.ended[f.Call.ID] = true
		}
	}
	if _, v := w.p.Admit(id, &schemas.RawEvent{CallID: id, Type: schemas.Utterance, TimestampMS: at.MS}); v != lifecycle.Opens {
		w.t.Errorf("an event of call %s is not processed: %v", id, v)
	}
	w.heard[id] = w.real
	w.p.Next++
}

// crash restores the partition from what is committed: a state of each call as of some transaction,
// the log, and the checkpoint.
func (w *world) crash(states map[string]Meta, checkpoint Checkpoint) {
	text := checkpoint.String()
	p := New(0, w.p.lim)
	for id, m := range states {
		p.restoreCall(&Call{Entry: lifecycle.Entry{ID: id}, Meta: m})
	}
	for i := p.ReplayFrom(w.p.Next); i < w.p.Next; i++ {
		r := w.log[i]
		p.Replay(r.id, i, r.time, &schemas.RawEvent{CallID: r.id, Type: schemas.Utterance, TimestampMS: r.time.MS}, mapping.Mark{}, false)
	}
	p.Ready(w.p.Next, ParseCheckpoint(&text))
	p.Begin()
	w.p = p
}

// A producer whose clock is an hour behind loses no call when one with the right clock comes back.
func TestAClockThatIsBehindEndsNoCall(t *testing.T) {
	w := newWorld(t, minute, 5*second)
	w.say("right", 0)
	for range 90 {
		for c := range 10 {
			w.say(fmt.Sprint("late", c), hour)
			w.real += 100
		}
	}
	w.say("right again", 0)
	for c := range 10 {
		if w.say(fmt.Sprint("late", c), hour); w.p.Call(fmt.Sprint("late", c)).Meta.Ended {
			t.Errorf("call late%d has ended", c)
		}
	}
}

// One event with the time of another day ends no call, whichever day it is.
func TestOneWrongTimeEndsNoCall(t *testing.T) {
	for _, behind := range []int64{-1000 * hour, -2 * hour, -16 * minute, 16 * minute, 2 * hour, 1000 * hour, 1 << 62, -1 << 62} {
		w := newWorld(t, 30*minute, 5*minute)
		for i := range 100 {
			w.say(fmt.Sprint("c", i%10), 0)
			w.real += second
		}
		w.put("wrong", Time{MS: w.real - behind})
		for i := range 100 {
			w.say(fmt.Sprint("c", i%10), 0)
			w.real += second
		}
		if len(w.ended) > 0 {
			t.Errorf("behind by %d ms: %d calls have ended", behind, len(w.ended))
		}
	}
}

// A producer that sends hours of events at once does not make the time of the others pass.
func TestAProducerThatCatchesUpEndsNoCall(t *testing.T) {
	w := newWorld(t, 30*minute, 5*minute)
	for i := range 100 {
		w.say(fmt.Sprint("c", i%10), 0)
		w.real += second
	}
	for i := range int64(14_400) { // four hours, in little more than a minute
		w.say("kept", 4*hour-i*second)
		if i%200 == 0 {
			w.say(fmt.Sprint("c", i%10), 0)
			w.real += second
		}
	}
	if len(w.ended) > 0 {
		t.Errorf("%d calls have ended", len(w.ended))
	}
}

// With LogAppendTime, the broker's time decides, whatever the events say.
func TestTheTimeOfTheBrokerDecides(t *testing.T) {
	w := newWorld(t, minute, 5*second)
	for _, c := range []string{"a", "b"} {
		w.put(c, Time{MS: w.real, Broker: true})
	}
	w.real += 50 * second
	w.put("b", Time{MS: w.real, Broker: true})
	w.real += 10 * second
	w.put("c", Time{MS: w.real, Broker: true})
	if !w.ended["a"] || w.ended["b"] {
		t.Errorf("after a minute without events, these calls have ended: %v", w.ended)
	}
	// A topic that gets another type of timestamps goes on.
	w.real += 30 * second
	w.say("b", hour)
	if w.ended["b"] {
		t.Error("a call has ended by the change")
	}
}

// Time that passes without events is in the checkpoint only. A restore must not take a call for
// idle because the log does not show it.
func TestARestoreAfterAQuietTimeEndsNoCall(t *testing.T) {
	w := newWorld(t, 30*minute, 5*minute)
	w.say("a", 0)
	state := map[string]Meta{"a": w.p.Written(w.p.Call("a"))}
	wait := func(d int64) {
		for range d / minute {
			w.real += minute
			if len(w.p.AdvanceIdle(minute)) > 0 {
				w.ended["a"] = true
			}
		}
	}
	wait(25 * minute)
	w.say("a", 0)
	w.p.Commit()
	w.crash(state, w.p.Checkpoint())
	if wait(29 * minute); w.ended["a"] {
		t.Error("the call has ended early")
	}
	if wait(30 * minute); !w.ended["a"] {
		t.Error("the call has not ended")
	}
}

// Nor does a clock that is silent then hold up time afterwards.
func TestAQuietTimePassesForAllClocks(t *testing.T) {
	w := newWorld(t, 30*minute, 5*minute)
	w.say("behind", hour)
	w.say("right", 0)
	w.real += 24 * minute
	w.p.AdvanceIdle(24 * minute)
	for range 42 {
		w.real += 10 * second
		w.say("right", 0)
	}
	if !w.ended["behind"] {
		t.Error("a call without events for 31 minutes has not ended")
	}
}

// Producers with any clocks: no call ends that had events, every call that has none ends, and a
// restart changes nothing.
func TestProducersWithAnyClocks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		var behind []int64
		for range rapid.IntRange(1, 6).Draw(rt, "clocks") {
			behind = append(behind, rapid.Int64Range(-24, 24).Draw(rt, "hours behind")*hour)
		}
		const idle = 10 * minute
		play := func(restart bool) *world {
			rnd, restarts := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
			w := newWorld(t, idle, minute)
			states := map[string]Meta{}
			begin := w.real
			w.say("silent", behind[0])
			for w.real < begin+hour {
				if w.real += int64(rnd.IntN(4 * second)); rnd.IntN(500) == 0 { // nobody speaks
					w.real += int64(rnd.IntN(int(idle / 5)))
				}
				// Sometimes only one producer is heard for a while.
				of := int((w.real-begin)/(5*minute)) % len(behind)
				if rnd.IntN(3) > 0 {
					of = rnd.IntN(len(behind))
				}
				call := fmt.Sprint(of, "-", (w.real-begin)/(4*minute), "-", rnd.IntN(3))
				w.say(call, behind[of]+int64(rnd.IntN(300)))
				if c := w.p.Call(call); rnd.IntN(20) == 0 {
					w.p.Touch(c)
					c.Write = true
				}
				if rnd.IntN(10) > 0 {
					continue
				}
				for _, touched := range w.p.Changed {
					c := touched.Call
					if c.Gone() {
						delete(states, c.ID)
					} else if c.Write {
						states[c.ID] = w.p.Written(c)
					}
				}
				checkpoint := w.p.Checkpoint()
				w.p.Commit()
				w.p.Begin()
				if restart && restarts.IntN(5) == 0 {
					w.crash(states, checkpoint)
				}
			}
			return w
		}
		quiet, restarted := play(false), play(true)
		if t.Failed() {
			rt.Fatalf("with seed %d and clocks %v", seed, behind)
		}
		if !quiet.ended["silent"] {
			rt.Fatalf("a call without events has not ended after an hour, with seed %d and clocks %v", seed, behind)
		}
		if !slices.Equal(quiet.fired, restarted.fired) {
			rt.Fatalf("restarts have changed what ends, with seed %d and clocks %v", seed, behind)
		}
	})
}
