package refine

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// completeDoubleNames extends names of which only one half was found:
// "Delacroix-Hume".
func completeDoubleNames(d *detectors.Document) {
	if !d.HasClass(detectors.Punct) {
		return
	}
	for n := range d.Findings {
		f := &d.Findings[n]
		if f.Type != detectors.PersonName || f.Value != "" {
			continue
		}
		if i := d.TokenAt(f.Start); i >= 2 && i < len(d.Tokens) && isNameHyphen(d, i-1, i-2) && d.Tokens[i].Glued() {
			f.Start = int(d.Tokens[i-2].Start)
		}
		if j := d.TokenAt(f.End); j+1 < len(d.Tokens) && isNameHyphen(d, j, j+1) && d.Tokens[j+1].Glued() {
			f.End = int(d.Tokens[j+1].End)
		}
	}
}

// isNameHyphen reports whether token i is a hyphen that joins the word at token k
// to a name.
func isNameHyphen(d *detectors.Document, i, k int) bool {
	h, w := &d.Tokens[i], &d.Tokens[k]
	return h.Class == detectors.Punct && h.Ch == '-' && h.Times() == 1 && h.Glued() && w.Class.IsWord() && w.Len() > 2 &&
		(w.Flags&detectors.UpperFirst != 0 || lexicon.LookupHash(w.Hash).Common() == 0)
}
