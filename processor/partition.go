package processor

import (
	"cmp"
	"container/heap"
	"hash/maphash"
	"slices"

	"sotto/config"
	"sotto/corpus/indirect/live"
	"sotto/schemas"
	"sotto/state"
)

// partition is a session's state for one raw partition: its open calls, its
// event-time clock and the calls that have expired. It decides what an event
// means for its call, in the order of the partition. It does not depend on
// Kafka, and its only clock is the one it is given. Only the session's own
// goroutine uses it.
//
// rollback undoes everything since begin; commit makes it final.
type partition struct {
	id   int32
	lim  limits
	next int64 // the offset after the last routed record
	// stateTopic is the ID of the state topic from which the calls were restored.
	stateTopic [16]byte
	// clock is the event-time watermark: the largest event time so far, in ms.
	clock   int64
	calls   map[string]*call
	awake   awakeCalls
	vault   *vault
	timers  timerHeap
	expired *expiredCalls
	// aged lists the calls in the order in which their states were written, with
	// the offset at that time. An entry is stale if its call was written again.
	aged []agedCall

	// The open transaction.
	savedNext, savedClock int64
	touched               []touchedCall // changed, new or removed
	tombstones            []string

	idleness idleness

	// holdTimers are the times at which calls may have to release deferred
	// utterances, the next one first.
	holdTimers []holdTimer
	// graph has the indirect identifiers, nil if none is kept. Workers use it in turns.
	graph *live.Graph
	turns *turns
	// staged are the calls with staged events as of the last commit.
	staged []*call
}

// limits are the settings that a partition needs; times in ms.
type limits struct {
	idle, grace  int64
	open, closed int
	retention    int64 // how long an expired call is remembered at least; 0: forever
	refresh      int64
	// dormant is how long a call must be without events to become dormant, and awake
	// how many calls may be awake.
	dormant int64
	awake   int
	// hold is how long an utterance may be deferred, holding whether any is.
	hold       int64
	holding    bool
	futureSkew int64 // how far an event may be ahead of the wall clock
	workers    int
	auditRates config.ByContext
	draw       func(callID string) float64 // uniform in [0,1)
	wallClock  func() int64
}

func newPartition(id int32, lim limits) *partition {
	return &partition{id: id, lim: lim, calls: map[string]*call{}, vault: newVault(), turns: newTurns(), expired: newExpiredCalls(lim.closed, lim.retention, lim.wallClock)}
}

// verdict is what to do with an event.
type verdict int

const (
	process  verdict = iota // the call's worker anonymizes it
	late                    // its call has expired
	drop                    // it is an interim hypothesis
	overflow                // it would open one call too many
)

// begin starts a transaction.
func (p *partition) begin() {
	p.savedNext, p.savedClock = p.next, p.clock
}

// advance moves the clock to an event time, in ms, and returns the timers that
// fire, in an order that depends on the events only. The call of the event
// itself, which may be nil, does not become idle by it.
func (p *partition) advance(timestamp int64, own *call) []firedTimer {
	p.clock = max(p.clock, min(timestamp, p.lim.wallClock()+p.lim.futureSkew))
	if own != nil && !own.meta.Ended {
		p.touch(own)
		own.meta.Active = p.clock
	}
	return p.fireTimers()
}

// advanceIdle moves the clock by a time, in ms, during which the partition
// provably had no events.
func (p *partition) advanceIdle(by int64) []firedTimer {
	p.clock += by
	return p.fireTimers()
}

func (p *partition) fireTimers() []firedTimer {
	released := p.fireHoldTimers()
	var fired []firedTimer
	for len(p.timers) > 0 && p.timers[0].at <= p.clock {
		a := heap.Pop(&p.timers).(callTimer)
		c := a.call
		if c.gone || c.timerAt != a.at {
			continue
		}
		if at := c.deadline(&p.lim); at > p.clock {
			p.setTimer(c)
			continue
		}
		c.timerAt = -1 // so that a timer that was set twice fires once
		what := timerIdle
		if c.meta.Ended {
			what = timerGrace
		}
		fired = append(fired, firedTimer{c, what})
	}
	// Timers are set lazily, so the order of the heap depends on history.
	slices.SortFunc(fired, func(a, b firedTimer) int {
		return cmp.Or(cmp.Compare(a.call.deadline(&p.lim), b.call.deadline(&p.lim)), cmp.Compare(a.call.id, b.call.id))
	})
	for _, d := range fired {
		if d.what == timerGrace {
			p.expire(d.call)
		} else {
			p.end(d.call)
		}
	}
	return append(released, fired...)
}

func (c *call) deadline(lim *limits) int64 {
	if c.meta.Ended {
		return c.meta.EndedAt + lim.grace
	}
	return c.meta.Active + lim.idle
}

func (p *partition) setTimer(c *call) {
	c.timerAt = c.deadline(&p.lim)
	heap.Push(&p.timers, callTimer{c.timerAt, c})
}

// end marks a call as ended. Its state stays for the grace period.
func (p *partition) end(c *call) {
	p.touch(c)
	c.meta.Ended, c.meta.EndedAt = true, p.clock
	c.write = true
	p.setTimer(c)
}

// expire removes a call whose grace period is over.
func (p *partition) expire(c *call) {
	p.touch(c)
	c.gone = true
	delete(p.calls, c.id)
	p.expired.add(c.id)
	p.tombstones = append(p.tombstones, c.id)
}

// admit decides what to do with an event and returns its call, which it opens if
// it is new. It counts the event in the call's meta.
func (p *partition) admit(id string, ev *schemas.RawEvent) (*call, verdict) {
	c := p.calls[id]
	if ev.Interim() {
		return c, drop
	}
	if c == nil {
		switch {
		case p.expired.has(id):
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
		p.setHoldTimer(c, p.clock+p.lim.hold)
	}
	return c, process
}

// count applies what every event does to its call's meta. A restore repeats it
// from the raw topic, so it must depend on the event only.
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
	c := &call{id: id, isNew: true, write: true, owner: p.lim.owner(id), awake: &awake{memory: state.NewCall()}}
	c.meta = callMeta{Context: ev.Context, Tenant: ev.Tenant, LastSeq: ev.Seq, Active: p.clock, Opened: p.clock}
	p.lim.audit(&c.meta, id, ev.Context)
	p.calls[id] = c
	p.setTimer(c)
	return c
}

func (p *partition) touch(c *call) {
	if !c.touched {
		c.touched = true
		p.touched = append(p.touched, touchedCall{c, c.meta})
	}
}

// refresh marks calls for writing whose states are so old that a restore would
// have to read too much of the raw topic.
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

// written records that the open transaction writes the state of c, and returns
// the meta to write.
func (p *partition) written(c *call) callMeta {
	c.meta.Next, c.meta.Clock = p.next, p.clock
	return c.meta
}

// commit makes the transaction's changes final.
func (p *partition) commit() {
	if p.graph != nil {
		p.graph.Commit()
	}
	p.keepUntouched()
	for _, t := range p.touched {
		c := t.call
		if c.mustSeal() {
			p.aged = append(p.aged, agedCall{c.meta.Next, c})
		}
		c.commit()
		p.awake.used(c, p.clock)
		p.collectStaged(c)
	}
	p.clear()
	p.expired.commit()
}

// rollback undoes everything since begin.
func (p *partition) rollback() {
	p.next, p.clock = p.savedNext, p.savedClock
	if p.graph != nil {
		p.graph.Rollback()
	}
	for _, t := range p.touched {
		c := t.call
		c.rollback(t.saved)
		if c.isNew {
			c.gone = true
			delete(p.calls, c.id)
		} else {
			p.calls[c.id] = c
			p.awake.used(c, p.clock)
		}
	}
	p.clear()
	p.expired.rollback()
	p.resetTimers()
	p.sortAged()
	p.rebuildHoldTimers()
}

// resetTimers sets the timer of every call.
func (p *partition) resetTimers() {
	p.timers = slices.Grow(p.timers[:0], len(p.calls))
	for _, c := range p.calls {
		c.timerAt = c.deadline(&p.lim)
		p.timers = append(p.timers, callTimer{c.timerAt, c})
	}
	heap.Init(&p.timers)
}

func (p *partition) sortAged() {
	p.aged = slices.Grow(p.aged[:0], len(p.calls))
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

// restoreCall adds a call whose state was read: dormant if it has no awake part.
func (p *partition) restoreCall(c *call) {
	p.expired.remove(c.id)
	c.owner = p.lim.owner(c.id)
	p.calls[c.id] = c
}

// restoreTombstone records that a call has expired.
func (p *partition) restoreTombstone(id string) {
	p.expired.add(id)
	p.expired.commit() // keeps the latest ones within their bound
}

// replayFrom returns the raw offset from which events must be counted again so
// that every restored call is exact; upTo if none must.
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

// replay counts an event again that arrived after its call's state was written.
// An event that became a dead letter (refused) only keeps the call active.
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

// ready ends a restore: the partition continues at the committed offset with the
// committed clock.
func (p *partition) ready(next, clock int64) {
	p.next, p.clock = next, max(p.clock, clock)
	for _, c := range p.calls {
		p.clock = max(p.clock, c.meta.Clock)
	}
	p.resetTimers()
	p.sortAged()
	p.rebuildHoldTimers()
	var awake []*call
	for _, c := range p.calls {
		if c.awake != nil {
			awake = append(awake, c)
		}
	}
	slices.SortFunc(awake, func(a, b *call) int { return cmp.Compare(a.id, b.id) })
	for _, c := range awake {
		p.awake.used(c, p.clock)
		p.collectStaged(c)
	}
	p.expired.commit()
	p.clear()
}

type agedCall struct {
	next int64
	call *call
}

var ownerSeed = maphash.MakeSeed()

// owner returns the worker that owns a call.
func (l *limits) owner(id string) int32 {
	return int32(maphash.String(ownerSeed, id) % uint64(l.workers))
}
