package anonymize

import (
	"context"
	"encoding/json"

	"sotto/schemas"
	"sotto/state"
)

// Staged is an event that was staged and is to be applied now, and what Stage was given with it.
type Staged struct {
	*Prepared
	Position state.RecordPosition
}

// Stage moves an event with the answers of remote tiers into the state, behind those that are
// staged already, and reports whether there was room for it. Release returns what is staged.
// Between the two, the caller saves the state: what is made of the event then depends on nothing
// but the state, whatever fails and whatever the tiers would answer the next time.
//
// Once an event of a call is staged, all that follow must be, so that they keep their order.
func (c Conversation) Stage(p *Prepared, at state.RecordPosition) bool {
	event, err := stagedCodec.AppendRaw(nil, p.Event)
	if err != nil {
		return false
	}
	var answer []byte
	if p.Remote != nil {
		answer, err = json.Marshal(p.Remote)
	}
	if err != nil || !c.call.Stage(state.Staged{Event: event, Remote: answer, RecordPosition: at}) {
		return false
	}
	c.anonymizer.discard(p)
	return true
}

// Release returns the staged events, for which the state then keeps nothing. Apply must be called
// for each of them, in order, before any other method.
//
// Decoding one may fail, although it is our own encoding under our own seal, and so may preparing
// it. Then Apply fails, too, where the caller knows by its position which event it is.
func (c Conversation) Release() []Staged {
	var events []Staged
	for _, s := range c.call.Staged() {
		p := &Prepared{}
		if ev, err := stagedCodec.DecodeRaw(s.Event); err == nil {
			p = c.tryPrepare(ev)
			if json.Unmarshal(s.Remote, &p.Remote) != nil {
				p.Remote = nil // none was staged: the state is authentic
			}
		}
		events = append(events, Staged{p, s.RecordPosition})
	}
	c.call.ClearStaged()
	return events
}

func (c Conversation) tryPrepare(ev *schemas.RawEvent) (p *Prepared) {
	defer func() {
		if recover() != nil {
			p = &Prepared{Event: ev}
		}
	}()
	return c.anonymizer.Prepare(ev)
}

// discard releases the workspace of an event that is not applied now.
func (e *Engine) discard(p *Prepared) {
	if p.work != nil {
		e.of(p.Event.Tenant, p.Event.Context).release(p.work)
		p.work = nil
	}
}

// stagedCodec encodes staged events.
var stagedCodec = func() *schemas.Codec {
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		panic(err) // cannot happen: JSON needs no registry
	}
	return c
}()
