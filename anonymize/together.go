package anonymize

import (
	"strings"

	"sotto/detectors"
	"sotto/state"
)

// reading is what several utterances of one speaker say when they are read as
// one text.
type reading struct {
	work  *workspace
	turn  turn
	found []detectors.Finding
	parts []stretch
	open  openness
}

// stretch is where a part of the joint text comes from.
type stretch struct {
	event int // position among the events
	// at is where it begins in the joint text, from to to where it stands in the
	// event's own.
	at, from, to int
}

// share is what a reading tells of one event: the part of an entity that stands
// in it.
type share struct {
	finding detectors.Finding // positions are the event's
	mention state.Mention
	// last tells that no later event holds a part of the entity.
	last bool
}

// heldBack names the findings of shares.
const heldBack = "hold-back"

// readJointly reads the utterances of the first event's speaker as one, leaving out
// what was said between them. The call is left as it is. The caller gives the
// workspace back.
func (e *Engine) readJointly(c *state.Call, events []Ready) *reading {
	r := &reading{work: e.scratch.Get().(*workspace)}
	var text strings.Builder
	first := events[0].Event
	for i := range events {
		p := events[i].Prepared
		if i > 0 && (!sameSpeaker(first, p.Event) || p.work == nil || listens(&p.work.doc)) {
			continue
		}
		from, to := 0, len(p.Event.Text)
		if i > 0 {
			from = begin(&p.work.doc)
		}
		if i < len(events)-1 {
			to = end(&p.work.doc)
		}
		if from >= to {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		r.parts = append(r.parts, stretch{i, text.Len(), from, to})
		text.WriteString(p.Event.Text[from:to])
	}
	event := *first
	event.Text = text.String()
	r.turn = turn{Engine: e, call: c.Clone(), event: &event, work: r.work, limit: e.opts.MaxEntities}
	d := &r.work.doc
	if event.Speaker != nil {
		r.turn.speaker, _ = r.turn.call.Speaker(speakerOf(first))
	}
	e.read(r.work, event.Text, roleOf(&event), event.Tenant)
	r.turn.expect(d)
	r.work.matcher.Match(d, r.turn.call)
	r.turn.rules.Adjust(d)
	r.turn.filter(d)
	r.work.resolver.Explain = false
	r.found = r.turn.parts(d, r.work.resolver.Resolve(d))
	r.open = r.turn.openness(r.found)
	return r
}

// begin is where an utterance begins that goes on with what came before it.
func begin(d *detectors.Document) int {
	if i := firstSaid(d); i >= 0 {
		return int(d.Tokens[i].Start)
	}
	return len(d.Text)
}

// end is where an utterance ends that is gone on with.
func end(d *detectors.Document) int {
	if i := lastSaid(d); i >= 0 {
		return int(d.Tokens[i].End)
	}
	return 0
}

// together reads the events that are let go together, and tells each of them
// which of its words are a part of something that other ones complete.
func (e *Engine) together(c *state.Call, events []Ready) {
	if len(events) < 2 {
		return
	}
	defer func() {
		// Each event is then read for itself, as without hold-back. The value of
		// the panic may hold text.
		if recover() != nil {
			for i := range events {
				if w := events[i].work; w != nil {
					w.shares = nil
				}
			}
		}
	}()
	r := e.readJointly(c, events)
	for i := range r.found {
		r.divide(&r.found[i], events)
	}
	e.release(r.work)
}

// joins tells whether anything was found that the last event and an earlier one
// hold together.
func (r *reading) joins() bool {
	last := &r.parts[len(r.parts)-1]
	for i := range r.found {
		if f := &r.found[i]; f.Start < last.at && f.End > last.at {
			return true
		}
	}
	return false
}

// divide gives each event its share of a finding that spans several of them.
func (r *reading) divide(f *detectors.Finding, events []Ready) {
	var touched []int
	for i, s := range r.parts {
		if f.Start < s.at+s.to-s.from && s.at < f.End {
			touched = append(touched, i)
		}
	}
	if len(touched) < 2 {
		return
	}
	m := r.turn.mention(&r.work.doc, f)
	m.Words = append([]string(nil), m.Words...) // they are the workspace's
	for n, i := range touched {
		s := r.parts[i]
		g := *f
		g.Start = s.from + max(f.Start-s.at, 0)
		g.End = s.from + min(f.End-s.at, s.to-s.from)
		g.Value, g.Detector, g.Evidence = "", heldBack, f.Evidence|detectors.ByMemory
		w := events[s.event].work
		w.shares = append(w.shares, share{g, m, n == len(touched)-1})
	}
}

// share adds the findings of the shares that the event has.
func (t *turn) share(d *detectors.Document) {
	for i := range t.work.shares {
		d.Add(t.work.shares[i].finding)
	}
}

// shared returns the share that a finding is, or is a rest of; nil for none.
func (t *turn) shared(f *detectors.Finding) *share {
	if f.Detector != heldBack {
		return nil
	}
	for i := range t.work.shares {
		if s := &t.work.shares[i]; s.finding.Start <= f.Start && f.End <= s.finding.End && s.finding.Type == f.Type {
			return s
		}
	}
	return nil
}

// goesOn tells whether a later event holds more of what the text ends with.
func (t *turn) goesOn() bool {
	for i := range t.work.shares {
		if !t.work.shares[i].last {
			return true
		}
	}
	return false
}
