package anonymize

import (
	"cmp"
	"slices"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/spoken"
	"sotto/schemas"
	"sotto/state"
)

// Review masks in a clean event of the call what was learnt after it had gone
// out, and returns the event as it should have been with the entities that are
// new in it. It adds masks and takes none away: what has a number keeps it, and
// what nobody had said yet gets the next one, for which the memory changes.
// Words alone are looked for; nothing is learnt from the event.
//
// The new entities have no raw positions, since the raw text is gone.
func (e *Engine) Review(c *state.Call, clean *schemas.CleanEvent) (final schemas.CleanEvent, added []schemas.Entity, changed bool) {
	if clean.Text == "" {
		return *clean, nil, false
	}
	w := e.scratch.Get().(*workspace)
	defer e.release(w)
	ev := schemas.RawEvent{CallID: clean.CallID, Seq: clean.Seq, Type: clean.Type, Context: clean.Context, Tenant: clean.Tenant, Text: clean.Text}
	t := turn{Engine: e, call: c, event: &ev, work: w, firstPos: reviewPos}
	d := &w.doc
	d.Reset(clean.Text)
	w.matcher = mention.Matcher{}
	spoken.Scan(d)
	if !w.matcher.Match(d, c) {
		return *clean, nil, false
	}
	t.filter(d)
	dropMasked(d, clean.Entities)
	w.resolver.Explain = false
	found := w.resolver.Resolve(d)
	if len(found) == 0 {
		return *clean, nil, false
	}
	found = t.parts(d, t.joinNames(d, found))
	final = *clean
	refs := t.numbers(d, found)
	final.Text, added = t.render(d, found, refs)
	final.Entities = append([]schemas.Entity(nil), added...)
	for _, old := range clean.Entities {
		shift := 0
		for i := range found {
			if end := d.RuneOffset(found[i].End); end <= old.Start {
				shift += added[i].End - added[i].Start - (end - d.RuneOffset(found[i].Start))
			}
		}
		old.Start, old.End = old.Start+shift, old.End+shift
		final.Entities = append(final.Entities, old)
	}
	for i := range added {
		final.Entities[i].RawStart, final.Entities[i].RawEnd = nil, nil
	}
	slices.SortFunc(final.Entities, func(a, b schemas.Entity) int { return cmp.Compare(a.Start, b.Start) })
	return final, added, t.changed
}

// dropMasked drops the findings that touch a masked span.
func dropMasked(d *detectors.Document, masks []schemas.Entity) {
	d.Findings = slices.DeleteFunc(d.Findings, func(f detectors.Finding) bool {
		start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
		return slices.ContainsFunc(masks, func(m schemas.Entity) bool { return start < m.End && m.Start < end })
	})
}
