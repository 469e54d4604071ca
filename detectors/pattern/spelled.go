package pattern

import (
	"slices"

	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/internal/wordhash"
)

// letters classifies a run that has no digits: a word that was spelled.
func (t *classifier) letters() {
	if len(t.code) < 3 || t.isAcronym() {
		return
	}
	best := candidate{kind: d.SpelledWord, match: ids.Loose, evidence: d.ByShape, score: 0.6}
	for _, named := range d.NamedCodes() {
		if t.near[named.Hotword] < codeWindow && named.Row.Match(t.code) >= ids.Exact {
			best = candidate{kind: named.Row.Type, match: ids.Exact, evidence: d.ByHotword | d.ByShape, score: 0.85}
		}
	}
	t.emit(best)
}

// codeWindow is how near a hotword must be to a code of letters only.
const codeWindow = 40

// isAcronym reports whether letters are an abbreviation that everybody knows, or
// the same letter over and over, as stutterers say it.
func (t *classifier) isAcronym() bool {
	differs := slices.ContainsFunc(t.code, func(c byte) bool { return c != t.code[0] })
	return !differs || knownAcronym(t.code)
}

// knownAcronym reports whether letters are an abbreviation that everybody knows.
func knownAcronym(code []byte) bool { return acronyms.Has(wordhash.Bytes(code)) }
