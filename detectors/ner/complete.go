package ner

import (
	"cmp"
	"slices"

	"sotto/detectors"
)

// others walks along what other detectors found, beside the names of the model.
// It keeps its memory between texts.
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

// complete tells whether a name adds nothing to what other detectors found. It
// does not when it lies within something else, such as an address, and not
// when a name of its type rests on a cue or a list: that one is then made as
// long as both, unless something else overlaps it. Names must come in order.
func (o *others) complete(findings []detectors.Finding, f *detectors.Finding) bool {
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
