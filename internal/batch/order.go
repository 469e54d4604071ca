package batch

import (
	"sotto/anonymize"
	"sotto/schemas"
	"sotto/state"
)

// order anonymizes the events of an input and writes them in its order, although
// some of them wait for what comes after them.
type order struct {
	job   *Job
	calls *calls
	write func(*schemas.CleanEvent, []anonymize.Explanation) (ok bool, err error)
	n     Counts
	// clock is the largest event time so far, in ms.
	clock int64
	// lines are those that are not written yet, in order; the first one waits.
	// first is the number of lines[0] among all lines that have been here.
	lines []pending
	first int64
	// holding are the calls in which something waits, in the order in which it
	// began to. An entry is void when its call has let go since.
	holding []holding
}

// pending is a line whose event waits, or is done and comes after one that
// waits.
type pending struct {
	number int
	call   *call
	done   bool
	clean  *schemas.CleanEvent // nil when the engine failed
	why    []anonymize.Explanation
}

type holding struct {
	call  *call
	since int64
}

// maxPending bounds the lines that come after one that waits. An input need not
// tell any times, and a call in it need not end.
const maxPending = 10_000

func newOrder(j *Job, keep int, write func(*schemas.CleanEvent, []anonymize.Explanation) (bool, error)) *order {
	return &order{job: j, calls: newCalls(keep), write: write}
}

// take anonymizes the event of a line, or has it wait.
func (o *order) take(ev *schemas.RawEvent, number int) error {
	o.clock = max(o.clock, ev.TimestampMS)
	o.releaseOverdue()
	c := o.calls.get(ev.CallID)
	l := pending{number: number, call: c}
	p, ok := o.prepare(ev)
	switch {
	case !ok:
		l.done = true
	case c == nil || c.ended || !o.job.Engine.Holds(c.memory):
		o.apply(&l, p)
	default:
		at := o.first + int64(len(o.lines))
		o.lines = append(o.lines, l)
		before := len(c.memory.Deferred())
		ready, _ := o.job.Engine.Hold(c.memory, p, state.RecordPosition{Clock: o.clock, Offset: at})
		o.applyAll(ready, at)
		if held := c.memory.Deferred(); len(held) > 0 && (before == 0 || len(ready) > 0) {
			o.holding = append(o.holding, holding{c, o.clock})
		}
		return o.drain()
	}
	if len(o.lines) == 0 {
		return o.put(&l)
	}
	o.lines = append(o.lines, l)
	return o.drain()
}

// finish lets go whatever waits at the end of the input.
func (o *order) finish() error {
	for len(o.lines) > 0 {
		o.release(o.lines[0].call)
		if err := o.drain(); err != nil {
			return err
		}
	}
	return nil
}

func (o *order) releaseOverdue() {
	for len(o.holding) > 0 {
		h := o.holding[0]
		if held := h.call.memory.Deferred(); len(held) > 0 && held[0].Position.Clock == h.since {
			if !o.job.Engine.Overdue(h.call.memory, o.clock) {
				return
			}
			o.release(h.call)
		}
		o.holding = o.holding[1:]
	}
}

func (o *order) release(c *call) { o.applyAll(o.job.Engine.Release(c.memory), 0) }

// applyAll anonymizes events whose turn has come; the one of them that has not
// waited is that of line now.
func (o *order) applyAll(ready []anonymize.Ready, now int64) {
	for _, r := range ready {
		at := now
		if r.Deferred {
			at = r.Position.Offset
		}
		o.apply(&o.lines[at-o.first], r.Prepared)
	}
}

// drain writes the lines before which nothing waits any longer.
func (o *order) drain() error {
	for {
		n := 0
		for ; n < len(o.lines) && o.lines[n].done; n++ {
			if err := o.put(&o.lines[n]); err != nil {
				return err
			}
		}
		o.lines = o.lines[n:]
		o.first += int64(n)
		if len(o.lines) <= maxPending {
			return nil
		}
		o.release(o.lines[0].call)
	}
}

// put writes a line that is done.
func (o *order) put(l *pending) error {
	if l.clean == nil {
		o.job.bad(&o.n, l.number, problemPanic)
		return nil
	}
	ok, err := o.write(l.clean, l.why)
	if !ok && err == nil {
		o.job.bad(&o.n, l.number, problemPanic)
		return nil
	}
	if l.clean.Late {
		o.n.Late++
	}
	o.n.Events++
	return err
}

// prepare prepares an event; ok is false when the engine panicked, whose value
// is dropped since it may hold text.
func (o *order) prepare(ev *schemas.RawEvent) (p *anonymize.Prepared, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return o.job.Engine.Prepare(ev), true
}

// apply anonymizes the event of a line. Where the engine panics, the line has no
// clean event.
func (o *order) apply(l *pending, p *anonymize.Prepared) {
	l.done = true
	defer func() {
		if recover() != nil { // its value may hold text
			l.clean, l.why = nil, nil
		}
	}()
	c := l.call
	if c == nil {
		clean := o.job.Engine.ApplyLate(p)
		l.clean = &clean
		return
	}
	var clean schemas.CleanEvent
	if o.job.Explain {
		clean, l.why = o.job.Engine.Explain(c.memory, p)
	} else {
		clean, _ = o.job.Engine.Apply(c.memory, p)
	}
	c.look(&o.calls.doc, &clean, p.Subthreshold)
	if p.Event.Type == schemas.End {
		clean.Call = c.summary()
		if o.job.Judge != nil {
			o.job.Judge(c.context, clean.Call)
		}
		o.calls.end(p.Event.CallID, c)
	}
	l.clean = &clean
}
