package processor

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sotto/config"
	"sotto/schemas"
	"sotto/state"
)

func testLimits() limits {
	return limits{
		idle: 1000, grace: 300, open: 5, closed: 8, refresh: 10, futureSkew: 1 << 40, workers: 3,
		auditRates: config.ByContext{Other: 0.5},
		draw:       func(id string) float64 { return float64(len(id)%2) * 0.9 },
		wallClock:  func() int64 { return 1 << 40 },
	}
}

// oracle is the literal reading of DESIGN Part 2, "Closing": it looks at every call at every event,
// keeps no heap and never undoes anything.
type oracle struct {
	lim    limits
	clock  int64
	calls  map[string]*callMeta
	closed []string
}

func (o *oracle) event(id string, ev *schemas.RawEvent) (what string) {
	o.clock = max(o.clock, ev.TimestampMS)
	if c := o.calls[id]; c != nil && !c.Ended {
		c.Active = o.clock
	}
	var fired []string
	for _, k := range slices.Sorted(maps.Keys(o.calls)) {
		switch c := o.calls[k]; {
		case !c.Ended && c.Active+o.lim.idle <= o.clock:
			fired = append(fired, fmt.Sprintf("idle %s %d", k, c.Utterances))
			c.Ended, c.EndedAt = true, o.clock
		case c.Ended && c.EndedAt+o.lim.grace <= o.clock:
			fired = append(fired, "over "+k)
			delete(o.calls, k)
			if !slices.Contains(o.closed, k) {
				o.closed = append(o.closed, k)
			}
		}
	}
	what = fmt.Sprint(fired) + " "
	c := o.calls[id]
	switch {
	case ev.Interim():
		return what + "drop"
	case c == nil && slices.Contains(o.closed, id):
		return what + "late"
	case c == nil && len(o.calls) >= o.lim.open:
		return what + "overflow"
	case c == nil:
		c = &callMeta{Active: o.clock}
		o.calls[id] = c
	}
	if ev.Type == schemas.Utterance {
		c.Utterances++
	}
	if !c.Ended {
		c.Active = o.clock
	}
	if ev.Type == schemas.End && !c.Ended {
		c.Ended, c.EndedAt = true, o.clock
	}
	return what + fmt.Sprintf("process %d", c.Utterances)
}

func step(p *partition, id string, ev *schemas.RawEvent) string {
	fired := p.advance(ev.TimestampMS, p.calls[id])
	var names []string
	for _, d := range fired {
		if d.what == timerGrace {
			names = append(names, "over "+d.call.id)
		} else {
			names = append(names, fmt.Sprintf("idle %s %d", d.call.id, d.call.meta.Utterances))
		}
	}
	slices.SortFunc(names, func(a, b string) int { return compareIDs(a, b) })
	c, v := p.admit(id, ev)
	p.next++
	switch v {
	case drop:
		return fmt.Sprint(names) + " drop"
	case late:
		return fmt.Sprint(names) + " late"
	case overflow:
		return fmt.Sprint(names) + " overflow"
	}
	return fmt.Sprint(names) + fmt.Sprintf(" process %d", c.meta.Utterances)
}

// compareIDs orders "idle x" and "over x" by x, as the oracle does.
func compareIDs(a, b string) int {
	var wa, wb, ia, ib string
	fmt.Sscan(a, &wa, &ia)
	fmt.Sscan(b, &wb, &ib)
	return cmpString(ia, ib)
}

func cmpString(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// TestPartitionFollowsTheOracle plays random events with commits, rollbacks and restores in
// between. The partition must decide as a plain serial reading does, whatever was undone or lost in
// between.
func TestPartitionFollowsTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lim := testLimits()
		lim.closed = 100
		o := &oracle{lim: lim, calls: map[string]*callMeta{}}
		p := newPartition(0, lim)
		p.begin()
		type logged struct {
			id string
			ev *schemas.RawEvent
		}
		var log []logged // as in the raw topic
		var want []string
		committed := 0
		// The content of the state topic and the committed offset.
		states := map[string]callMeta{}
		var tombstones []string
		clock := int64(0)
		no := false
		n := rapid.IntRange(1, 120).Draw(t, "events")
		now := int64(1000)
		for i := range n {
			now += rapid.SampledFrom([]int64{0, 1, 50, 299, 300, 301, 700, 1001}).Draw(t, "dt")
			ev := &schemas.RawEvent{
				Seq: int64(i), TimestampMS: now - rapid.SampledFrom([]int64{0, 0, 0, 400, 5000}).Draw(t, "behind"),
				Type: rapid.SampledFrom([]schemas.EventType{schemas.Utterance, schemas.Utterance, schemas.Start, schemas.End}).Draw(t, "type"),
			}
			if rapid.IntRange(0, 9).Draw(t, "interim") == 0 {
				ev.Final = &no
			}
			id := fmt.Sprintf("c%d", rapid.IntRange(0, 9).Draw(t, "id"))
			log = append(log, logged{id, ev})
			want = append(want, o.event(id, ev))
		}
		for at := 0; at < n; {
			upTo := min(n, at+rapid.IntRange(1, 15).Draw(t, "transaction"))
			for i := at; i < upTo; i++ {
				if got := step(p, log[i].id, log[i].ev); got != want[i] {
					t.Fatalf("event %d: got %q, want %q", i, got, want[i])
				}
			}
			end := rapid.SampledFrom([]string{"commit", "commit", "abort", "crash", "crash after commit"}).Draw(t, "end")
			switch end {
			case "abort":
				p.rollback()
				p.begin()
			case "commit", "crash after commit":
				p.refresh()
				for _, c := range p.touched {
					if !c.gone && c.write {
						states[c.id] = p.written(c.call)
					}
				}
				for _, id := range p.tombstones {
					delete(states, id)
					tombstones = append(tombstones, id)
				}
				p.commit()
				restSome(t, p)
				p.begin()
				at, committed, clock = upTo, upTo, p.clock
			}
			if end == "crash" || end == "crash after commit" {
				p = newPartition(0, lim)
				for _, id := range tombstones {
					p.restoreTombstone(id)
				}
				for id, m := range states {
					p.restoreCall(&call{id: id, meta: m, awake: &awake{memory: state.NewCall()}})
				}
				for i := p.replayFrom(int64(committed)); i < int64(committed); i++ {
					p.replay(log[i].id, i, log[i].ev, false)
				}
				p.ready(int64(committed), clock)
				p.begin()
				at = committed
			}
		}
	})
}

// TestARestoreReadsBackABoundedNumber checks the promise of SOTTO_STATE_REFRESH_RECORDS: however
// long a call adds nothing to its state, a restore does not read back further than that and one
// transaction.
func TestARestoreReadsBackABoundedNumber(t *testing.T) {
	p := newPartition(0, testLimits())
	p.begin()
	for i := range 500 {
		step(p, fmt.Sprintf("c%d", i%3), &schemas.RawEvent{Type: schemas.Utterance, TimestampMS: 1})
		if i%7 == 0 {
			p.refresh()
			for _, c := range p.touched {
				if c.write {
					p.written(c.call)
				}
			}
			p.commit()
			p.begin()
			if back := p.next - p.replayFrom(p.next); back > 10+7 {
				t.Fatalf("after %d records a restore would read back %d, want at most 17", i+1, back)
			}
		}
	}
}

func TestOpenCallsAreBounded(t *testing.T) {
	p := newPartition(0, testLimits())
	p.begin()
	for i := range 5 {
		step(p, fmt.Sprint(i), &schemas.RawEvent{Type: schemas.Utterance})
	}
	if _, v := p.admit("one more", &schemas.RawEvent{Type: schemas.Utterance}); v != overflow {
		t.Errorf("the sixth call of five was admitted: %v", v)
	}
	if _, v := p.admit("0", &schemas.RawEvent{Type: schemas.Utterance}); v != process {
		t.Errorf("an open call was refused at the bound: %v", v)
	}
}

func TestAClockFromTheFutureIsClamped(t *testing.T) {
	lim := testLimits()
	lim.wallClock = func() int64 { return 10_000 }
	lim.futureSkew = 100
	p := newPartition(0, lim)
	p.begin()
	step(p, "a", &schemas.RawEvent{Type: schemas.Utterance, TimestampMS: 9_900})
	step(p, "b", &schemas.RawEvent{Type: schemas.Utterance, TimestampMS: 9_999_999})
	if p.clock != 10_100 {
		t.Errorf("clock is %d, want the wall clock plus the skew, 10100", p.clock)
	}
	if p.calls["a"].meta.Ended {
		t.Error("an event from the future closed another call")
	}
}

func TestExpiredCallsAreUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newExpiredCalls(rapid.IntRange(1, 6).Draw(t, "bound"), 0, func() int64 { return 0 })
		model, committed := map[string]bool{}, map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s.commit()
				committed = maps.Clone(model)
			case 1:
				s.rollback()
				model = maps.Clone(committed)
			default:
				id := fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "id"))
				s.add(id)
				model[id] = true
			}
			for i := range 13 {
				if id := fmt.Sprint(i); s.has(id) != model[id] {
					t.Fatalf("has(%s) is %v, the model has %v", id, s.has(id), model)
				}
			}
		}
	})
}

// A call is remembered for the retention, and not much longer.
func TestExpiredCallsAreRememberedForTheRetention(t *testing.T) {
	const retention = 1000
	now := int64(1)
	s := newExpiredCalls(3, retention, func() int64 { return now })
	const calls = 20_000 // enough to merge the hashes several times
	since := map[string]int64{}
	for i := range calls {
		now++
		id := fmt.Sprint(i)
		since[id] = now
		s.add(id)
		s.commit()
		if i%1000 != 0 {
			continue
		}
		for id, at := range since {
			if now-at <= retention && !s.has(id) {
				t.Fatalf("a call is forgotten %d ms after it expired, want at least %d", now-at, retention)
			}
		}
	}
	held := len(s.latest)
	for _, g := range s.older {
		held += len(g.calls.sorted) + len(g.calls.recent)
	}
	if held > 2*retention {
		t.Errorf("%d of %d calls are remembered, want at most twice the %d of the retention", held, calls, retention)
	}
}

func TestHashSet(t *testing.T) {
	var s hashSet
	for i := range uint64(50_000) {
		s.add(i * 2_654_435_761 % 1_000_003)
	}
	for i := range uint64(50_000) {
		if h := i * 2_654_435_761 % 1_000_003; !s.has(h) {
			t.Fatalf("hash %d is missing", h)
		}
	}
	if !slices.IsSorted(s.sorted) || s.has(1_000_003) {
		t.Error("the set holds what was not added, or is not sorted")
	}
	if n := len(s.recent); n > len(s.sorted)/10 {
		t.Errorf("%d of %d hashes are not compact", n, 50_000)
	}
}

// A partition that is restored while a transaction is open has staged events that this transaction
// does not release. The commit must not forget them.
func TestACommitKeepsWhatItDidNotRelease(t *testing.T) {
	p := newPartition(0, testLimits())
	memory := state.NewCall()
	if !memory.Stage(state.Deferred{Event: []byte("{}")}) {
		t.Fatal("the event is not staged")
	}
	p.restoreCall(&call{id: "staged", meta: callMeta{Opened: 1, Active: 1}, awake: &awake{memory: memory}})
	p.ready(1, 1)
	if len(p.staged) != 1 {
		t.Fatalf("%d staged calls after the restore", len(p.staged))
	}
	// Another call has an event in the transaction that was open already.
	p.advance(2, nil)
	other, _ := p.admit("other", &schemas.RawEvent{CallID: "other", Seq: 1, Type: schemas.Utterance, TimestampMS: 2})
	p.touch(other)
	p.commit()
	if len(p.staged) != 1 || p.staged[0].id != "staged" {
		t.Fatalf("%d staged calls after the commit, want the one that was not released", len(p.staged))
	}
	// The next one releases it.
	p.begin()
	p.touch(p.staged[0])
	if err := p.staged[0].begin(p.vault); err != nil {
		t.Fatal(err)
	}
	p.staged[0].pending = state.NewCall()
	p.commit()
	if len(p.staged) != 0 {
		t.Error("a call whose events were released is still staged")
	}
}
