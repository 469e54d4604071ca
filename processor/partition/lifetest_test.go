package partition

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"sotto/detectors"
	"sotto/internal/lifecycle"
	"sotto/internal/testkit/heap"
	"sotto/internal/testkit/lifetest"
	"sotto/schemas"
	"sotto/state"
)

// streamCalls are the calls of a partition whose transactions now abort before they commit.
type streamCalls struct {
	*Partition
	t *testing.T
}

func (s streamCalls) Event(id string) lifetest.Outcome { return s.event(id, schemas.Utterance) }
func (s streamCalls) End(id string) lifetest.Outcome   { return s.event(id, schemas.End) }

func (s streamCalls) event(id string, what schemas.EventType) (o lifetest.Outcome) {
	s.transact(func() {
		known := s.calls.Get(id) != nil
		s.Advance(Time{MS: s.calls.Clock}, s.calls.Get(id))
		switch _, v := s.Admit(id, &schemas.RawEvent{CallID: id, Type: what}); {
		case v == lifecycle.Late:
			o = lifetest.Late
		case v == lifecycle.Full:
			o = lifetest.Full
		case known:
			o = lifetest.Continues
		default:
			o = lifetest.Opens
		}
	})
	return o
}

// Len counts the calls that have a state.
func (s streamCalls) Len() int { return s.Size() }

func (s streamCalls) Pass(time int64) { s.transact(func() { s.AdvanceIdle(time) }) }

func (s streamCalls) transact(do func()) {
	s.Begin()
	do()
	s.Rollback()
	s.Begin()
	do()
	s.Commit()
}

func TestTheLifeOfACall(t *testing.T) {
	lim := testLimits()
	lim.Closed = 2
	lifetest.Run(t, lifetest.Limits{Idle: lim.Idle, Grace: lim.Grace, Open: lim.Open}, func(t *testing.T) lifetest.Calls {
		return streamCalls{New(0, lim), t}
	})
}

// Nothing of a partition refers to a call whose expiry is committed, however often its state was
// written.
func TestAnExpiredCallIsFree(t *testing.T) {
	lim := testLimits()
	lim.Refresh = 1 << 40
	p := New(0, lim)
	s := streamCalls{p, t}
	for range 3 {
		s.Event("a")
		s.Event("b") // a neighbour that stays
		if err := p.RestCalls(1); err != nil {
			t.Fatal(err)
		}
	}
	freed := weak.Make(p.calls.Get("a"))
	s.End("a")
	s.Pass(lim.Grace)
	runtime.GC()
	if freed.Value() != nil {
		t.Error("the partition keeps an expired call")
	}
	if p.calls.Get("b") == nil || p.aged.oldest != p.calls.Get("b") || p.aged.newest != p.calls.Get("b") {
		t.Error("the call beside it is lost")
	}
}

// Restored calls are in one piece of memory with others, which may live longer.
func TestNothingOfAnExpiredRestoredCallStays(t *testing.T) {
	lim := testLimits()
	p := New(0, lim)
	var room restoreRoom
	for _, id := range []string{"a", "b"} {
		c := room.call()
		*c = *talk(t, id)
		c.Meta.Active = 1
		p.restoreCall(c)
	}
	p.Ready(1, Checkpoint{Clock: 1})
	s := streamCalls{p, t}
	freed := weak.Make(p.calls.Get("a").awake)
	s.End("a")
	s.Pass(lim.Grace)
	runtime.GC()
	if freed.Value() != nil {
		t.Error("what the call learnt is still in memory")
	}
	runtime.KeepAlive(p)
}

// BenchmarkEndedCalls measures what is left of calls that have ended: within the grace period, and
// after it, when only the hash of each is remembered. Calls come and go at a steady rate; that they
// would be idle only much later must make no difference.
func BenchmarkEndedCalls(b *testing.B) {
	const calls = 50_000
	lim := testLimits()
	lim.Limits = lifecycle.Limits{Idle: 1 << 40, Grace: 1000, Open: 1 << 20}
	lim.Closed, lim.Refresh, lim.Awake, lim.Dormant = calls/5, 1<<40, 1<<20, 500
	for b.Loop() {
		before := heap.Live()
		p := New(0, lim)
		end := func(from, to int) {
			for n := from; n < to; n++ {
				id := fmt.Sprint("call-", n)
				p.Begin()
				for i, what := range []schemas.EventType{schemas.Utterance, schemas.Utterance, schemas.End} {
					p.AdvanceIdle(int64(i / 2))
					c, v := p.Admit(id, &schemas.RawEvent{CallID: id, Type: what})
					if v != lifecycle.Opens || c.Begin(p.Vault) != nil {
						b.Fatal("a call is refused")
					}
					for k := range 10 {
						c.Pending.LinkOrCreate(state.Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{fmt.Sprint("name", n, k)}}, 10)
					}
				}
				p.Commit()
				if err := p.RestCalls(10); err != nil {
					b.Fatal(err)
				}
			}
		}
		end(0, calls)
		b.ReportMetric(float64(heap.Live()-before)/float64(p.Size()), "heap-bytes/call-in-grace")
		p.Begin()
		p.AdvanceIdle(lim.Grace)
		p.Commit()
		if p.Size() != 0 {
			b.Fatalf("%d calls are left", p.Size())
		}
		b.ReportMetric(float64(heap.Live()-before)/calls, "heap-bytes/expired-call")
		runtime.KeepAlive(p)
	}
}
