package anonymize

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// dropVerbs takes out names of one word that the model alone saw where the
// word after it makes it a verb: "mark my words", "bill the account". A name is
// not followed by a determiner without something in between; the model, which
// learnt from names, does not always know.
func dropVerbs(d *detectors.Document) {
	n := 0
	for _, f := range d.Findings {
		if f.Evidence == detectors.ByModel && f.Type == detectors.PersonName && asVerb(d, &f) {
			d.Subthreshold = append(d.Subthreshold, f)
			continue
		}
		d.Findings[n] = f
		n++
	}
	d.Findings = d.Findings[:n]
}

func asVerb(d *detectors.Document, f *detectors.Finding) bool {
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if int(t.Start) != f.Start {
			continue
		}
		if int(t.End) != f.End || i+1 == len(d.Tokens) || lexicon.LookupHash(t.Hash).Common() == 0 {
			return false
		}
		switch string(d.Word(i + 1)) {
		case "my", "your", "our", "their", "the", "a", "an", "this", "that", "these", "those":
			return true
		}
		return false
	}
	return false
}
