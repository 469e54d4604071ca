package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// terms adds diseases, symptoms and drugs.
func (d text) terms() {
	asked, health := false, false // whether the text speaks of health, once it was asked
	for i := 0; i < len(d.Tokens); {
		n, sure := d.termAt(i)
		if n > 0 && !sure {
			if !asked {
				asked, health = true, d.speaksOf(healthWords)
			}
			if !health {
				n = 0
			}
		}
		if n == 0 {
			i++
			continue
		}
		d.addAs("terms", detectors.ByDictionary, detectors.MedicalTerm, i, i+n, detectors.Likely, 0)
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
	if clueOf(t)&healthClue == 0 && !lexicon.BeginsTerm(t) {
		if d.endsAsTerm(i) {
			return 1, true
		}
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
	case illnesses.Has(t.Hash), d.endsAsTerm(i):
		return 1, true
	case n == 0 && everydayIllnesses.Has(t.Hash):
		return 1, false
	}
	return n, sure
}

// minWithEnding is the length from which on an ending makes a term, so that
// something stands before it.
const minWithEnding = 7

// endsAsTerm reports whether token i ends as terms do, is no everyday word and no
// name.
func (d text) endsAsTerm(i int) bool {
	t := &d.Tokens[i]
	if t.Len() < minWithEnding || !t.Class.IsWord() {
		return false
	}
	e := d.entry(i)
	if !mayBeTerm(e) || notIllnesses.Has(t.Hash) {
		return false
	}
	w := d.Word(i)
	return e.Common() <= 3 && hasEnding(w, drugEndings) || hasEnding(w, illnessEndings)
}

// mayBeTerm reports whether a word with an entry may be a term by its ending.
func mayBeTerm(e lexicon.Entry) bool { return e.Common() <= 6 && e.Name() == 0 }

// complaint returns how many tokens from i are a complaint by words: "lower back
// pain", "high blood pressure", "an ear infection" from "ear" on.
func (d text) complaint(i int) int {
	if _, n := measuredComplaints.Longest(d.Document, i, nil); n > 0 {
		return n
	}
	j := i
	injury := d.WordIn(i, injuries)
	if injury || d.WordIn(i, beforeBodyPart) {
		j++
	}
	body := j
	for j-body < 3 && d.WordIn(j, bodyParts) {
		j++
	}
	switch {
	case j == body:
		return 0
	case d.WordIn(j, complaints):
		return j + 1 - i
	case injury:
		return j - i // "a broken leg"
	}
	return 0
}
