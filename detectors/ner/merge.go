package ner

import (
	"cmp"
	"slices"

	"sotto/detectors"
)

// others holds what other detectors found near the names of the model. It keeps
// its memory between texts.
type others struct {
	// order has the positions of their findings in the order of their starts;
	// those before next have begun, and active are those of them that may overlap
	// the next name.
	order, active []int32
	next          int
}

// begin takes the findings of a document. Without need it takes none.
func (o *others) begin(d *detectors.Document, need bool) {
	o.order, o.active, o.next = o.order[:0], o.active[:0], 0
	if !need {
		return
	}
	for i := range d.Findings {
		o.order = append(o.order, int32(i))
	}
	slices.SortFunc(o.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(d.Findings[a].Start, d.Findings[b].Start), cmp.Compare(a, b))
	})
}

// merge reports whether a name needs no finding of its own: it lies within a
// stronger finding of another infoType, such as an address, or a finding of its own
// infoType rests on a cue or a list. The latter is made as long as both, unless
// something else overlaps the name. Names must come in order.
func (o *others) merge(findings []detectors.Finding, f *detectors.Finding) bool {
	for o.next < len(o.order) && findings[o.order[o.next]].Start < f.End {
		o.active = append(o.active, o.order[o.next])
		o.next++
	}
	o.active = slices.DeleteFunc(o.active, func(i int32) bool { return findings[i].End <= f.Start })
	part, apart := int32(-1), true
	for _, i := range o.active {
		g := &findings[i]
		switch {
		case g.Type == f.Type:
			if part < 0 && g.Value == "" && g.Evidence&(detectors.ByCue|detectors.ByDictionary) != 0 {
				part = i
			}
		case g.Start <= f.Start && g.End >= f.End && g.Evidence.Tier() > f.Evidence.Tier():
			return true
		default:
			apart = false
		}
	}
	if part < 0 || !apart {
		return false
	}
	g := &findings[part]
	g.Hint |= f.Hint
	if g.Start > f.Start || g.End < f.End {
		g.Start, g.End = min(g.Start, f.Start), max(g.End, f.End)
		g.Evidence |= detectors.ByModel
	}
	return true
}
