package refine

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// dropVerbs drops names of one word that only the tagger saw where the word after
// it makes it a verb: "mark my words", "bill the account". A determiner does not
// follow a name directly; the tagger, which learned from names, does not always
// know.
func dropVerbs(d *detectors.Document) {
	n := 0
	for _, f := range d.Findings {
		if f.Evidence == detectors.ByModel && f.Type == detectors.PersonName && isVerb(d, &f) {
			d.Subthreshold = append(d.Subthreshold, f)
			continue
		}
		d.Findings[n] = f
		n++
	}
	d.Findings = d.Findings[:n]
}

// isVerb reports whether a finding is one everyday word with a determiner behind
// it.
func isVerb(d *detectors.Document, f *detectors.Finding) bool {
	i := d.TokenAt(f.Start)
	if i+1 >= len(d.Tokens) {
		return false
	}
	if t := &d.Tokens[i]; int(t.Start) != f.Start || int(t.End) != f.End || lexicon.LookupHash(t.Hash).Common() == 0 {
		return false
	}
	return determiners.Has(d.Tokens[i+1].Hash)
}
