package anonymize

import (
	"context"

	"sotto/anonymize/dialogue"
	"sotto/schemas"
	"sotto/state"
)

// Released is an event that is to be applied now, by Conversation.Apply.
type Released struct {
	*Prepared
	// Deferred reports whether the event was deferred. Position is then what
	// Conversation.Accept was given with it.
	Deferred bool
	Position state.RecordPosition
}

// accept decides whether an event is deferred; see Conversation.Accept.
func (e *Engine) accept(c *state.Call, p *Prepared, at state.RecordPosition) (released []Released, changed bool) {
	if e.opts.HoldBack == 0 && len(c.Deferred()) == 0 {
		return []Released{{Prepared: p}}, false
	}
	earlier := e.deferred(c)
	v := e.judge(c, earlier, p)
	if !v.continues {
		c.ClearDeferred()
		e.splitJointly(c, earlier)
		released = earlier
	}
	if v.deferred && e.deferEvent(c, p, at) {
		if v.continues {
			for i := range earlier {
				e.discard(earlier[i].Prepared)
			}
		}
		return released, true
	}
	if v.continues {
		c.ClearDeferred()
		released = append(earlier, Released{Prepared: p})
		e.splitJointly(c, released)
		return released, len(earlier) > 0
	}
	return append(released, Released{Prepared: p}), len(earlier) > 0
}

// releaseDeferred returns the deferred events of the call, for which the call then keeps nothing.
func (e *Engine) releaseDeferred(c *state.Call) []Released {
	released := e.deferred(c)
	c.ClearDeferred()
	if e.opts.RemoteTiers == "" {
		e.splitJointly(c, released)
	}
	return released
}

// overdue reports whether the deferred events of the call have waited for long enough.
func (e *Engine) overdue(c *state.Call, clock int64) bool {
	deferred := c.Deferred()
	return len(deferred) > 0 && clock-deferred[0].Position.Clock >= e.opts.HoldBackTime.Milliseconds()
}

// deferralCodec encodes deferred events.
var deferralCodec = func() *schemas.Codec {
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		panic(err) // cannot happen: JSON needs no registry
	}
	return c
}()

// deferEvent moves an event into the call, and reports whether there was room for it.
func (e *Engine) deferEvent(c *state.Call, p *Prepared, at state.RecordPosition) bool {
	event, err := deferralCodec.AppendRaw(nil, p.Event)
	if err != nil || !c.Defer(state.Deferred{Event: event, Position: at}) {
		return false
	}
	e.discard(p)
	return true
}

// deferred returns the deferred events of the call. Decoding one may fail, although it is
// our own encoding under our own seal, and so may preparing it. Then applying it will fail,
// too, where the caller knows by its position which event it is.
func (e *Engine) deferred(c *state.Call) []Released {
	var events []Released
	for _, d := range c.Deferred() {
		p := &Prepared{}
		if ev, err := deferralCodec.DecodeRaw(d.Event); err == nil {
			p = e.tryPrepare(ev)
			p.Remote = decodeRemote(d.Remote)
		}
		events = append(events, Released{p, true, d.Position})
	}
	return events
}

func (e *Engine) tryPrepare(ev *schemas.RawEvent) (p *Prepared) {
	defer func() {
		if recover() != nil {
			p = &Prepared{Event: ev}
		}
	}()
	return e.Prepare(ev)
}

// discard releases the workspace of an event that is not applied now.
func (e *Engine) discard(p *Prepared) {
	if p.work != nil {
		e.release(p.work)
		p.work = nil
	}
}

// verdict is what becomes of an event.
type verdict struct {
	// deferred means that it is deferred, if there is room for it.
	deferred bool
	// continues means that it belongs to the deferred events before it. Otherwise they are
	// released first.
	continues bool
}

// judge decides by what the event adds to those that are deferred. If that fails, all of
// them are released.
func (e *Engine) judge(c *state.Call, earlier []Released, p *Prepared) (v verdict) {
	defer func() {
		if recover() != nil { // its value may contain text
			v = verdict{continues: true}
		}
	}()
	if e.opts.HoldBack == 0 || p.Event.Type != schemas.Utterance || p.work == nil {
		return verdict{continues: true}
	}
	if len(earlier) == 0 {
		return verdict{deferred: e.isOpen(c, p), continues: true}
	}
	d, asked := &p.work.doc, &p.work.asked
	room := len(earlier) < e.opts.HoldBack
	switch {
	case dialogue.IsBackchannel(d):
		return verdict{deferred: room, continues: true}
	case speakerID(earlier[0].Event) != speakerID(p.Event):
		return verdict{deferred: room && dialogue.IsAside(d, asked), continues: true}
	case e.continuation(c, earlier).ContinuedBy(d, asked):
		r := e.readJointly(c, append(earlier[:len(earlier):len(earlier)], Released{Prepared: p}))
		defer e.release(r.work)
		open := r.continuation != dialogue.Complete
		if open || r.ReachesLast(r.found) {
			return verdict{deferred: room && open, continues: true}
		}
	}
	return verdict{deferred: e.isOpen(c, p)}
}

// isOpen reports whether an event by itself ends within something that a later one may
// continue. What continues a known dictation is not: it is masked as a part of the whole.
func (e *Engine) isOpen(c *state.Call, p *Prepared) bool {
	d := &p.work.doc
	return !dialogue.ExpectsDictation(d, c, p.Event.Seq) && dialogue.MayContinue(d, c) &&
		e.continuation(c, []Released{{Prepared: p}}) != dialogue.Complete
}

// continuation reads events jointly and returns whether they end within something.
func (e *Engine) continuation(c *state.Call, events []Released) dialogue.Continuation {
	r := e.readJointly(c, events)
	defer e.release(r.work)
	return r.continuation
}
