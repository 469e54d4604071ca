package anonymize

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// hyphens completes names of which one half of a double name was found:
// "Delacroix-Hume".
func hyphens(d *detectors.Document) {
	if !d.HasClass(detectors.Punct) {
		return
	}
	for n := range d.Findings {
		f := &d.Findings[n]
		if f.Type != detectors.PersonName || f.Value != "" {
			continue
		}
		if i := tokenAt(d, f.Start); i >= 2 && i < len(d.Tokens) && joinsName(d, i-1, i-2) && d.Tokens[i].Glued() {
			f.Start = int(d.Tokens[i-2].Start)
		}
		if j := tokenAt(d, f.End); j+1 < len(d.Tokens) && joinsName(d, j, j+1) && d.Tokens[j+1].Glued() {
			f.End = int(d.Tokens[j+1].End)
		}
	}
}

// joinsName tells whether a hyphen at token i ties the word at token k to a name.
func joinsName(d *detectors.Document, i, k int) bool {
	h, w := &d.Tokens[i], &d.Tokens[k]
	return h.Class == detectors.Punct && h.Ch == '-' && h.Times() == 1 && h.Glued() && w.Class.IsWord() && w.Len() > 2 &&
		(w.Flags&detectors.UpperFirst != 0 || lexicon.LookupHash(w.Hash).Common() == 0)
}
