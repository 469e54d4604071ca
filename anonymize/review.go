package anonymize

import (
	"cmp"
	"slices"

	"sotto/detectors"
	"sotto/detectors/spoken"
	"sotto/schemas"
	"sotto/state"
)

// Review masks in a clean event of the call what was learned after it was published, and returns
// the event as it should have been, with the entities that are new in it. It adds masks and
// removes none: what has a number keeps it, and what nobody had said yet gets the next one, which
// changes the state. It looks for known words only, and learns nothing from the event.
//
// The new entities have no raw positions, since the raw text no longer exists.
func (e *Engine) Review(c *state.Call, clean *schemas.CleanEvent) (final schemas.CleanEvent, added []schemas.Entity, changed bool) {
	if clean.Text == "" {
		return *clean, nil, false
	}
	w := e.workspace()
	defer e.release(w)
	d := &w.doc
	d.Reset(clean.Text)
	spoken.Scan(d)
	if !w.matcher.Match(d, c) {
		return *clean, nil, false
	}
	ev := schemas.RawEvent{CallID: clean.CallID, Seq: clean.Seq, Type: clean.Type, Context: clean.Context, Tenant: clean.Tenant, Text: clean.Text}
	p := eventPass{Engine: e, call: c, event: &ev}
	p.rules.Filter(d, ev.Tenant, nil)
	dropMasked(d, clean.Entities)
	w.resolver.Explain = false
	found := w.resolver.Resolve(d)
	if len(found) == 0 {
		return *clean, nil, false
	}
	found, refs := p.number(w, found)
	final = *clean
	// The look-alikes of the clean text are escaped already.
	final.Text, added = p.replaceFindings(w, found, refs, reviewPosition)
	for i := range added {
		added[i].RawStart, added[i].RawEnd = nil, nil
	}
	final.Entities = append(slices.Clone(added), shifted(d, clean.Entities, found, added)...)
	slices.SortFunc(final.Entities, func(a, b schemas.Entity) int { return cmp.Compare(a.Start, b.Start) })
	return final, added, p.changed
}

// shifted returns the entities of a clean text as they stand once found is replaced in it
// by the entities that are added.
func shifted(d *detectors.Document, entities []schemas.Entity, found []detectors.Finding, added []schemas.Entity) []schemas.Entity {
	out := slices.Clone(entities)
	for k := range out {
		e, shift := &out[k], 0
		for i := range found {
			if end := d.RuneOffset(found[i].End); end <= entities[k].Start {
				shift += added[i].End - added[i].Start - (end - d.RuneOffset(found[i].Start))
			}
		}
		e.Start, e.End = e.Start+shift, e.End+shift
	}
	return out
}

// dropMasked drops the findings that touch a masked span.
func dropMasked(d *detectors.Document, masks []schemas.Entity) {
	d.Findings = slices.DeleteFunc(d.Findings, func(f detectors.Finding) bool {
		start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
		return slices.ContainsFunc(masks, func(m schemas.Entity) bool { return start < m.End && m.Start < end })
	})
}
