package processor

import (
	"cmp"
	"slices"

	"sotto/anonymize"
	"sotto/internal/panics"
)

// holdTimer is the time, by the partition's clock, at which a call releases its
// deferred utterances. While a transaction is open, only the call's worker knows
// whether there are any, so every utterance sets a timer.
type holdTimer struct {
	at   int64
	call *call
}

// setHoldTimer sets a timer. All utterances may be deferred equally long and the
// clock never goes back, so timers are set in the order in which they fire.
func (p *partition) setHoldTimer(c *call, at int64) {
	if n := len(p.holdTimers); n > 0 && p.holdTimers[n-1] == (holdTimer{at, c}) {
		return
	}
	p.holdTimers = append(p.holdTimers, holdTimer{at, c})
}

// idle reports whether a timer is known to have nothing to release.
func (a *holdTimer) idle() bool {
	c := a.call
	return c.gone || c.meta.Ended || !c.touched && len(c.deferred()) == 0
}

// fireHoldTimers returns the hold timers that fire, in the order in which they
// were set.
func (p *partition) fireHoldTimers() (fired []firedTimer) {
	n := 0
	for ; n < len(p.holdTimers) && p.holdTimers[n].at <= p.clock; n++ {
		if a := &p.holdTimers[n]; !a.idle() {
			p.touch(a.call)
			fired = append(fired, firedTimer{a.call, timerHold})
		}
	}
	p.holdTimers = p.holdTimers[n:]
	return fired
}

// holdTimersDue reports whether a hold timer fires if the clock moves to a time.
func (p *partition) holdTimersDue(clock int64) bool {
	for len(p.holdTimers) > 0 && p.holdTimers[0].idle() {
		p.holdTimers = p.holdTimers[1:]
	}
	return len(p.holdTimers) > 0 && p.holdTimers[0].at <= clock
}

// rebuildHoldTimers sets the timers for what is deferred as of the last commit.
func (p *partition) rebuildHoldTimers() {
	p.holdTimers = p.holdTimers[:0]
	if !p.lim.holding {
		return // what is deferred is released with the next transaction
	}
	for _, c := range p.calls {
		if held := c.deferred(); len(held) > 0 && !c.meta.Ended {
			p.holdTimers = append(p.holdTimers, holdTimer{held[0].Position.Clock + p.lim.hold, c})
		}
	}
	slices.SortFunc(p.holdTimers, func(a, b holdTimer) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.call.id, b.call.id)) })
}

// conversation continues a call in the open transaction.
func (c *call) conversation(e engine) anonymize.Conversation { return anonymize.Resume(e, c.pending) }

// applyReleased anonymizes released events. It returns why the event that was not
// deferred failed, "" if it did not.
func (w *worker) applyReleased(t *task, e engine, released []anonymize.Released) (reason string) {
	for _, r := range released {
		if r.Deferred {
			w.applyDeferred(t, e, r)
		} else {
			reason = w.apply(t, r)
		}
	}
	return reason
}

// release writes a call's deferred events if their time is over.
func (w *worker) release(t *task) {
	memory := t.call.latest()
	e := w.s.p.engine.Load().engine
	if memory == nil || !anonymize.Resume(e, memory).Overdue(t.clock) || !w.begin(t) {
		return
	}
	w.releaseAll(t, e)
}

// releaseAll writes all deferred events of a call.
func (w *worker) releaseAll(t *task, e engine) {
	released, changed := t.call.conversation(e).Release()
	t.call.changed = t.call.changed || changed
	w.applyReleased(t, e, released)
}

// applyDeferred anonymizes a deferred event with the counts of the time when it
// arrived. If that fails, the event becomes a dead letter and the call's state
// is as if the event had never been there: its offset may be committed already,
// so the transaction cannot be repeated without it.
func (w *worker) applyDeferred(t *task, e engine, r anonymize.Released) {
	c := t.call
	before := c.snapshot()
	sub := task{kind: taskEvent, call: c, id: t.id, meta: t.meta, partition: t.partition, graph: t.graph, turn: t.turn,
		record: &preparedRecord{ev: r.Event, prep: r.Prepared, engine: e, deferredAt: &r.Position}}
	sub.meta.Utterances, sub.meta.Ended, sub.closes = r.Position.Utterances, r.Position.Ended, r.Position.Closes
	refuse := func(reason string) {
		c.restoreTo(before)
		sub.leaveNoTrace()
		w.refuse(&sub, reason)
	}
	defer func() {
		if recover() != nil {
			w.s.p.log.Error("the engine panicked; the deferred event becomes a dead letter",
				"partition", t.partition, "offset", r.Position.Offset, "at", panics.Site(6))
			refuse(reasonPanic)
		}
	}()
	if reason := w.apply(&sub, r); reason != "" {
		refuse(reason)
	}
}
