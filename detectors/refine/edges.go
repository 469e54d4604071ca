package refine

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

const (
	// sureScore is the tagger's score from which words count that are all
	// everyday ones.
	sureScore = 0.55
	// everydayWord is how common such words are, on the lexicon's scale.
	everydayWord = 8
)

// trimEdges takes the grammar words at both ends off the tagger's organizations,
// places and products ("the pub", "Zvooq by"). It drops those that consist of
// everyday words and have a low score.
func trimEdges(d *detectors.Document) {
	n := 0
	for _, f := range d.Findings {
		if f.Evidence == detectors.ByModel && (f.Type == detectors.OrganizationName || f.Type == detectors.Location || f.Type == detectors.Product) {
			i, j := d.TokenAt(f.Start), d.TokenAt(f.End-1)
			for i <= j && isGrammar(d, i) {
				i++
			}
			for j >= i && isGrammar(d, j) {
				j--
			}
			if i > j || f.Score < sureScore && allEveryday(d, i, j) {
				d.Subthreshold = append(d.Subthreshold, f)
				continue
			}
			f.Start, f.End = int(d.Tokens[i].Start), int(d.Tokens[j].End)
		}
		d.Findings[n] = f
		n++
	}
	d.Findings = d.Findings[:n]
}

// isGrammar reports whether token i is a punctuation mark, or a grammar word that
// is not written as a name.
func isGrammar(d *detectors.Document, i int) bool {
	t := &d.Tokens[i]
	switch t.Class {
	case detectors.Lower:
		return t.Is(detectors.Function) && t.Bits&(detectors.State|detectors.Province|detectors.Month) == 0
	case detectors.Punct:
		return t.Ch != '.' && t.Ch != ')'
	case detectors.Cap:
		return string(d.Word(i)) == "the" && i == 0
	}
	return false
}

// allEveryday reports whether tokens i to j are all everyday words in lower case.
func allEveryday(d *detectors.Document, i, j int) bool {
	for ; i <= j; i++ {
		if t := &d.Tokens[i]; t.Class != detectors.Lower || lexicon.LookupHash(t.Hash).Common() < everydayWord {
			return false
		}
	}
	return true
}
