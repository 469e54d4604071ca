package cue

import (
	"bytes"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// maxShort is how many words a turn may have to be an answer that is all name.
const maxShort = 3

// leastGiven is how often a word is a given name that may be one without a cue.
const leastGiven = 3

// uncuedNames adds names that no phrase introduces: words that are hardly ever
// anything else.
func (d text) uncuedNames() {
	for i := 0; i < len(d.Tokens); i++ {
		t := &d.Tokens[i]
		if !t.Class.IsWord() || t.Class == detectors.Letter || t.Class == detectors.Upper && d.cased ||
			d.entry(i).Given() < leastGiven {
			continue
		}
		score := d.nameScore(i)
		if score < leastOfAll {
			continue
		}
		least := d.leastScore(i)
		if score < least || d.placeByContext(i) {
			continue
		}
		if end := d.nameAt(i, least); end > i {
			d.addUncued(i, end)
			i = end - 1
		}
	}
}

// leastOfAll is the lowest leastScore.
const leastOfAll = -2

// leastScore is the name score that a first name at token i must have without a
// cue: the lower, the more its place speaks for a name.
func (d text) leastScore(i int) int {
	capital := d.midCapital(i)
	switch {
	case (capital || d.cased && d.begins(i)) && d.midCapitalAfter(i) && d.isSurname(i+1):
		return leastOfAll
	case capital && d.loneCapital(i):
		return 4
	case capital:
		return 8
	case d.ends(i + 1):
		return 7
	case !d.cased && i == 0:
		return 6
	}
	return 9
}

// loneCapital reports whether the capital word of token i stands between lower-case
// ones, so that it belongs to no longer title, and where a person may stand.
func (d text) loneCapital(i int) bool {
	if i == 0 || d.Tokens[i-1].Class != detectors.Lower || d.WordIn(i-1, beforeThing) {
		return false
	}
	if i+1 == len(d.Tokens) {
		return true
	}
	next := d.Tokens[i+1].Class
	return !next.IsWord() || next == detectors.Lower
}

// placeByContext reports whether the words around token i make it a place, as far as it
// can be one.
func (d text) placeByContext(i int) bool {
	if i == 0 {
		return false
	}
	n, p := lexicon.PlaceAt(d.Document, i)
	if n == 0 {
		return false
	}
	if from, to := d.stateAfter(i + n); from < to {
		return true // "in Alexandria Virginia"
	}
	if n == 1 && d.midCapitalAfter(i) && p&lexicon.State == 0 && d.isSurname(i+1) {
		return false
	}
	return d.WordIn(i-1, beforePlaceName)
}

// nameOnly adds a turn of at most three words that is nothing but a name.
func (d text) nameOnly() {
	words, names, first, last := 0, 0, -1, 0
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			if t.Ch == ',' && words > 0 {
				return
			}
			continue
		}
		if words++; words > maxShort || !t.Class.IsWord() || t.Class == detectors.Letter {
			return
		}
		s := d.nameScore(i)
		if s < -3 || !d.nameWord(i) || plain(t) {
			return
		}
		if s >= 3 && d.entry(i).Name() > 0 {
			names++
		}
		if first < 0 {
			first = i
		}
		last = i + 1
	}
	if words == 0 || names == 0 && (words > 1 || !d.unknownWord(first)) {
		return
	}
	d.addUncued(first, last)
}

// unknownWord reports whether the word of token i, which is all of a turn, is no
// word of English and not one that was typed wrong in the usual ways.
func (d text) unknownWord(i int) bool {
	t := &d.Tokens[i]
	if t.Class == detectors.Upper || t.Len() < 5 || t.Bits != 0 || d.entry(i) != 0 {
		return false
	}
	w := d.Word(i)
	for _, p := range chatBeginnings {
		if bytes.HasPrefix(w, []byte(p)) {
			return false
		}
	}
	return !hasEnding(w, wordEndings)
}

// hasEnding reports whether a word has one of the endings.
func hasEnding(word []byte, endings []string) bool {
	for _, e := range endings {
		if len(word) >= len(e) && string(word[len(word)-len(e):]) == e {
			return true
		}
	}
	return false
}

func (d text) addUncued(i, j int) {
	d.addAs("names", detectors.ByDictionary, detectors.PersonName, i, j, detectors.Possible, 0)
}
