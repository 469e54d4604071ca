package anonymize

import (
	"unicode/utf8"

	"sotto/anonymize/dialogue"
	"sotto/anonymize/mention"
	"sotto/anonymize/replace"
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/linking"
)

// Where the findings of a label, those that the closing pass adds, those of MaskWords and those of Renumber begin to count;
// those of a text come before, so that no two findings of an event share their draws.
const (
	labelPosition    = 1 << 24
	reviewPosition   = 2 << 24
	usePosition      = 3 << 24
	renumberPosition = 4 << 24
)

// render replaces the findings, which are disjoint and in order, escapes what looks like a tag or
// an annotation, and returns the clean text with its entities. position is what the first finding
// counts as.
func (p *eventPass) render(w *workspace, found []detectors.Finding, refs []state.Ref, position int) (string, []schemas.Entity) {
	text, entities := p.replaceFindings(w, found, refs, position)
	return escapeLookAlikes(text, entities), entities
}

// replaceFindings is render without escaping.
func (p *eventPass) replaceFindings(w *workspace, found []detectors.Finding, refs []state.Ref, position int) (string, []schemas.Entity) {
	d, out := &w.doc, w.out[:0]
	entities := make([]schemas.Entity, len(found))
	at, runes := 0, 0
	for i := range found {
		f, r := &found[i], refs[i]
		out = append(out, d.Text[at:f.Start]...)
		runes += d.RuneOffset(f.Start) - d.RuneOffset(at)
		before := len(out)
		out = p.appendReplacement(out, d, f, r, position+i)
		e := p.entity(f, r)
		e.Start = runes
		runes += utf8.RuneCount(out[before:])
		e.End = runes
		if p.engine.opts.RawOffsets {
			start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
			e.RawStart, e.RawEnd = &start, &end
		}
		entities[i] = e
		at = f.End
	}
	out = append(out, d.Text[at:]...)
	w.out = out
	return string(out), entities
}

// entity returns a finding as the clean event has it, without its positions.
func (p *eventPass) entity(f *detectors.Finding, r state.Ref) schemas.Entity {
	e := schemas.Entity{Type: r.Type, Detector: f.Detector, Score: score(f.Score)}
	if p.engine.plan.Numbered(r.Type) {
		e.ID = r.N
	}
	switch r.Source {
	case linking.SourceLabel:
		e.Detector, e.Score = "speaker", 1
	case linking.SourceParticipant:
		e.Detector, e.Score = "participant", 1
	}
	return e
}

// score rounds to two decimals, so that a float32 does not show in JSON.
func score(s float32) float64 {
	return float64(int(float32(s*100)+0.5)) / 100
}

// appendReplacement appends what replaces a finding.
func (p *eventPass) appendReplacement(dst []byte, d *detectors.Document, f *detectors.Finding, r state.Ref, position int) []byte {
	m := replace.Mention{Type: r.Type, N: r.N}
	if !p.engine.plan.Draws() {
		return p.engine.plan.Append(dst, nil, &m)
	}
	m.Text, m.Before, m.Seq, m.Pos = d.Text[f.Start:f.End], d.Text[:f.Start], p.event.Seq, position
	if dialogue.ContinuesDictation(f) {
		m.Said = p.said
	}
	if r.Type == string(detectors.PersonName) {
		m.Full, m.First = p.call.FullName(r, m.Text), p.call.FirstAlias(r)
		m.Part = mention.Part(f.Hint)
		m.Taken = namesOf(p.call, r)
	}
	return p.engine.plan.Append(dst, p.seed(), &m)
}

// namesOf returns which words no surrogate of a person may have. It is a function of its own, so that the pass of an event stays off
// the heap.
func namesOf(c *state.Call, r state.Ref) func(word string) bool {
	return func(word string) bool { return c.HasName(r, word) }
}

// seed returns what the draws of the call are keyed by. It is remembered with the call,
// so that draws continue as they began when the keys are rotated.
func (p *eventPass) seed() *replace.Seed {
	if s := p.call.Seed(); s != nil {
		return (*replace.Seed)(s)
	}
	s := p.engine.plan.Seed(p.event.CallID)
	p.call.SetSeed(s[:])
	return &s
}
