package processor

import (
	"cmp"
	"container/heap"
	"hash/maphash"
	"maps"
	"slices"

	"sotto/config"
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
	timers  timerHeap
	expired *expiredCalls
	// aged lists the calls in the order in which their states were written, with
	// the offset at that time. An entry is stale if its call was written again.
	aged []agedCall

	// The open transaction.
	savedNext, savedClock int64
	touched               []*call // changed, new or removed
	tombstones            []string

	idleness idleness

	// holdTimers are the times at which calls may have to release deferred
	// utterances, the next one first.
	holdTimers []holdTimer
	// staged are the calls with staged events as of the last commit.
	staged []*call
}

// limits are the settings that a partition needs; times in ms.
type limits struct {
	idle, grace  int64
	open, closed int
	retention    int64 // how long an expired call is remembered at least; 0: forever
	refresh      int64
	// hold is how long an utterance may be deferred, holding whether any is.
	hold       int64
	holding    bool
	futureSkew int64 // how far an event may be ahead of the wall clock
	workers    int
	auditRates config.ByContext
	draw       func(callID string) float64 // uniform in [0,1)
	wallClock  func() int64
}

// call is one call of a partition. The fields up to owner belong to the
// session's goroutine. The others belong to the call's worker until it answers
// the barrier at the end of a transaction.
type call struct {
	id      string // as in the output: kept or hashed
	meta    callMeta
	saved   callMeta // as of the last commit, when touched
	touched bool
	isNew   bool // opened in the open transaction
	gone    bool // removed from the partition
	write   bool // its state must be written, even if the engine did not change it
	timerAt int64
	owner   int
	// asks reports whether the call's last utterance asked for something personal.
	asks bool

	memory      *state.Call // as of the last commit
	pending     *state.Call // of the open transaction, nil if untouched
	risk        callRisk    // as of the last commit
	pendingRisk callRisk    // of the open transaction, if pending is not nil
	text        transcript
	changed     bool // pending differs from memory in a way that later decisions need
	sealer      *state.Sealer
	// sealedBytes is the size of the last sealed state, stateBound an upper bound
	// of its size in the open transaction.
	sealedBytes, stateBound int
}

// callMeta is the stream's own state of a call, next to that of the engine. All
// of it is in the sealed state.
type callMeta struct {
	Utterances int64  `cbor:"1,keyasint"`
	LastSeq    int64  `cbor:"2,keyasint"`
	Context    string `cbor:"3,keyasint,omitempty"`
	Tenant     string `cbor:"4,keyasint,omitempty"`
	// AuditRate is the rate of the call's context if that selected the call for
	// the audit, otherwise 0.
	AuditRate float64 `cbor:"5,keyasint,omitempty"`
	// Active is the partition's clock at the call's last event.
	Active int64 `cbor:"6,keyasint"`
	Ended  bool  `cbor:"7,keyasint,omitempty"`
	// EndedAt is the partition's clock when the call ended.
	EndedAt int64 `cbor:"8,keyasint,omitempty"`
	// Next is the raw offset after the last event that this state includes, and
	// Clock the partition's clock there.
	Next  int64 `cbor:"9,keyasint"`
	Clock int64 `cbor:"10,keyasint"`
	// Opened is the partition's clock when the call began; 0 in the states of
	// earlier versions.
	Opened int64 `cbor:"11,keyasint,omitempty"`
	// Draw decides whether the call is in the audit sample; Uniform is the rate of
	// its context. See auditor.
	Draw    float64 `cbor:"12,keyasint,omitempty"`
	Uniform float64 `cbor:"13,keyasint,omitempty"`
}

func newPartition(id int32, lim limits) *partition {
	return &partition{id: id, lim: lim, calls: map[string]*call{}, expired: newExpiredCalls(lim.closed, lim.retention, lim.wallClock)}
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
	c := &call{id: id, isNew: true, write: true, owner: p.lim.owner(id), memory: state.NewCall()}
	c.meta = callMeta{Context: ev.Context, Tenant: ev.Tenant, LastSeq: ev.Seq, Active: p.clock, Opened: p.clock}
	p.lim.audit(&c.meta, id, ev.Context)
	p.calls[id] = c
	p.setTimer(c)
	return c
}

func (p *partition) touch(c *call) {
	if !c.touched {
		c.touched = true
		c.saved = c.meta
		p.touched = append(p.touched, c)
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
	p.keepUntouched()
	for _, c := range p.touched {
		if c.write || c.changed {
			p.aged = append(p.aged, agedCall{c.meta.Next, c})
		}
		if c.pending != nil {
			c.memory, c.pending = c.pending, nil
			c.risk = c.pendingRisk
			c.text.commit()
		}
		c.touched, c.isNew, c.write, c.changed = false, false, false, false
	}
	p.collectStaged(p.touched)
	p.clear()
	p.expired.commit()
}

// rollback undoes everything since begin.
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
	p.expired.rollback()
	p.timers = p.timers[:0]
	for _, c := range p.calls {
		c.timerAt = c.deadline(&p.lim)
		p.timers = append(p.timers, callTimer{c.timerAt, c})
	}
	heap.Init(&p.timers)
	p.sortAged()
	p.rebuildHoldTimers()
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

// begin creates the copy that the call's worker may change.
func (c *call) begin() {
	if c.pending == nil {
		c.pending, c.pendingRisk, c.stateBound = c.memory.Clone(), c.risk, c.sealedBytes
		c.text.begin()
	}
}

// callSnapshot is what an event changes of a call in its worker.
type callSnapshot struct {
	pending *state.Call
	risk    callRisk
	changed bool
	closing bool
	bound   int
}

// snapshot is cheap, because states share what they have in common.
func (c *call) snapshot() callSnapshot {
	return callSnapshot{c.pending.Clone(), c.pendingRisk, c.changed, c.text.closing, c.stateBound}
}

func (c *call) restoreTo(s callSnapshot) {
	c.pending, c.pendingRisk, c.changed, c.text.closing, c.stateBound = s.pending, s.risk, s.changed, s.closing, s.bound
}

// restoreCall adds a call whose state was read.
func (p *partition) restoreCall(id string, m callMeta, memory *state.Call, d callRisk) {
	if old := p.calls[id]; old != nil {
		old.gone = true
	}
	p.expired.remove(id)
	c := &call{id: id, meta: m, owner: p.lim.owner(id), memory: memory, risk: d}
	p.calls[id] = c
}

// restoreTombstone records that a call has expired.
func (p *partition) restoreTombstone(id string) {
	if old := p.calls[id]; old != nil {
		old.gone = true
		delete(p.calls, id)
	}
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
		p.setTimer(c)
	}
	p.sortAged()
	p.rebuildHoldTimers()
	p.collectStaged(slices.SortedFunc(maps.Values(p.calls), func(a, b *call) int { return cmp.Compare(a.id, b.id) }))
	p.expired.commit()
	p.clear()
}

type agedCall struct {
	next int64
	call *call
}

var ownerSeed = maphash.MakeSeed()

// owner returns the worker that owns a call.
func (l *limits) owner(id string) int {
	return int(maphash.String(ownerSeed, id) % uint64(l.workers))
}
