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
// everyday words and have a low score, titles without a name ("the doctor"), and connectors ("at").
func trimEdges(d *detectors.Document) {
	n, titles := 0, 0
	for i, f := range d.Findings {
		keep := true
		switch {
		case f.Evidence != detectors.ByModel:
		case f.Type == detectors.PersonName && isTitle(d, &f):
			if titles++; titles <= maxTitles && joinTitle(d, &f, n, i) {
				continue
			}
			keep = false
		case isOnline(f.Type):
			keep = !isConnector(d, &f)
		case f.Type == detectors.OrganizationName || f.Type == detectors.Location || f.Type == detectors.Product:
			keep = trimGrammar(d, &f)
		}
		if !keep {
			d.Subthreshold = append(d.Subthreshold, f)
			continue
		}
		d.Findings[n] = f
		n++
	}
	d.Findings = d.Findings[:n]
}

// trimGrammar takes the grammar words at both ends off a finding, and reports whether what is left is
// more than everyday words.
func trimGrammar(d *detectors.Document, f *detectors.Finding) bool {
	i, j := d.TokenAt(f.Start), d.TokenAt(f.End-1)
	for i <= j && isGrammar(d, i) {
		i++
	}
	for j >= i && isGrammar(d, j) {
		j--
	}
	if i > j || f.Score < sureScore && allEveryday(d, i, j) {
		return false
	}
	f.Start, f.End = int(d.Tokens[i].Start), int(d.Tokens[j].End)
	return true
}

// maxTitles bounds the titles of a text that are joined to names, each of which takes a look at all
// findings.
const maxTitles = 32

// joinTitle extends the name behind a title to it, and reports whether there is one. Findings from
// done to next are no longer valid.
func joinTitle(d *detectors.Document, title *detectors.Finding, done, next int) bool {
	for k := range d.Findings {
		if f := &d.Findings[k]; (k < done || k > next) && f.Type == detectors.PersonName && f.Start > title.End && f.Start <= title.End+2 {
			f.Start = title.Start
			return true
		}
	}
	return false
}

// isConnector reports whether a finding is one connector, such as "at" or "dot", where no address is
// expected. If it stands between parts of one, joinAddresses masks it.
func isConnector(d *detectors.Document, f *detectors.Finding) bool {
	t := &d.Tokens[d.TokenAt(f.Start)]
	return t.Is(detectors.Connect) && int(t.End) >= f.End && d.Expected(detectors.EmailAddress) == 0 && d.Expected(detectors.UserName) == 0
}

// isTitle reports whether a finding is a title alone, "Mr.".
func isTitle(d *detectors.Document, f *detectors.Finding) bool {
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		if t := &d.Tokens[i]; !t.Is(detectors.Title) && t.Class != detectors.Punct {
			return false
		}
	}
	return true
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
