package anonymize

import (
	"context"

	"sotto/anonymize/dialogue"
	"sotto/schemas"
	"sotto/state"
)

// Ready is an event that is to be applied now.
type Ready struct {
	*Prepared
	// Deferred tells that the event was held, and Note is what was noted of it when
	// it came.
	Deferred bool
	Position state.RecordPosition
}

// Holds tells whether events of the call are to go through Hold: hold-back is on,
// or it was when the events came that still wait.
func (e *Engine) Holds(c *state.Call) bool { return e.opts.HoldBack > 0 || len(c.Deferred()) > 0 }

// Hold decides whether an event waits for what is said after it, because it ends
// within something that is still being told: digits or letters that are
// dictated, an e-mail address, the answer to a question. It returns the events
// whose turn has come, in the order in which they came; all of them are to be
// applied, one after the other, before anything else happens to the call. When
// the event waits, it has been taken into the memory and is not among them.
// changed tells whether what the memory holds has changed.
//
// No event waits for more than Options.HoldBack utterances. That it waits for no
// longer than Options.HoldBackTime, and not beyond the end of the call, is for the
// caller to see to, by Overdue and Release.
func (e *Engine) Hold(c *state.Call, p *Prepared, note state.RecordPosition) (ready []Ready, changed bool) {
	waiting := e.waiting(c)
	v := e.judge(c, waiting, p)
	if v.apart {
		c.ClearDeferred()
		e.splitJointly(c, waiting)
		ready = waiting
	}
	if v.hold {
		if event, err := heldCodec.AppendRaw(nil, p.Event); err == nil && c.Defer(state.Deferred{Event: event, Position: note}) {
			e.discard(p)
			if !v.apart {
				for i := range waiting {
					e.discard(waiting[i].Prepared)
				}
			}
			return ready, true
		}
	}
	if !v.apart {
		c.ClearDeferred()
		ready = append(waiting, Ready{Prepared: p})
		e.splitJointly(c, ready)
		return ready, len(waiting) > 0
	}
	return append(ready, Ready{Prepared: p}), len(waiting) > 0
}

// Release returns the events of the call that wait, for which the memory then
// holds nothing any longer. They are to be applied as those of Hold.
func (e *Engine) Release(c *state.Call) []Ready {
	ready := e.waiting(c)
	c.ClearDeferred()
	e.splitJointly(c, ready)
	return ready
}

// Overdue tells whether the events of the call that wait have done so for long
// enough, now that the clock which their notes were taken by shows a time, in ms.
func (e *Engine) Overdue(c *state.Call, clock int64) bool {
	held := c.Deferred()
	return len(held) > 0 && clock-held[0].Position.Clock >= e.opts.HoldBackTime.Milliseconds()
}

// heldCodec encodes what is held.
var heldCodec = func() *schemas.Codec {
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		panic(err) // JSON needs nothing that could be missing
	}
	return c
}()

// waiting returns the events that wait. Preparing one may fail, and so may
// reading it, although it is our own encoding under our own seal: then applying
// it will, too, where the caller knows by its note which event it is.
func (e *Engine) waiting(c *state.Call) []Ready {
	var ready []Ready
	for _, h := range c.Deferred() {
		p := &Prepared{}
		if ev, err := heldCodec.DecodeRaw(h.Event); err == nil {
			p = e.tryPrepare(ev)
		}
		ready = append(ready, Ready{p, true, h.Position})
	}
	return ready
}

func (e *Engine) tryPrepare(ev *schemas.RawEvent) (p *Prepared) {
	defer func() {
		if recover() != nil {
			p = &Prepared{Event: ev}
		}
	}()
	return e.Prepare(ev)
}

// discard gives back the workspace of an event that is not applied now.
func (e *Engine) discard(p *Prepared) {
	if p.work != nil {
		e.release(p.work)
		p.work = nil
	}
}

// verdict is what becomes of an event.
type verdict struct {
	// hold: it waits.
	hold bool
	// apart: it does not go on with what waits, which is let go.
	apart bool
}

// judge decides by what the event adds to those that wait. Where that fails,
// nothing waits.
func (e *Engine) judge(c *state.Call, waiting []Ready, p *Prepared) (v verdict) {
	defer func() {
		if recover() != nil { // its value may hold text
			v = verdict{}
		}
	}()
	if e.opts.HoldBack == 0 || p.Event.Type != schemas.Utterance || p.work == nil {
		return verdict{}
	}
	if len(waiting) == 0 {
		return verdict{hold: e.opens(c, p)}
	}
	room := len(waiting) < e.opts.HoldBack
	switch {
	case dialogue.IsBackchannel(&p.work.doc):
		return verdict{hold: room}
	case speakerID(waiting[0].Event) != speakerID(p.Event):
		return verdict{hold: room && dialogue.IsAside(&p.work.doc, &p.work.asked)}
	case e.continuation(c, waiting).ContinuedBy(&p.work.doc, &p.work.asked):
		r := e.readJointly(c, append(waiting[:len(waiting):len(waiting)], Ready{Prepared: p}))
		defer e.release(r.work)
		if r.continuation != dialogue.Complete || r.ReachesLast(r.found) {
			return verdict{hold: room && r.continuation != dialogue.Complete}
		}
	}
	return verdict{hold: e.opens(c, p), apart: true}
}

// opens reports whether an event by itself is to wait.
func (e *Engine) opens(c *state.Call, p *Prepared) bool {
	d := &p.work.doc
	return !dialogue.ExpectsDictation(d, c, p.Event.Seq) && dialogue.MayContinue(d, c) &&
		e.continuation(c, []Ready{{Prepared: p}}) != dialogue.Complete
}

// continuation reads events jointly and returns whether they end within something.
func (e *Engine) continuation(c *state.Call, events []Ready) dialogue.Continuation {
	r := e.readJointly(c, events)
	defer e.release(r.work)
	return r.continuation
}
