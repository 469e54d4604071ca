package anonymize

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

const (
	// sureWords is the score from which on the tagger alone is believed that words
	// which are all everyday ones name something.
	sureWords = 0.55
	// saidDaily is how common such words are, on the lexicon's scale.
	saidDaily = 8
)

// trimWords takes off the tagger's organizations, places and products the words of
// grammar at their ends, "the pub" and "Zvooq by", and those of nothing but everyday
// words that it is not sure of.
func trimWords(d *detectors.Document) {
	n := 0
	for _, f := range d.Findings {
		if f.Evidence == detectors.ByModel && (f.Type == detectors.OrganizationName || f.Type == detectors.Location || f.Type == detectors.Product) {
			i, j := tokenAt(d, f.Start), tokenAt(d, f.End-1)
			for i <= j && grammar(d, i) {
				i++
			}
			for j >= i && grammar(d, j) {
				j--
			}
			if i > j || f.Score < sureWords && everydayWords(d, i, j) {
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

// grammar tells whether token i is a word of grammar that is not written as a name,
// or a mark.
func grammar(d *detectors.Document, i int) bool {
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

// everydayWords tells whether tokens i to j are lower-case words that are said daily.
func everydayWords(d *detectors.Document, i, j int) bool {
	for ; i <= j; i++ {
		if t := &d.Tokens[i]; t.Class != detectors.Lower || lexicon.LookupHash(t.Hash).Common() < saidDaily {
			return false
		}
	}
	return true
}
