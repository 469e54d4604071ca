package cue

import "sotto/detectors"

// notName is the name score of what cannot be a name.
const notName = -100

// nameScore says how much token i looks like a part of a name: 0 is as likely as
// not for a word where a name is expected. It is the lexicon's count as a
// name, less its commonness as a word, both logarithms, and what case adds.
func (d text) nameScore(i int) int {
	t := &d.Tokens[i]
	if !t.Class.IsWord() || t.Is(detectors.Spelling) && d.inCode(i) {
		return notName
	}
	capital := d.midCapital(i)
	if neverNames.Has(t.Hash) || t.Is(detectors.Weekday) || t.Is(detectors.Month) && d.inDate(i) ||
		!capital && (capitalNames.Has(t.Hash) || plain(t)) {
		return notName
	}
	e := d.entry(i)
	name, common := max(e.Given(), e.Surname()-1), e.Common()
	switch {
	case t.Class == detectors.Letter: // an initial
		return notName
	case t.Class == detectors.Upper && d.cased && name == 0 && t.Len() <= 5: // an acronym
		return notName
	case plain(t) && name < 3:
		return notName
	}
	s := lexiconScore(name, common, t.Len()) + d.caseScore(t, capital)
	if t.Is(detectors.Month) && !capital {
		s -= 6
	}
	return s
}

// lexiconScore is the name score of a word by its counts in the lexicon and its
// length.
func lexiconScore(name, common, length int) int {
	switch {
	case name == 0 && common == 0:
		if length < 3 {
			return 0
		}
		return 2
	case common == 0:
		return name + 3
	case name == 0:
		return min(-common, -9)
	}
	return name - common
}

// caseScore is what its capital letters add to the score of a word; capital says
// that it has a mid-sentence capital.
func (d text) caseScore(t *detectors.Token, capital bool) int {
	switch {
	case capital && t.Class == detectors.Upper:
		return 2
	case capital:
		return 8
	case d.cased && !t.UpperCase():
		return -2
	}
	return 0
}

// nameWord reports whether the lexicon has the word of token i as a name or not at
// all, so that an everyday word does not pass for one.
func (d text) nameWord(i int) bool {
	e := d.entry(i)
	return e.Name() > 0 || e.Common() == 0 || d.midCapital(i)
}

// oftenNamed reports whether the word of token i is a name often enough to be
// one at the end of a thank-you.
func (d text) oftenNamed(i int) bool {
	e := d.entry(i)
	return e.Common() <= 8 && e.Given() > 0 || e.Given() >= 6 && e.Given() >= e.Common()-1
}

// maybeSurname reports whether token i could be a last name, if an everyday word.
func (d text) maybeSurname(i int) bool { return d.nameScore(i) >= -6 && d.nameWord(i) }

// isSurname reports whether token i looks like a last name.
func (d text) isSurname(i int) bool {
	e := d.entry(i)
	return d.Tokens[i].Class.IsWord() && !plain(&d.Tokens[i]) && (e.Surname() >= 3 || e.Common() == 0)
}

// lastSurname reports whether an everyday word at token i is a last name, because
// nothing but the end of the sentence comes after it and it is a last name at
// all.
func (d text) lastSurname(i int) bool {
	if i >= len(d.Tokens) || !d.ends(i+1) || !d.Tokens[i].Class.IsWord() || d.Tokens[i].Class == detectors.Letter {
		return false
	}
	s := d.nameScore(i)
	return s > notName && d.nameWord(i) && s >= -9
}
