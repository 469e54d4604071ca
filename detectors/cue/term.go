package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// terms adds diseases, symptoms and drugs.
func (d text) terms() {
	spoken := -1 // whether the text speaks of health, -1 while not known
	for i := 0; i < len(d.Tokens); {
		n, sure := d.termAt(i)
		if n > 0 && !sure {
			if spoken < 0 {
				spoken = speaksOf(d.Document, termWords)
			}
			if spoken == 0 {
				n = 0
			}
		}
		if n == 0 {
			i++
			continue
		}
		d.Add(detectors.Finding{
			Start: int(d.Tokens[i].Start), End: int(d.Tokens[i+n-1].End), Type: detectors.MedicalTerm, Likelihood: detectors.Likely,
			Score: detectors.ScoreOf(detectors.Likely), Detector: "terms", Evidence: detectors.ByDictionary,
		})
		i += n
	}
}

// termAt returns how many tokens from i are a term, 0 for none. One that is not
// sure is an everyday word too, and counts only where the text speaks of health.
func (d text) termAt(i int) (n int, sure bool) {
	t := &d.Tokens[i]
	if !t.Class.IsWord() && t.Class != detectors.Alnum || t.Class == detectors.Letter || t.Is(detectors.Function) {
		return 0, false
	}
	if n = lexicon.TermAt(d.Document, i); n > 0 {
		sure = n > 1 || d.entry(i).Common() <= 3
	}
	if k := d.complaint(i); k > n {
		return k, true
	}
	if n > 0 && sure {
		return n, true
	}
	switch {
	case illnesses.has(t.Hash), d.stemmed(i):
		return 1, true
	case n == 0 && maybeIllnesses.has(t.Hash):
		return 1, false
	}
	return n, sure
}
