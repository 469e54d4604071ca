package anonymize

import (
	"slices"

	"sotto/anonymize/dialogue"
	"sotto/detectors"
	"sotto/state"
)

// jointReading is what several utterances of one speaker say when they are read as one
// text.
type jointReading struct {
	dialogue.Joint
	pass         eventPass
	work         *workspace
	found        []detectors.Finding
	continuation dialogue.Continuation
}

// readJointly reads the utterances of the first event's speaker as one text, without what
// was said between them. It leaves the call as it is. The caller releases the workspace.
func (e *Engine) readJointly(c *state.Call, events []Released) *jointReading {
	first := events[0].Event
	utterances := make([]*detectors.Document, len(events))
	for i := range events {
		p := events[i].Prepared
		if i == 0 || speakerID(p.Event) == speakerID(first) && p.work != nil && !dialogue.IsBackchannel(&p.work.doc) {
			utterances[i] = &p.work.doc
		}
	}
	r := &jointReading{Joint: dialogue.Join(utterances), work: e.workspace()}
	r.pass = eventPass{Engine: e, call: c.Clone(), event: first, turn: dialogue.TurnOf(first)}
	r.pass.turn.Speaker, _ = r.pass.call.Speaker(speakerID(first))
	e.read(r.work, r.Text, roleOf(first), first.Tenant)
	r.found = r.pass.splitAddresses(r.work, r.pass.findKnown(r.work))
	r.continuation = dialogue.ContinuationOf(&r.work.doc, r.found, &r.work.mentions)
	return r
}

// splitJointly reads events that are released together as one text, and gives each of them
// its parts of what spans several.
func (e *Engine) splitJointly(c *state.Call, events []Released) {
	if len(events) < 2 {
		return
	}
	defer func() {
		// Each event is then read for itself, as without hold-back. The value of the
		// panic may contain text.
		if recover() != nil {
			for i := range events {
				if w := events[i].work; w != nil {
					w.parts = nil
				}
			}
		}
	}()
	r := e.readJointly(c, events)
	for i := range r.found {
		parts := r.Split(&r.found[i])
		if len(parts) == 0 {
			continue
		}
		whole := r.pass.mention(r.work, &r.found[i])
		whole.Words = slices.Clone(whole.Words) // they are the workspace's
		for _, part := range parts {
			part.Whole = whole
			w := events[part.Utterance].work
			w.parts = append(w.parts, part)
		}
	}
	e.release(r.work)
}
