package lifecycle

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"pgregory.net/rapid"
)

type call struct {
	Entry
	life Life
}

func (c *call) Lived() *Life { return &c.life }

// The timers know every call whose time can come, at its place, and no other.
func TestTimersKnowTheirCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := New[*call](Limits{Idle: 10, Grace: 5, Open: 4}, NewForgotten(2, Forever, nil), nil)
		suspended := map[*call]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := fmt.Sprint(rapid.IntRange(0, 6).Draw(t, "call"))
			c := table.Get(id)
			switch what := rapid.IntRange(0, 4).Draw(t, "step"); {
			case what == 0:
				for _, f := range table.Advance(table.Clock+rapid.Int64Range(0, 12).Draw(t, "time"), c) {
					if suspended[f.Call] {
						t.Fatal("the time of a suspended call passed")
					}
				}
				table.Commit()
			case c == nil:
				if table.Admit(id) == Opens {
					table.Open(&call{Entry: Entry{ID: id}})
				}
			case what == 1 && !suspended[c]:
				table.End(c)
			case what == 2:
				table.Suspend(c)
				suspended[c] = true
			case what == 3 && suspended[c]:
				table.Resume(c)
				delete(suspended, c)
			}
			for i, timer := range table.timers {
				if int(timer.call.timer) != i+1 || timer.call.gone || timer.at > table.deadline(&timer.call.life) {
					t.Fatalf("timer %d is not that of its call", i)
				}
			}
			for c := range table.All() {
				if (c.timer == 0) != suspended[c] {
					t.Fatal("a call has no timer, or one although it is suspended")
				}
			}
		}
	})
}

// An expired call is free at once, however often it was active before.
func TestAnExpiredCallIsFree(t *testing.T) {
	table := New[*call](Limits{Idle: 1000, Grace: 5}, NewForgotten(2, Forever, nil), nil)
	c := &call{Entry: Entry{ID: "a"}}
	freed := weak.Make(c)
	table.Open(c)
	for range 20 {
		table.Advance(table.Clock+1, c)
	}
	table.End(c)
	if fired := table.Advance(table.Clock+5, nil); len(fired) != 1 || !fired[0].Expired {
		t.Fatalf("fired %v", fired)
	}
	runtime.GC()
	if freed.Value() != nil {
		t.Error("the table keeps an expired call")
	}
	runtime.KeepAlive(table)
}

func TestLatestOnlyForgetsTheOldest(t *testing.T) {
	f := NewForgotten(2, LatestOnly, nil)
	for i := range 5 {
		f.add(fmt.Sprint(i))
		f.commit()
	}
	if f.Has("2") || !f.Has("3") || !f.Has("4") || len(f.latest) != 2 || f.older != nil {
		t.Errorf("%d calls are remembered", len(f.latest))
	}
}
