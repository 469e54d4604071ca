package batch

import (
	"context"
	"errors"

	"sotto/anonymize"
	"sotto/detectors/remote"
	"sotto/schemas"
	"sotto/state"
)

// order anonymizes the events of an input and writes them in its order, although some of
// them are deferred.
type order struct {
	job   *Job
	calls *calls
	write func(*schemas.CleanEvent, []anonymize.Explanation) (ok bool, err error)
	// ask asks the remote tier about an event.
	ask func(*schemas.RawEvent) (*anonymize.RemoteAnswer, error)
	n   Counts
	// clock is the largest event time so far, in ms.
	clock int64
	// lines are those that are not written yet, in order; the event of the first is
	// deferred. first is the number of lines[0] among all lines so far.
	lines []pending
	first int64
	// buffer is the memory of lines while they are few.
	buffer []pending
	// deferring are the calls with deferred events, in the order of the first of these. An
	// entry is void if its call has released them since.
	deferring []deferring
}

// pending is a line whose event is deferred, or is done and comes after one that is
// deferred.
type pending struct {
	number int
	call   *call
	done   bool
	clean  *schemas.CleanEvent // nil when the engine failed, or the event is held or late
	held   bool
	late   bool
	// refused is set if the answer of a remote tier is required and of no use.
	refused bool
	why     []anonymize.Explanation
}

// deferring is a call with deferred events, the first one since a time.
type deferring struct {
	call  *call
	since int64
}

// maxPending bounds the lines that come after one that is deferred. An input need not have
// any times, and a call in it need not end.
const maxPending = 10_000

func newOrder(ctx context.Context, j *Job, keep int, write func(*schemas.CleanEvent, []anonymize.Explanation) (bool, error)) *order {
	return &order{job: j, calls: newCalls(keep), write: write, buffer: make([]pending, 0, 64),
		ask: func(ev *schemas.RawEvent) (*anonymize.RemoteAnswer, error) {
			answers, err := j.Remote.Answers(ctx, j.Engine, []*schemas.RawEvent{ev})
			if err != nil {
				return nil, err
			}
			return answers[0], nil
		}}
}

// take anonymizes the event of a line, or defers it.
func (o *order) take(ev *schemas.RawEvent, number int) error {
	o.clock = max(o.clock, ev.TimestampMS)
	o.releaseOverdue()
	c := o.calls.get(ev.CallID)
	at := o.first + int64(len(o.lines))
	o.lines = append(o.lines, pending{number: number, call: c})
	if c == nil {
		o.lines[at-o.first].done, o.lines[at-o.first].late = true, true
		return o.drain()
	}
	answer, err := o.ask(ev)
	if errors.Is(err, remote.ErrUnavailable) {
		return err
	}
	p, ok := o.prepare(ev)
	if ok {
		p.Remote = answer
	}
	switch {
	case err != nil:
		o.lines[at-o.first].done, o.lines[at-o.first].refused = true, true
	case !ok:
		o.lines[at-o.first].done = true
	case c.ended:
		released, _ := o.conversation(c).AcceptLast(p)
		o.applyAll(released, at)
	default:
		before := len(c.memory.Deferred())
		released, _ := o.conversation(c).Accept(p, state.RecordPosition{Clock: o.clock, Offset: at})
		o.applyAll(released, at)
		if len(c.memory.Deferred()) > 0 && (before == 0 || len(released) > 0) {
			o.deferring = append(o.deferring, deferring{c, o.clock})
		}
	}
	return o.drain()
}

func (o *order) conversation(c *call) anonymize.Conversation {
	return anonymize.Resume(o.job.Engine, c.memory)
}

// finish releases whatever is deferred at the end of the input.
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
	for len(o.deferring) > 0 {
		h := o.deferring[0]
		if deferred := h.call.memory.Deferred(); len(deferred) > 0 && deferred[0].Position.Clock == h.since {
			if !o.conversation(h.call).Overdue(o.clock) {
				return
			}
			o.release(h.call)
		}
		o.deferring = o.deferring[1:]
	}
}

func (o *order) release(c *call) {
	released, _ := o.conversation(c).Release()
	o.applyAll(released, 0)
}

// applyAll anonymizes released events; the one of them that was not deferred is that of line
// now.
func (o *order) applyAll(released []anonymize.Released, now int64) {
	for _, r := range released {
		at := now
		if r.Deferred {
			at = r.Position.Offset
		}
		o.apply(&o.lines[at-o.first], r)
	}
}

// drain writes the lines before which nothing is deferred any longer.
func (o *order) drain() error {
	for {
		n := 0
		for ; n < len(o.lines) && o.lines[n].done; n++ {
			if err := o.put(&o.lines[n]); err != nil {
				return err
			}
		}
		o.first += int64(n)
		if o.lines = o.lines[n:]; len(o.lines) == 0 {
			o.lines = o.buffer[:0]
		}
		if len(o.lines) <= maxPending {
			return nil
		}
		o.release(o.lines[0].call)
	}
}

// put writes a line that is done.
func (o *order) put(l *pending) error {
	if l.held {
		o.job.bad(&o.n, l.number, problemOtherLanguage)
		return nil
	}
	if l.late {
		o.job.bad(&o.n, l.number, problemLate)
		return nil
	}
	if l.refused {
		o.job.bad(&o.n, l.number, problemRemote)
		return nil
	}
	if l.clean == nil {
		o.job.bad(&o.n, l.number, problemPanic)
		return nil
	}
	ok, err := o.write(l.clean, l.why)
	if !ok && err == nil {
		o.job.bad(&o.n, l.number, problemPanic)
		return nil
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

// apply anonymizes the event of a line. If the engine panics, the line has no clean event.
func (o *order) apply(l *pending, r anonymize.Released) {
	l.done = true
	defer func() {
		if recover() != nil { // its value may contain text
			l.clean, l.why = nil, nil
		}
	}()
	c := l.call
	var out anonymize.Output
	if conversation := o.conversation(c); o.job.Explain {
		out = conversation.Explain(r)
	} else {
		out = conversation.Apply(r)
	}
	if l.held = out.Held; l.held {
		return
	}
	c.look(&o.calls.doc, &out.Clean, out.Subthreshold)
	if r.Event.Type == schemas.End {
		out.Clean.Call = c.summary()
		if o.job.Judge != nil {
			o.job.Judge(c.context, out.Clean.Call)
		}
		anonymize.WithholdRelease(c.memory, out.Clean.Call)
		o.calls.end(r.Event.CallID, c)
	}
	l.clean, l.why = &out.Clean, out.Explanations
	o.publish(r.Event, l.clean)
}

func (o *order) publish(raw *schemas.RawEvent, clean *schemas.CleanEvent) {
	if o.job.Publish != nil {
		o.job.Publish(raw, clean)
	}
}
