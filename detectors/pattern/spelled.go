package pattern

import (
	"slices"

	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
)

// letters classifies a run that has no digits: a word that was spelled.
func (t *classifier) letters() {
	best := candidate{}
	if len(t.code) >= 3 && !t.isAcronym() {
		best = t.spelledWord()
	}
	for _, e := range t.doc.Expect {
		row := e.Type.Row()
		if len(t.code) < 2 || row == nil || !row.Spelled {
			continue
		}
		if s := 0.7 + float32(0.2*e.Strength); s > best.score && !(best.kind == d.PersonName && e.Type == d.GenericID) {
			best = candidate{kind: e.Type, match: ids.Loose, evidence: d.ByExpectation, score: s}
		}
	}
	if best.match > ids.None {
		t.emit(best)
	}
}

// codeWindow is how near a hotword must be to a code of letters only.
const codeWindow = 40

// spelledWord classifies letters that were not asked for: as a name, as the code that a
// hotword names, or as a word.
func (t *classifier) spelledWord() candidate {
	c := candidate{kind: d.SpelledWord, match: ids.Loose, evidence: d.ByShape, score: 0.6}
	if t.near[d.HotSpell] < d.Far {
		c.evidence |= d.ByHotword
		c.score = 0.8
	}
	for _, named := range d.NamedCodes() {
		if t.near[named.Hotword] < codeWindow && named.Row.Match(t.code) >= ids.Exact {
			c = candidate{kind: named.Row.Type, match: ids.Exact, evidence: d.ByHotword | d.ByShape, score: 0.85}
		}
	}
	switch {
	case lexicon.LookupHash(wordhash.Bytes(t.code)).Given() >= 6:
		c.kind = d.PersonName
	case t.near[d.HotAccount] < 15 && len(t.code) >= 4:
		c.kind = d.GenericID
	}
	return c
}

// isAcronym reports whether letters are an abbreviation that everybody knows, or
// the same letter over and over, as stutterers say it.
func (t *classifier) isAcronym() bool {
	differs := slices.ContainsFunc(t.code, func(c byte) bool { return c != t.code[0] })
	return !differs || knownAcronym(t.code)
}

// knownAcronym reports whether letters are an abbreviation that everybody knows.
func knownAcronym(code []byte) bool { return acronyms.Has(wordhash.Bytes(code)) }
