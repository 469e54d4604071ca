package processor

import (
	"cmp"
	"slices"

	"sotto/anonymize"
	"sotto/state"
)

// holdAlarm is a time, by the partition's clock, at which a call lets go what
// has waited in it until then. Whether anything waits only the call's worker
// knows while a transaction is open, so every utterance sets one.
type holdAlarm struct {
	at   int64
	call *call
}

// armHold sets an alarm. Since all utterances may wait for equally long and the
// clock never goes back, alarms are set in the order in which they ring.
func (p *partition) armHold(c *call, at int64) {
	if n := len(p.holds); n > 0 && p.holds[n-1] == (holdAlarm{at, c}) {
		return
	}
	p.holds = append(p.holds, holdAlarm{at, c})
}

// idle tells whether an alarm is known to be for nothing.
func (a *holdAlarm) idle() bool {
	c := a.call
	return c.gone || c.meta.Ended || !c.touched && len(c.memory.Deferred()) == 0
}

// ringHolds returns the calls whose time to let go has come, in the order in
// which the alarms were set.
func (p *partition) ringHolds() (rung []due) {
	n := 0
	for ; n < len(p.holds) && p.holds[n].at <= p.clock; n++ {
		if a := &p.holds[n]; !a.idle() {
			p.touch(a.call)
			rung = append(rung, due{a.call, dueRelease})
		}
	}
	p.holds = p.holds[n:]
	return rung
}

// holdWouldRing tells whether moving the clock to a time would let anything go.
func (p *partition) holdWouldRing(clock int64) bool {
	for len(p.holds) > 0 && p.holds[0].idle() {
		p.holds = p.holds[1:]
	}
	return len(p.holds) > 0 && p.holds[0].at <= clock
}

// sortHolds sets the alarms anew, for what waits as of the last commit.
func (p *partition) sortHolds() {
	p.holds = p.holds[:0]
	for _, c := range p.calls {
		if held := c.memory.Deferred(); len(held) > 0 && !c.meta.Ended {
			p.holds = append(p.holds, holdAlarm{held[0].Position.Clock + p.lim.hold, c})
		}
	}
	slices.SortFunc(p.holds, func(a, b holdAlarm) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.call.id, b.call.id)) })
}

// hold has an event wait, or writes those whose turn has come.
func (w *worker) hold(t *task) {
	c, it := t.call, t.item
	var ready []anonymize.Ready
	if t.meta.Ended {
		ready = w.letGo(c, it.engine)
		ready = append(ready, anonymize.Ready{Prepared: it.prep})
	} else {
		var changed bool
		ready, changed = it.engine.Hold(c.pending, it.prep, state.RecordPosition{
			Utterances: t.meta.Utterances, Clock: t.clock, Offset: it.rec.Offset, TimestampMS: it.rec.Timestamp.UnixMilli(),
		})
		c.changed = c.changed || changed
		if len(c.pending.Deferred()) > 0 {
			w.counts.held++
		}
	}
	for _, r := range ready {
		if r.Deferred {
			w.waited(t, it.engine, r)
		} else {
			w.apply(t)
		}
	}
}

// letGo empties a call's queue of what waits.
func (w *worker) letGo(c *call, e engine) []anonymize.Ready {
	if len(c.pending.Deferred()) == 0 {
		return nil
	}
	c.changed = true
	return e.Release(c.pending)
}

// release writes what has waited in a call for long enough.
func (w *worker) release(t *task) {
	c := t.call
	memory := c.memory
	if c.pending != nil {
		memory = c.pending
	}
	e := w.s.p.engine.Load().engine
	if !e.Overdue(memory, t.clock) {
		return
	}
	c.begin()
	w.releaseAll(t, e)
}

// releaseAll writes all that waits in a call.
func (w *worker) releaseAll(t *task, e engine) {
	for _, r := range w.letGo(t.call, e) {
		w.waited(t, e, r)
	}
}

// waited anonymizes an event that has waited, by what it was for the stream
// when it came. Where that fails, the event becomes a dead letter and the memory
// is as if it had never been: its record may be long committed, so the
// transaction cannot be tried again without it.
func (w *worker) waited(t *task, e engine, r anonymize.Ready) {
	c := t.call
	memory, doubted := c.pending.Clone(), c.doubted
	sub := task{kind: taskEvent, call: c, id: t.id, meta: t.meta, partition: t.partition,
		item: &item{ev: r.Event, prep: r.Prepared, engine: e, note: &r.Position}}
	sub.meta.Utterances, sub.meta.Ended = r.Position.Utterances, false
	refuse := func(reason string) {
		c.pending, c.doubted = memory, doubted
		w.refuse(&sub, reason)
	}
	defer func() {
		if recover() != nil {
			w.s.p.log.Error("the engine panicked; the event that waited becomes a dead letter",
				"partition", t.partition, "offset", r.Position.Offset, "at", panicSite())
			refuse(reasonPanic)
		}
	}()
	if !w.apply(&sub) {
		refuse(reasonOutputTooLarge)
	}
}
