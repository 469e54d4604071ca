package anonymize

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/detectors/encoder"
	"sotto/detectors/lookalike"
	"sotto/schemas"
	"sotto/state"
)

// leastMonologue is how many bytes a single text has at least that is read once more, such as that of a voicemail.
const leastMonologue = 400

// Reread lets the encoder read the published events of a finished call once more, as a whole, and returns for each event
// what ClosingPass should mask in it, beside what the call knows. Equal events give equal findings. A short
// text that stands alone is no call: there, the encoder, which learned on calls, finds hardly more and masks too much.
// The error is that of ctx.
func (e *Engine) Reread(ctx context.Context, events []*schemas.CleanEvent) ([][]detectors.Finding, error) {
	found := make([][]detectors.Finding, len(events))
	texts, size := 0, 0
	for _, clean := range events {
		texts, size = texts+min(len(clean.Text), 1), size+len(clean.Text)
	}
	if texts < 2 && size < leastMonologue || e.opts.ReadOnce || e.untagged || e.encoder == nil {
		return found, nil
	}
	finished := e.of(events[0].Tenant, events[0].Context).finished
	turns, readings := make([]encoder.Turn, len(events)), make([]encoder.Reading, len(events))
	texted, speakers := make([]withStandIn, len(events)), map[string]int{}
	for i, clean := range events {
		texted[i] = withStandIns(clean)
		e.encoder.Model().Split(&turns[i], texted[i].text, voiceOf(clean.Speaker, speakers))
	}
	if err := e.encoder.ReadFull(ctx, turns, readings); err != nil {
		return nil, err
	}
	for i := range events {
		for _, f := range e.labels.Finished(texted[i].text, &reading{turn: turns[i], Reading: readings[i]}, finished) {
			if start, end, ok := texted[i].place(f.Start, f.End); ok {
				f.Start, f.End = start, end
				found[i] = append(found[i], f)
			}
		}
	}
	return found, nil
}

// voiceOf is what the encoder is told of the speaker of a clean event. speakers numbers those of the call.
func voiceOf(s *schemas.Speaker, speakers map[string]int) int {
	if s == nil {
		return 1
	}
	n, ok := speakers[s.ID]
	if !ok {
		n = len(speakers) + 1
		speakers[s.ID] = n
	}
	return 2 - n%2
}

// ClosingPass masks in a clean event of the call what was learned after it was published and what Reread
// found in it, and returns the event as it should have been, with the entities that are new in it. It adds
// masks and removes none: what has a number keeps it, and what nobody had said yet gets the next one, which
// changes the state.
//
// The policy is that of the event's tenant and context.
//
// The new entities have raw positions if those of the event have.
func (e *Engine) ClosingPass(c *state.Call, clean *schemas.CleanEvent, again []detectors.Finding) (final schemas.CleanEvent, added []schemas.Entity, changed bool) {
	if clean.Text == "" {
		return *clean, nil, false
	}
	e = e.of(clean.Tenant, clean.Context)
	w := e.workspace()
	defer e.release(w)
	before, d := c.Changes(), &w.doc
	ev := schemas.RawEvent{CallID: clean.CallID, Seq: clean.Seq, Type: clean.Type, Context: clean.Context, Tenant: clean.Tenant, Text: clean.Text}
	p := eventPass{engine: e, call: c, event: &ev, published: clean, again: again}
	w.text = clean.Text
	p.run(w, onClosing, splitWords, addUnformatted)
	if len(w.found) == 0 {
		return *clean, nil, false
	}
	found, refs := p.number(w, w.found)
	final = *clean
	// The look-alikes of the clean text are escaped already.
	final.Text, added = p.replaceFindings(w, found, refs, reviewPosition)
	setRaw(clean, added)
	final.Entities = withAdded(d, clean.Entities, found, added)
	return final, added, c.Changes() != before
}

// leadsToMask reports whether a finding of Reread is no value: it has no words, as between two parts of a value, or only words of
// grammar beside the mask to whose value they lead, such as "to" before an address, and "at" before a host.
func leadsToMask(d *detectors.Document, f *detectors.Finding, masks []schemas.Entity) bool {
	start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
	if isAt(d, f) && slices.ContainsFunc(masks, func(m schemas.Entity) bool { return isHost(m.Type) && (m.Start == end || m.Start == end+1) }) {
		return true
	}
	symbols := detectors.NumWord | detectors.LetterSound | detectors.LetterName | detectors.Spelling | detectors.Connect
	if f.Type == detectors.EmailAddress {
		symbols &^= detectors.NumWord // "to"
	}
	words := 0
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			continue
		}
		if words++; !t.Is(detectors.Function) || t.Class == detectors.Letter || t.Is(symbols) {
			return false
		}
	}
	if words == 0 {
		return true
	}
	return slices.ContainsFunc(masks, func(m schemas.Entity) bool { return m.Start == end || m.End == start })
}

// withAdded returns the entities of a clean text as they stand once found is replaced in it
// by further entities, with these.
func withAdded(d *detectors.Document, entities []schemas.Entity, found []detectors.Finding, by []schemas.Entity) []schemas.Entity {
	out := slices.Clone(entities)
	for k := range out {
		e, shift := &out[k], 0
		for i := range found {
			if end := d.RuneOffset(found[i].End); end <= entities[k].Start {
				shift += by[i].End - by[i].Start - (end - d.RuneOffset(found[i].Start))
			}
		}
		e.Start, e.End = e.Start+shift, e.End+shift
	}
	out = append(out, by...)
	slices.SortFunc(out, func(a, b schemas.Entity) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// setRaw gives new entities, whose raw positions are those in the clean text, the positions in the raw text
// if the entities of the event have them, and none otherwise.
func setRaw(clean *schemas.CleanEvent, added []schemas.Entity) {
	lacks := slices.ContainsFunc(clean.Entities, func(e schemas.Entity) bool { return e.RawStart == nil || e.RawEnd == nil })
	_, marks := lookalike.UnescapeAt(clean.Text)
	raw := func(at int) *int {
		shift := 0
		for _, mark := range marks {
			if mark < at {
				shift--
			}
		}
		for _, e := range clean.Entities {
			if e.End <= at {
				shift += *e.RawEnd - *e.RawStart - (e.End - e.Start)
			}
		}
		at += shift
		return &at
	}
	for i := range added {
		if a := &added[i]; a.RawStart == nil || lacks {
			a.RawStart, a.RawEnd = nil, nil
		} else {
			a.RawStart, a.RawEnd = raw(*a.RawStart), raw(*a.RawEnd)
		}
	}
}

// byUse is the detector of words that only too few calls use.
const byUse = "indirect"

// byteOffsets returns a function that makes byte offsets of positions in code points, which must not fall
// from one call to the next.
func byteOffsets(text string) func(point int) int {
	at, point := 0, 0
	return func(to int) int {
		for ; point < to && at < len(text); point++ {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
		}
		return at
	}
}

// MaskWords masks words of a clean event that would identify somebody although they are no
// personal information: NUMERIC if a word begins with a digit, otherwise SPELLED_WORD, without a
// number. The words must be in order, and touch neither each other nor an entity. changed reports
// whether the state of the call changed.
func (e *Engine) MaskWords(c *state.Call, clean *schemas.CleanEvent, words []schemas.Span) (masked schemas.CleanEvent, changed bool) {
	if len(words) == 0 {
		return *clean, false
	}
	e = e.of(clean.Tenant, clean.Context)
	w := e.workspace()
	defer e.release(w)
	before, d := c.Changes(), &w.doc
	d.Reset(clean.Text)
	found, refs := make([]detectors.Finding, len(words)), make([]state.Ref, len(words))
	byteOf := byteOffsets(clean.Text)
	for i, span := range words {
		f := &found[i]
		*f = detectors.Finding{Start: byteOf(span.Start), End: byteOf(span.End), Type: detectors.SpelledWord, Detector: byUse,
			Likelihood: detectors.Possible, Score: detectors.ScoreOf(detectors.Possible), Evidence: detectors.ByShape}
		if first := clean.Text[f.Start:]; first != "" && first[0] >= '0' && first[0] <= '9' {
			f.Type = detectors.Numeric
		}
		refs[i] = state.Ref{Type: string(f.Type)}
	}
	ev := schemas.RawEvent{CallID: clean.CallID, Seq: clean.Seq, Type: clean.Type, Context: clean.Context, Tenant: clean.Tenant, Text: clean.Text}
	p := eventPass{engine: e, call: c, event: &ev}
	masked = *clean
	var added []schemas.Entity
	masked.Text, added = p.replaceFindings(w, found, refs, usePosition)
	for i := range added {
		added[i].RawStart, added[i].RawEnd = nil, nil
	}
	masked.Entities = withAdded(d, clean.Entities, found, added)
	return masked, c.Changes() != before
}
