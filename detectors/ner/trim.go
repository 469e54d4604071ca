package ner

import (
	"unicode/utf8"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// everyday is how common a word is that must be sure to be a name: one of the
// thousands that everybody uses; constant, one that is said all the time.
const everyday, constant = 8, 10

// trim leaves out, at the ends of a person's name, titles and everyday words
// that nobody is called; it reports whether anything is left.
func trim(d *detectors.Document, x *Name) bool {
	if x.Type != detectors.PersonName {
		return true
	}
	for x.First <= x.Last && (d.Tokens[x.First].Is(detectors.Title) && d.Tokens[x.First].Hash != 0 || d.Tokens[x.First].Ch == '.') {
		x.First++
	}
	for x.Last > x.First && (!d.Tokens[x.Last].Class.IsWord() || neverNamed(d, x.Last)) {
		x.Last--
	}
	return x.First <= x.Last
}

// neverNamed reports whether token i is said all the time and is no name, as far
// as the lists know, and is not written as one.
func neverNamed(d *detectors.Document, i int) bool {
	t := &d.Tokens[i]
	e := lexicon.LookupHash(t.Hash)
	return t.Class == detectors.Lower && e.Common() >= constant && e.Name() <= 1
}

// doubtful reports whether a name must have a higher score than others: a person's that is of
// everyday words only, as "mark my words" begins with one, or in lower case
// among words with capitals, one that is a month or a day of the week, and one
// that is not in Latin letters, which are all that the model has learned from.
func doubtful(d *detectors.Document, x *Name) bool {
	if d.Word(x.First)[0] >= utf8.RuneSelf {
		return true
	}
	if x.Type != detectors.PersonName {
		return x.First == x.Last && d.Tokens[x.First].Is(detectors.Month|detectors.Weekday)
	}
	if x.First == x.Last && d.Tokens[x.First].Class == detectors.Lower && d.HasClass(detectors.Cap) {
		return true
	}
	for i := x.First; i <= x.Last; i++ {
		if t := &d.Tokens[i]; t.Class.IsWord() && lexicon.LookupHash(t.Hash).Common() < everyday {
			return false
		}
	}
	return true
}
