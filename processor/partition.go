package processor

import (
	"cmp"
	"container/heap"
	"hash/maphash"
	"slices"

	"sotto/config"
	"sotto/schemas"
	"sotto/state"
)

// partition is what a session holds of one raw partition: its open calls, its
// event-time clock and the calls that are over. It decides what an event means
// for its call, in the order of the partition and without looking at any
// clock but the one it is given; it knows nothing of Kafka. Only the session's
// own goroutine uses it.
//
// What happens between begin and commit can be undone by rollback.
type partition struct {
	id   int32
	lim  limits
	next int64 // the offset after the last routed record
	// clock is the largest event time seen, in ms. It never goes back.
	clock  int64
	calls  map[string]*call
	alarms alarmHeap
	closed *closedSet
	// aged holds the calls in the order in which their states were written,
	// with the offset at which that was; an entry whose call has been written
	// again since is void.
	aged []agedCall

	// The open transaction.
	savedNext, savedClock int64
	touched               []*call // changed, new or gone
	tombstones            []string

	silence silence

	// holds are the times at which calls may have to let go what waits in them,
	// the next one first.
	holds []holdAlarm
}

// limits are the settings that a partition decides by; times in ms.
type limits struct {
	idle, grace  int64
	open, closed int
	refresh      int64
	// hold is how long an utterance may wait, holding whether any does.
	hold       int64
	holding    bool
	futureSkew int64 // how far an event may be ahead of the wall clock
	workers    int
	auditRates config.ByContext
	draw       func(callID string) float64 // uniform in [0,1)
	wallClock  func() int64
}

// call is one call of a partition. meta and the fields up to owner belong to
// the session's goroutine, the rest to the call's worker until it has
// answered the barrier at the end of a transaction.
type call struct {
	id      string // as it goes out: kept or hashed
	meta    callMeta
	saved   callMeta // as of the last commit, when touched
	touched bool
	isNew   bool // opened in the open transaction
	gone    bool // dropped from the partition
	write   bool // its state must be written, whatever the engine says
	alarm   int64
	owner   int

	memory  *state.Call // as of the last commit
	pending *state.Call // of the open transaction, nil when not touched
	doubt   doubt       // as of the last commit
	doubted doubt       // of the open transaction, when pending is not nil
	text    transcript
	changed bool // pending differs from memory in a way that matters
	sealer  *state.Sealer
	// sealedBytes is the size of the call's state as last sealed.
	sealedBytes int
}

// callMeta is what the stream, as opposed to the engine, remembers of a call.
// All of it is in the sealed state.
type callMeta struct {
	Utterances int64  `cbor:"1,keyasint"`
	LastSeq    int64  `cbor:"2,keyasint"`
	Context    string `cbor:"3,keyasint,omitempty"`
	Tenant     string `cbor:"4,keyasint,omitempty"`
	// AuditRate is the rate of the call's context when the call was chosen for
	// the audit by it, 0 when it was not.
	AuditRate float64 `cbor:"5,keyasint,omitempty"`
	// Active is the partition's clock at the call's last event.
	Active int64 `cbor:"6,keyasint"`
	Ended  bool  `cbor:"7,keyasint,omitempty"`
	// EndedAt is the partition's clock when the call ended.
	EndedAt int64 `cbor:"8,keyasint,omitempty"`
	// Next is the raw offset after the last event that this state knows of,
	// and Clock the partition's clock there.
	Next  int64 `cbor:"9,keyasint"`
	Clock int64 `cbor:"10,keyasint"`
	// Opened is the partition's clock when the call began; 0 in the states of
	// earlier versions.
	Opened int64 `cbor:"11,keyasint,omitempty"`
	// Draw decides whether the call is in the audit sample, and Uniform is the
	// rate of its context; see auditor.
	Draw    float64 `cbor:"12,keyasint,omitempty"`
	Uniform float64 `cbor:"13,keyasint,omitempty"`
}

func newPartition(id int32, lim limits) *partition {
	return &partition{id: id, lim: lim, calls: map[string]*call{}, closed: newClosedSet(lim.closed)}
}

// verdict is what is to be done with an event.
type verdict int

const (
	process  verdict = iota // by the call's worker, with its memory
	late                    // its call's memory is gone
	drop                    // an interim hypothesis
	overflow                // one call too many
)

// begin starts a transaction.
func (p *partition) begin() {
	p.savedNext, p.savedClock = p.next, p.clock
}

// due is a call for which a time has come.
type due struct {
	call *call
	what dueKind
}

type dueKind uint8

const (
	// dueEnd: the call has just ended.
	dueEnd dueKind = iota
	// dueOver: the grace has passed and the memory is gone.
	dueOver
	// dueRelease: what waits in it may have waited for long enough.
	dueRelease
)

// advance moves the clock to an event time, in ms, and returns the calls for
// which the time has come, in an order that depends on the events alone. The
// call of the event itself, which may be nil, does not go idle by it.
func (p *partition) advance(timestamp int64, own *call) []due {
	p.clock = max(p.clock, min(timestamp, p.lim.wallClock()+p.lim.futureSkew))
	if own != nil && !own.meta.Ended {
		p.touch(own)
		own.meta.Active = p.clock
	}
	return p.ring()
}

// advanceSilent moves the clock by a time, in ms, in which the partition is
// known to have had no events.
func (p *partition) advanceSilent(by int64) []due {
	p.clock += by
	return p.ring()
}

func (p *partition) ring() []due {
	released := p.ringHolds()
	var rung []due
	for len(p.alarms) > 0 && p.alarms[0].at <= p.clock {
		a := heap.Pop(&p.alarms).(alarm)
		c := a.call
		if c.gone || c.alarm != a.at {
			continue
		}
		if at := c.deadline(&p.lim); at > p.clock {
			p.arm(c)
			continue
		}
		c.alarm = -1 // so that an alarm that was set twice rings once
		what := dueEnd
		if c.meta.Ended {
			what = dueOver
		}
		rung = append(rung, due{c, what})
	}
	// Alarms are set lazily, so the heap's order depends on history.
	slices.SortFunc(rung, func(a, b due) int {
		return cmp.Or(cmp.Compare(a.call.deadline(&p.lim), b.call.deadline(&p.lim)), cmp.Compare(a.call.id, b.call.id))
	})
	for _, d := range rung {
		if d.what == dueOver {
			p.forget(d.call)
		} else {
			p.end(d.call)
		}
	}
	return append(released, rung...)
}

func (c *call) deadline(lim *limits) int64 {
	if c.meta.Ended {
		return c.meta.EndedAt + lim.grace
	}
	return c.meta.Active + lim.idle
}

func (p *partition) arm(c *call) {
	c.alarm = c.deadline(&p.lim)
	heap.Push(&p.alarms, alarm{c.alarm, c})
}

// end marks a call as over; its memory stays for the grace.
func (p *partition) end(c *call) {
	p.touch(c)
	c.meta.Ended, c.meta.EndedAt = true, p.clock
	c.write = true
	p.arm(c)
}

// forget drops a call whose grace has passed.
func (p *partition) forget(c *call) {
	p.touch(c)
	c.gone = true
	delete(p.calls, c.id)
	p.closed.add(c.id)
	p.tombstones = append(p.tombstones, c.id)
}

// admit says what an event means and returns its call, which it opens when it
// is not known. It counts the event in the call's meta.
func (p *partition) admit(id string, ev *schemas.RawEvent) (*call, verdict) {
	c := p.calls[id]
	if ev.Interim() {
		return c, drop
	}
	if c == nil {
		switch {
		case p.closed.has(id):
			return nil, late
		case len(p.calls) >= p.lim.open:
			return nil, overflow
		}
		c = p.open(id, ev)
	}
	p.touch(c)
	p.count(c, ev)
	if ev.Context != "" && c.meta.Context == "" {
		c.meta.Context, c.write = ev.Context, true
	}
	if ev.Tenant != "" && c.meta.Tenant == "" {
		c.meta.Tenant, c.write = ev.Tenant, true
	}
	if ev.Type == schemas.End && !c.meta.Ended {
		p.end(c)
	}
	if ev.Type == schemas.Utterance && p.lim.holding && !c.meta.Ended {
		p.armHold(c, p.clock+p.lim.hold)
	}
	return c, process
}

// count is the part of an event that every event has: what it does to the
// call's meta although it teaches nothing. A restore repeats it from the raw
// topic, so it must depend on the event alone.
func (p *partition) count(c *call, ev *schemas.RawEvent) {
	c.meta.LastSeq = max(c.meta.LastSeq, ev.Seq)
	if ev.Type == schemas.Utterance {
		c.meta.Utterances++
	}
	if !c.meta.Ended {
		c.meta.Active = p.clock
	}
}

func (p *partition) open(id string, ev *schemas.RawEvent) *call {
	c := &call{id: id, isNew: true, write: true, owner: p.lim.owner(id), memory: state.NewCall()}
	c.meta = callMeta{Context: ev.Context, Tenant: ev.Tenant, LastSeq: ev.Seq, Active: p.clock, Opened: p.clock}
	p.lim.audit(&c.meta, id, ev.Context)
	p.calls[id] = c
	p.arm(c)
	return c
}

func (p *partition) touch(c *call) {
	if !c.touched {
		c.touched = true
		c.saved = c.meta
		p.touched = append(p.touched, c)
	}
}

// refresh marks for writing those calls whose states are so old that a
// restore would have to read too far back in the raw topic.
func (p *partition) refresh() {
	for len(p.aged) > 0 {
		a := p.aged[0]
		if !a.call.gone && a.call.meta.Next == a.next {
			if p.next-a.next <= p.lim.refresh {
				return
			}
			p.touch(a.call)
			a.call.write = true
		}
		p.aged = p.aged[1:]
	}
}

// written notes that the state of c goes into the open transaction and
// returns the meta to write.
func (p *partition) written(c *call) callMeta {
	c.meta.Next, c.meta.Clock = p.next, p.clock
	return c.meta
}

// commit makes the transaction's changes final.
func (p *partition) commit() {
	for _, c := range p.touched {
		if c.write || c.changed {
			p.aged = append(p.aged, agedCall{c.meta.Next, c})
		}
		if c.pending != nil {
			c.memory, c.pending = c.pending, nil
			c.doubt = c.doubted
			c.text.commit()
		}
		c.touched, c.isNew, c.write, c.changed = false, false, false, false
	}
	p.clear()
	p.closed.commit()
}

// rollback undoes all since begin.
func (p *partition) rollback() {
	p.next, p.clock = p.savedNext, p.savedClock
	for _, c := range p.touched {
		c.meta = c.saved
		c.pending = nil
		c.touched, c.write, c.changed, c.gone = false, false, false, false
		if c.isNew {
			c.gone = true
			delete(p.calls, c.id)
		} else {
			p.calls[c.id] = c
		}
	}
	p.clear()
	p.closed.rollback()
	p.alarms = p.alarms[:0]
	for _, c := range p.calls {
		c.alarm = c.deadline(&p.lim)
		p.alarms = append(p.alarms, alarm{c.alarm, c})
	}
	heap.Init(&p.alarms)
	p.sortAged()
	p.sortHolds()
}

func (p *partition) sortAged() {
	p.aged = p.aged[:0]
	for _, c := range p.calls {
		p.aged = append(p.aged, agedCall{c.meta.Next, c})
	}
	slices.SortFunc(p.aged, func(a, b agedCall) int { return cmp.Compare(a.next, b.next) })
}

func (p *partition) clear() {
	clear(p.touched)
	p.touched, p.tombstones = p.touched[:0], nil
	p.savedNext, p.savedClock = p.next, p.clock
}

// begin gives the call's worker something to change.
func (c *call) begin() {
	if c.pending == nil {
		c.pending, c.doubted = c.memory.Clone(), c.doubt
		c.text.begin()
	}
}

// restored takes up a call as its state was read.
func (p *partition) restored(id string, m callMeta, memory *state.Call, d doubt) {
	if old := p.calls[id]; old != nil {
		old.gone = true
	}
	p.closed.remove(id)
	c := &call{id: id, meta: m, owner: p.lim.owner(id), memory: memory, doubt: d}
	p.calls[id] = c
}

// restoredOver takes up a tombstone.
func (p *partition) restoredOver(id string) {
	if old := p.calls[id]; old != nil {
		old.gone = true
		delete(p.calls, id)
	}
	p.closed.add(id)
}

// replayFrom returns the raw offset from which events must be counted again
// so that every restored call is exact, or upTo when none must.
func (p *partition) replayFrom(upTo int64) int64 {
	from := upTo
	for _, c := range p.calls {
		from = min(from, c.meta.Next)
	}
	for _, c := range p.calls {
		if c.meta.Next == from {
			p.clock = max(p.clock, c.meta.Clock)
		}
	}
	return from
}

// replay counts an event again that came after its call's state was written.
// refused tells that the event became a dead letter, which counts as a sign of
// life only.
func (p *partition) replay(id string, offset int64, ev *schemas.RawEvent, refused bool) {
	p.clock = max(p.clock, min(ev.TimestampMS, p.lim.wallClock()+p.lim.futureSkew))
	c := p.calls[id]
	if c == nil || offset < c.meta.Next {
		return
	}
	if !c.meta.Ended {
		c.meta.Active = p.clock
	}
	if !refused && !ev.Interim() {
		p.count(c, ev)
	}
}

// ready ends a restore: the partition goes on at the committed offset with the
// committed clock.
func (p *partition) ready(next, clock int64) {
	p.next, p.clock = next, max(p.clock, clock)
	for _, c := range p.calls {
		p.clock = max(p.clock, c.meta.Clock)
		p.arm(c)
	}
	p.sortAged()
	p.sortHolds()
	p.closed.commit()
	p.clear()
}

type agedCall struct {
	next int64
	call *call
}

type alarm struct {
	at   int64
	call *call
}

type alarmHeap []alarm

func (h alarmHeap) Len() int           { return len(h) }
func (h alarmHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h alarmHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *alarmHeap) Push(x any)        { *h = append(*h, x.(alarm)) }
func (h *alarmHeap) Pop() any {
	old := *h
	a := old[len(old)-1]
	old[len(old)-1] = alarm{}
	*h = old[:len(old)-1]
	return a
}

var ownerSeed = maphash.MakeSeed()

// owner is the worker that owns a call.
func (l *limits) owner(id string) int {
	return int(maphash.String(ownerSeed, id) % uint64(l.workers))
}
