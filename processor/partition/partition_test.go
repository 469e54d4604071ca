package partition

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sotto/anonymize/intake/mapping"
	"sotto/internal/lifecycle"
	"sotto/schemas"
	"sotto/state"
)

func testLimits() Limits {
	return Limits{
		Limits: lifecycle.Limits{Idle: 1000, Grace: 300, Open: 5}, Closed: 8, Refresh: 10, Workers: 3,
		AuditRate:        func(string) float64 { return 0.5 },
		Draw:             func(id string) float64 { return float64(len(id)%2) * 0.9 },
		WallClock:        func() int64 { return 1 << 40 },
		OutputPartitions: func() OutputPartitions { return OutputPartitions{4, 4, 4} },
	}
}

// oracle is the literal reading of DESIGN Part 2, "Closing": it looks at every call at every event,
// keeps no heap and never undoes anything.
type oracle struct {
	lim    Limits
	clock  int64
	events int
	clocks []*heardClock
	calls  map[string]*Meta
	closed []string
}

// heardClock is a clock of producers. at is the number of the event by which it was heard last.
type heardClock struct {
	behind, said int64
	at           int
}

// pass moves the clock as the comment of passing says.
func (o *oracle) pass(t int64) {
	near := o.lim.Idle / 4
	o.events++
	if len(o.clocks) == 0 {
		o.clock = t
	}
	off := func(c *heardClock) int64 { return max(t+c.behind-o.clock, o.clock-t-c.behind) }
	slices.SortFunc(o.clocks, func(a, b *heardClock) int { return b.at - a.at })
	var own *heardClock
	for _, c := range o.clocks {
		if off(c) <= near && (own == nil || off(c) < off(own)) {
			own = c
		}
	}
	if own == nil {
		own = &heardClock{behind: o.clock - t, said: o.clock}
		o.clocks = append(o.clocks[:min(len(o.clocks), 15)], own)
	}
	limit := t + own.behind
	for _, c := range o.clocks {
		if c != own && o.events-c.at < 300 {
			limit = min(limit, c.said+near)
		}
	}
	o.clock = max(o.clock, limit)
	own.behind = min(own.behind, o.clock-t)
	own.said, own.at = max(own.said, t+own.behind), o.events
}

func (o *oracle) event(id string, ev *schemas.RawEvent) (what string) {
	o.pass(ev.TimestampMS)
	if c := o.calls[id]; c != nil && !c.Ended {
		c.Active = o.clock
	}
	var fired []string
	for _, k := range slices.Sorted(maps.Keys(o.calls)) {
		switch c := o.calls[k]; {
		case !c.Ended && c.Active+o.lim.Idle <= o.clock:
			fired = append(fired, fmt.Sprintf("idle %s %d", k, c.Utterances))
			c.Ended, c.EndedAt = true, o.clock
		case c.Ended && c.EndedAt+o.lim.Grace <= o.clock:
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
	case c == nil && len(o.calls) >= o.lim.Open:
		return what + "overflow"
	case c == nil:
		c = &Meta{Life: lifecycle.Life{Active: o.clock}}
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

func step(p *Partition, id string, ev *schemas.RawEvent) string {
	fired := p.Advance(Time{MS: ev.TimestampMS}, p.calls.Get(id))
	var names []string
	for _, d := range fired {
		if d.Expired {
			names = append(names, "over "+d.Call.ID)
		} else {
			names = append(names, fmt.Sprintf("idle %s %d", d.Call.ID, d.Call.Meta.Utterances))
		}
	}
	slices.SortFunc(names, func(a, b string) int { return compareIDs(a, b) })
	p.Next++
	if ev.Interim() {
		return fmt.Sprint(names) + " drop"
	}
	c, v := p.Admit(id, ev)
	switch v {
	case lifecycle.Late:
		return fmt.Sprint(names) + " late"
	case lifecycle.Full:
		return fmt.Sprint(names) + " overflow"
	}
	return fmt.Sprint(names) + fmt.Sprintf(" process %d", c.Meta.Utterances)
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
		lim.Closed = 100
		o := &oracle{lim: lim, calls: map[string]*Meta{}}
		p := New(0, lim)
		p.Begin()
		type logged struct {
			id string
			ev *schemas.RawEvent
		}
		var log []logged // as in the raw topic
		var want []string
		committed := 0
		// The content of the state topic and the committed offset.
		states := map[string]Meta{}
		var tombstones []string
		var checkpoint Checkpoint
		no := false
		n := rapid.IntRange(1, 120).Draw(t, "events")
		now := int64(1000)
		for i := range n {
			now += rapid.SampledFrom([]int64{0, 1, 50, 100, 150, 249, 250, 251, 1001}).Draw(t, "dt")
			ev := &schemas.RawEvent{
				Seq: int64(i), TimestampMS: now - rapid.SampledFrom([]int64{0, 0, 0, 100, 400, 5000, -300, -7200}).Draw(t, "behind"),
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
				p.Rollback()
				p.Begin()
			case "commit", "crash after commit":
				p.Refresh()
				for _, c := range p.Changed {
					if !c.Gone() && c.Write {
						states[c.ID] = p.Written(c.Call)
					}
				}
				for _, id := range p.Tombstones {
					delete(states, id)
					tombstones = append(tombstones, id)
				}
				p.Commit()
				restSome(t, p)
				p.Begin()
				at, committed, checkpoint = upTo, upTo, p.Checkpoint()
			}
			if end == "crash" || end == "crash after commit" {
				p = New(0, lim)
				for _, id := range tombstones {
					p.calls.Forgotten.Restore(id)
				}
				for id, m := range states {
					p.restoreCall(&Call{Entry: lifecycle.Entry{ID: id}, Meta: m, awake: &awake{memory: state.NewCall()}})
				}
				for i := p.ReplayFrom(int64(committed)); i < int64(committed); i++ {
					p.Replay(log[i].id, i, Time{MS: log[i].ev.TimestampMS}, log[i].ev, mapping.Mark{}, false)
				}
				p.Ready(int64(committed), checkpoint)
				p.Begin()
				at = committed
			}
		}
	})
}

// TestARestoreReadsBackABoundedNumber checks that states are refreshed: however
// long a call adds nothing to its state, a restore does not read back further than that and one
// transaction.
func TestARestoreReadsBackABoundedNumber(t *testing.T) {
	p := New(0, testLimits())
	p.Begin()
	for i := range 500 {
		step(p, fmt.Sprintf("c%d", i%3), &schemas.RawEvent{Type: schemas.Utterance, TimestampMS: 1})
		if i%7 == 0 {
			p.Refresh()
			for _, c := range p.Changed {
				if c.Write {
					p.Written(c.Call)
				}
			}
			p.Commit()
			p.Begin()
			if back := p.Next - p.ReplayFrom(p.Next); back > 10+7 {
				t.Fatalf("after %d records a restore would read back %d, want at most 17", i+1, back)
			}
		}
	}
}

func TestOpenCallsAreBounded(t *testing.T) {
	p := New(0, testLimits())
	p.Begin()
	for i := range 5 {
		step(p, fmt.Sprint(i), &schemas.RawEvent{Type: schemas.Utterance})
	}
	if _, v := p.Admit("one more", &schemas.RawEvent{Type: schemas.Utterance}); v != lifecycle.Full {
		t.Errorf("the sixth call of five was admitted: %v", v)
	}
	if _, v := p.Admit("0", &schemas.RawEvent{Type: schemas.Utterance}); v != lifecycle.Opens {
		t.Errorf("an open call was refused at the bound: %v", v)
	}
}

// A partition that is restored while a transaction is open has staged events that this transaction
// does not release. The commit must not forget them.
func TestACommitKeepsWhatItDidNotRelease(t *testing.T) {
	p := New(0, testLimits())
	memory := state.NewCall()
	if !memory.Stage(state.Staged{Event: []byte("{}")}) {
		t.Fatal("the event is not staged")
	}
	p.restoreCall(&Call{Entry: lifecycle.Entry{ID: "staged"}, Meta: Meta{Life: lifecycle.Life{Opened: 1, Active: 1}}, awake: &awake{memory: memory}})
	p.Ready(1, Checkpoint{Clock: 1})
	if len(p.Staged) != 1 {
		t.Fatalf("%d staged calls after the restore", len(p.Staged))
	}
	// Another call has an event in the transaction that was open already.
	p.Advance(Time{MS: 2}, nil)
	other, _ := p.Admit("other", &schemas.RawEvent{CallID: "other", Seq: 1, Type: schemas.Utterance, TimestampMS: 2})
	p.Touch(other)
	p.Commit()
	if len(p.Staged) != 1 || p.Staged[0].ID != "staged" {
		t.Fatalf("%d staged calls after the commit, want the one that was not released", len(p.Staged))
	}
	// The next one releases it.
	p.Begin()
	p.Touch(p.Staged[0])
	if err := p.Staged[0].Begin(p.Vault); err != nil {
		t.Fatal(err)
	}
	p.Staged[0].Pending = state.NewCall()
	p.Commit()
	if len(p.Staged) != 0 {
		t.Error("a call whose events were released is still staged")
	}
}

func TestOldestOpenCall(t *testing.T) {
	now := int64(1_000_000_000)
	lim := testLimits()
	lim.Limits, lim.WallClock = lifecycle.Limits{Idle: 600_000, Grace: 60_000, Open: 10}, func() int64 { return now }
	p := New(0, lim)
	hear := func(id string, at int64, kind schemas.EventType) {
		p.Begin()
		p.Advance(Time{MS: at}, p.Call(id))
		p.Admit(id, &schemas.RawEvent{CallID: id, Type: kind, Text: "hello", TimestampMS: at})
		p.Commit()
	}
	hear("a", now-50_000, schemas.Utterance)
	hear("b", now-20_000, schemas.Utterance)
	hear("a", now-10_000, schemas.Utterance)
	if _, oldest := p.Survey(); oldest != 40_000 {
		t.Errorf("oldest open call: %d ms", oldest)
	}
	hear("a", now-5_000, schemas.End)
	if _, oldest := p.Survey(); oldest != 15_000 {
		t.Errorf("after its end the next is the oldest: %d ms", oldest)
	}
}

// A state of a former release does not say how many partitions the topics of its outputs had: those that
// they have when it is restored hold from then on. What a state says stays.
func TestFormerStatesGoWhereTheTopicsAreNow(t *testing.T) {
	known := OutputPartitions{Clean: 2, Audit: 1}
	for _, c := range []struct{ saved, want OutputPartitions }{
		{OutputPartitions{}, OutputPartitions{4, 4, 4}}, {known, OutputPartitions{2, 1, 4}},
	} {
		var body bytes.Buffer
		if err := EncodeState(&body, Meta{Utterances: 1, OutputPartitions: c.saved}, state.NewCall(), Risk{}); err != nil {
			t.Fatal(err)
		}
		keys := testKeys(t)
		sealer, err := keys.Sealer("c")
		if err != nil {
			t.Fatal(err)
		}
		states, p := NewStates(1), New(0, testLimits())
		states.Add([]byte("c"), sealer.Seal(nil, body.Bytes()))
		if err := states.Open(keys, p); err != nil {
			t.Fatal(err)
		}
		if most := p.MostOutputPartitions(); most != c.saved {
			t.Errorf("the state says %v, not %v", most, c.saved)
		}
		p.Ready(1, Checkpoint{})
		if got := p.Call("c").Meta.OutputPartitions; got != c.want {
			t.Errorf("%v became %v, want %v", c.saved, got, c.want)
		}
	}
}
