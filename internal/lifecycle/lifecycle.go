// Package lifecycle is the life of calls, for whoever keeps a state per call: the stream, the HTTP
// service and the files.
//
// A call opens with its first event. It ends with its END, or when it has been idle for too long.
// Its state stays for a grace period, so that late events continue its numbers. Then it expires:
// its state goes, and only a hash of its ID is remembered.
//
// Invariants:
//   - An expired call never opens again, as long as its hash is remembered: its numbers would
//     restart.
//   - A Table has no clock of its own. What it does depends on the order of its methods and on the
//     times that it is given, so the same events give the same lives. Calls whose timers fire at once
//     end and expire in the order of their deadlines, and then of their IDs.
//   - A Table refers to no call that has expired, so that its memory is free at once.
//
// A caller whose work may be undone saves the Life of a call when New's changing is called, and
// restores it before Undo. All methods are for one goroutine at a time.
package lifecycle

import (
	"cmp"
	"container/heap"
	"iter"
	"maps"
	"math"
	"slices"
)

// Life is where a call is in its life. All times are those of the clock of its Table, and part of
// the sealed state of the stream, under these keys.
type Life struct {
	// Active is when the call was last active.
	Active  int64 `cbor:"6,keyasint"`
	Ended   bool  `cbor:"7,keyasint,omitempty"`
	EndedAt int64 `cbor:"8,keyasint,omitempty"`
	// Opened is 0 in the states of early versions.
	Opened int64 `cbor:"11,keyasint,omitempty"`
}

// Entry is what a Table keeps in each of its calls, which embed it.
type Entry struct {
	ID string
	// timer is the place of the call's timer plus 1, 0 for none.
	timer int32
	gone  bool
}

// Gone reports whether the call has left its Table.
func (e *Entry) Gone() bool { return e.gone }

func (e *Entry) entry() *Entry { return e }

// Living is a pointer to a struct that embeds Entry.
type Living interface {
	comparable
	Lived() *Life
	entry() *Entry
}

// Limits bound the lives of calls, on the clock of the Table.
type Limits struct {
	// Idle is the idle timeout: how long a call may be without events, 0 for ever.
	Idle int64
	// Grace is how long the state of a call stays after its end.
	Grace int64
	// Open bounds the calls at once, those in their grace period included; 0: they are not bounded.
	Open int
}

// Table has the calls that are alive.
type Table[C Living] struct {
	// Clock is the time. It may be set while no call is due before it.
	Clock     int64
	Limits    Limits
	Forgotten *Forgotten
	// changing, unless nil, is called before the life of a call changes.
	changing func(C)
	calls    map[string]C
	timers   timers[C]
}

// New returns a Table without calls. changing, unless nil, is called before the life of a call
// changes.
func New[C Living](l Limits, forgotten *Forgotten, changing func(C)) *Table[C] {
	return &Table[C]{Limits: l, Forgotten: forgotten, changing: changing, calls: map[string]C{}}
}

// Len counts the calls.
func (t *Table[C]) Len() int { return len(t.calls) }

// All returns the calls, in no order.
func (t *Table[C]) All() iter.Seq[C] { return maps.Values(t.calls) }

// Get returns a call, the zero value if it is not alive.
func (t *Table[C]) Get(id string) C { return t.calls[id] }

// Admission is what may become of an event of a call that is not alive.
type Admission uint8

const (
	// Opens: it opens the call.
	Opens Admission = iota
	// Late: the call has expired.
	Late
	// Full: it would be one call too many.
	Full
)

// Admit says what may become of an event of a call that is not alive.
func (t *Table[C]) Admit(id string) Admission {
	switch {
	case t.Forgotten.Has(id):
		return Late
	case t.Limits.Open > 0 && len(t.calls) >= t.Limits.Open:
		return Full
	}
	return Opens
}

// Open adds a call that begins now.
func (t *Table[C]) Open(c C) {
	l := c.Lived()
	l.Active, l.Opened = t.Clock, t.Clock
	t.Restore(c)
	t.schedule(c)
}

// Restore adds a call with the Life that it has. Its time stands still until Start.
func (t *Table[C]) Restore(c C) { t.calls[c.entry().ID] = c }

// Grow makes room for so many calls, in a Table without calls.
func (t *Table[C]) Grow(calls int) { t.calls = make(map[string]C, calls) }

// Start begins the time of all calls.
func (t *Table[C]) Start() {
	t.timers = slices.Grow(t.timers[:0], len(t.calls))
	for _, c := range t.calls {
		if at := t.deadline(c.Lived()); at < math.MaxInt64 {
			t.timers = append(t.timers, timer[C]{at, c})
			c.entry().timer = int32(len(t.timers))
		}
	}
	heap.Init(&t.timers)
}

// Seen notes that a call is active, unless it has ended.
func (t *Table[C]) Seen(c C) {
	if l := c.Lived(); !l.Ended {
		t.change(c)
		l.Active = t.Clock // its timer notices when it fires
	}
}

// End ends a call. Once it has ended, that changes nothing.
func (t *Table[C]) End(c C) {
	l := c.Lived()
	if l.Ended {
		return
	}
	t.change(c)
	l.Ended, l.EndedAt = true, t.Clock
	t.schedule(c)
}

// Fired is a call whose idle timeout or grace period has passed.
type Fired[C Living] struct {
	Call C
	// Expired reports that its grace period has passed. Otherwise it was idle, and has ended now.
	Expired bool
}

// Advance sets the clock. Then calls whose idle timeout has passed end, and calls whose grace
// period has passed expire. A call that ends here does not expire before the next Advance, even
// without a grace period. Before all that, the call active, unless it is the zero value, is Seen at
// the new time, so that its idle timeout starts again.
func (t *Table[C]) Advance(clock int64, active C) []Fired[C] {
	t.Clock = clock
	var none C
	if active != none {
		t.Seen(active)
	}
	var fired []Fired[C]
	for len(t.timers) > 0 && t.timers[0].at <= clock {
		c := t.timers[0].call
		if at := t.deadline(c.Lived()); at > clock {
			t.timers[0].at = at
			heap.Fix(&t.timers, 0)
			continue
		}
		t.unschedule(c)
		fired = append(fired, Fired[C]{c, c.Lived().Ended})
	}
	// Timers move lazily, so the order of the heap depends on history.
	slices.SortFunc(fired, func(a, b Fired[C]) int {
		return cmp.Or(cmp.Compare(t.deadline(a.Call.Lived()), t.deadline(b.Call.Lived())), cmp.Compare(a.Call.entry().ID, b.Call.entry().ID))
	})
	for _, f := range fired {
		if f.Expired {
			t.change(f.Call)
			t.Remove(f.Call)
			t.Forgotten.add(f.Call.entry().ID)
		} else {
			t.End(f.Call)
		}
	}
	return fired
}

// Due reports whether a timer has fired, so that Advance may end or expire a call.
func (t *Table[C]) Due(clock int64) bool { return len(t.timers) > 0 && t.timers[0].at <= clock }

// Remove takes a call out as if it had never been there.
func (t *Table[C]) Remove(c C) {
	t.unschedule(c)
	delete(t.calls, c.entry().ID)
	c.entry().gone = true
}

// Suspend stops the time of a call while it is in use: it neither ends nor expires.
func (t *Table[C]) Suspend(c C) { t.unschedule(c) }

// Resume begins the time of a suspended call anew: that until it is idle or, after its end, its
// grace period.
func (t *Table[C]) Resume(c C) {
	if l := c.Lived(); l.Ended {
		l.EndedAt = t.Clock
	} else {
		l.Active = t.Clock
	}
	t.schedule(c)
}

// Commit makes all changes final.
func (t *Table[C]) Commit() { t.Forgotten.commit() }

// Rollback takes back the clock and what expired since Commit. The caller undoes the changes of the
// calls.
func (t *Table[C]) Rollback(clock int64) {
	t.Clock = clock
	t.Forgotten.rollback()
}

// Undo puts a call back whose Life the caller has restored, or takes it out if it was opened.
func (t *Table[C]) Undo(c C, opened bool) {
	if opened {
		t.Remove(c)
		return
	}
	c.entry().gone = false
	t.Restore(c)
	t.schedule(c)
}

func (t *Table[C]) change(c C) {
	if t.changing != nil {
		t.changing(c)
	}
}

func (t *Table[C]) deadline(l *Life) int64 {
	switch {
	case l.Ended:
		return l.EndedAt + t.Limits.Grace
	case t.Limits.Idle > 0:
		return l.Active + t.Limits.Idle
	}
	return math.MaxInt64
}

func (t *Table[C]) schedule(c C) {
	at, e := t.deadline(c.Lived()), c.entry()
	switch {
	case at == math.MaxInt64:
		t.unschedule(c)
		return
	case e.timer == 0:
		t.timers = append(t.timers, timer[C]{at, c})
		e.timer = int32(len(t.timers))
	default:
		t.timers[e.timer-1].at = at
	}
	heap.Fix(&t.timers, int(e.timer-1))
}

func (t *Table[C]) unschedule(c C) {
	e := c.entry()
	if e.timer == 0 {
		return
	}
	i, last := int(e.timer-1), len(t.timers)-1
	t.timers.Swap(i, last)
	t.timers[last] = timer[C]{}
	t.timers = t.timers[:last]
	e.timer = 0
	if i < last {
		heap.Fix(&t.timers, i)
	}
}

// timer is when to look at a call. Its deadline is never before that, and may be later.
type timer[C Living] struct {
	at   int64
	call C
}

// timers is a heap, by time. Its calls know their place in it.
type timers[C Living] []timer[C]

func (h timers[C]) Len() int           { return len(h) }
func (h timers[C]) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timers[C]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].call.entry().timer, h[j].call.entry().timer = int32(i+1), int32(j+1)
}

// Push and Pop are not used: schedule and unschedule need no memory.
func (*timers[C]) Push(any) { panic("unused") }
func (*timers[C]) Pop() any { panic("unused") }
