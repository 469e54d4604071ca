package cue

import "sotto/detectors"

// maxOrg bounds the words of an organization's name.
const maxOrg = 6

// orgAt returns the end of the organization's name that begins at token i, or i
// when none does. A sure one may be of any words that do not end it; one that
// is not sure must look like a proper name.
func (d text) orgAt(i int, sure bool) int {
	j := i
	if d.WordIs(j, "the") && !d.ends(j+1) {
		j++
	}
	words, proper := 0, false
	for j < len(d.Tokens) && words < maxOrg {
		n := d.orgWord(j, words > 0)
		if n == 0 {
			break
		}
		proper = proper || d.properWord(j)
		j += n
		words++
	}
	if words == 0 {
		return i
	}
	// "you've reached Altria. Carl here": the name before "here" is no part.
	if d.WordIn(j, afterSpeaker) {
		for cut := 0; cut < 2 && words > 1 && (d.nameScore(j-1) >= 3 || cut == 0 && !d.WordIn(j-1, orgNouns)); cut++ {
			j--
			words--
		}
	}
	if k := j - 1; words > 1 && !d.midCapital(k) && d.WordIn(k-1, orgNouns) && d.nameScore(k) >= 9 {
		// "thanks for calling acme insurance jacqueline": who is spoken to.
		return k
	}
	switch {
	case sure:
		return d.extendOrg(j)
	case !proper:
		return i
	}
	return j
}

// extendOrg returns the end of a name that is sure and ends at token j, with the
// words in lower case after it that a recognizer wrote so, when nothing else of
// the sentence follows them.
func (d text) extendOrg(j int) int {
	k := j
	for n := 0; n < 3 && k < len(d.Tokens); n++ {
		t := &d.Tokens[k]
		if t.Class != detectors.Lower || plain(t) && !t.Is(detectors.NumWord) || afterOrg.Has(t.Hash) || cuePhrases.Begins(t.Hash) {
			break
		}
		k++
	}
	if k > j && (d.ends(k) || d.offersHelp(k, "how")) {
		return k
	}
	return j
}

// orgWord returns how many tokens at j are the next word of an organization's
// name; inner says that it is not the first.
func (d text) orgWord(j int, inner bool) int {
	t := &d.Tokens[j]
	var ok bool
	switch t.Class {
	case detectors.Punct:
		return d.orgMark(j, inner)
	case detectors.Other:
		ok = false
	case detectors.Clitic:
		// "Casey's General Stores"
		ok = inner && d.WordIs(j, "'s") && (d.midCapitalAfter(j) || !d.cased && d.WordIn(j+1, orgNouns))
	case detectors.Digits:
		ok = t.Glued() || inner || t.Len() <= 2
	default:
		ok = d.inOrg(j, inner)
	}
	if !ok {
		return 0
	}
	return 1
}

// inOrg reports whether the word of token j is one of an organization's name;
// inner says that it is not the first.
func (d text) inOrg(j int, inner bool) bool {
	t := &d.Tokens[j]
	if d.stopsOrg(j, inner) {
		return false
	}
	if d.gluedAnd(j) || legalForms.Has(t.Hash) {
		return true
	}
	after := afterOrg.Has(t.Hash)
	capital := d.cased && t.UpperCase() && t.Class != detectors.Letter
	switch {
	case d.cased && inner && !capital:
		// In a cased text, a lower-case word goes on only as a kind of business
		// or between two capitals.
		return orgNouns.Has(t.Hash) || d.connects(j) || d.midCapitalAfter(j) && !plain(t)
	case capital && !t.Is(detectors.Function):
		return !after || d.midCapital(j)
	case after, t.Is(detectors.Clock):
		return false
	case capital:
		return true
	case t.Is(detectors.Function | detectors.Backchannel | detectors.Correct):
		return inner && d.connects(j)
	}
	return true
}

// stopsOrg reports whether the word of token j is never one of an organization's
// name; inner says that it is not the first.
func (d text) stopsOrg(j int, inner bool) bool {
	t := &d.Tokens[j]
	if t.Is(detectors.Filler|detectors.Weekday) || neverInOrg.Has(t.Hash) {
		return true
	}
	if inner {
		return !d.cased && t.Is(detectors.Title)
	}
	return afterOrg.Has(t.Hash) && !d.midCapitalAfter(j)
}

// gluedAnd reports whether the word of token j stands before a "&" without
// spaces: "at&t".
func (d text) gluedAnd(j int) bool {
	return j+2 < len(d.Tokens) && d.Tokens[j+1].Ch == '&' && d.Tokens[j+1].Glued() && d.Tokens[j+2].Glued()
}

// connects reports whether token j is "and", "of" or the like between two words of a
// name.
func (d text) connects(j int) bool {
	if j+1 >= len(d.Tokens) || j == 0 || !d.WordIn(j, connectingWords) {
		return false
	}
	next := &d.Tokens[j+1]
	if !next.Class.IsWord() || plain(next) || afterOrg.Has(next.Hash) {
		return false
	}
	if d.cased {
		return d.midCapital(j+1) || d.midCapitalAfter(j+1)
	}
	return d.entry(j+1).Common() < 11
}

// orgMark returns how many tokens a mark inside a name takes with it: "AT&T",
// "T-Mobile", "Amazon.com", "U.S. Bank".
func (d text) orgMark(j int, inner bool) int {
	t := &d.Tokens[j]
	if !inner || j+1 >= len(d.Tokens) {
		return 0
	}
	next := &d.Tokens[j+1]
	if !next.Class.IsWord() && next.Class != detectors.Digits && next.Class != detectors.Alnum {
		return 0
	}
	ok := false
	switch t.Ch {
	case '&', '+':
		ok = true
	case '-', '\'', '/':
		ok = t.Glued() && next.Glued()
	case '.':
		ok = t.Glued() && (next.Glued() || d.abbreviated(j) && (!d.cased || d.midCapital(j+1)))
	}
	if !ok {
		return 0
	}
	return 2
}

// properWord reports whether token j looks like a proper name rather than a word.
func (d text) properWord(j int) bool {
	t := &d.Tokens[j]
	switch {
	case neverNames.Has(t.Hash), afterOrg.Has(t.Hash), t.Is(detectors.Weekday | detectors.Month | detectors.Country):
		return false
	case d.midCapital(j) && t.Class != detectors.Letter:
		return true
	case t.Class == detectors.Alnum, t.Class == detectors.Upper && d.cased:
		return true
	case !t.Class.IsWord(), plain(t):
		return false
	}
	common := d.entry(j).Common()
	if d.cased {
		return common == 0
	}
	return common < 6 || legalForms.Has(t.Hash) || common < 9 && orgNouns.Has(t.Hash)
}
