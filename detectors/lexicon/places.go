package lexicon

import (
	_ "embed"

	"sotto/detectors"
)

//go:embed places.bin
var packedPlaces []byte

// Place is what kinds of place a name is of: a set.
type Place uint8

// The kinds.
const (
	// City is a city, town or village.
	City Place = 1 << iota
	// Large is a place that many know: a city of more than some 15,000 people, a
	// state, a country.
	Large
	// State is a state of the United States.
	State
	// Country is a country, or a province of Canada.
	Country
)

//go:embed terms.bin
var packedTerms []byte

// loadNames reads names, and notes with which words they begin.
func (k *knowledge) loadNames(data []byte, begins, is Word) *detectors.Phrases[Place] {
	// Names that are folded to the same words are one name of several kinds.
	b := detectors.PhraseBuilder[Place]{Merge: func(old, added Place) Place { return old | added }}
	var doc detectors.Document
	readColumns(data, 1, func(name, values []byte) {
		doc.Reset(string(name))
		words := doc.WordHashes()
		b.AddWords(Place(values[0]), words...)
		k.addPhrase(words, begins, is)
	})
	return b.Build()
}

// BeginsPlace reports whether the name of a place may begin with the word of a token, and BeginsTerm
// whether a medical term may. The document must have been read.
func BeginsPlace(t *detectors.Token) bool { return Word(t.Lexicon)&beginsPlace != 0 }

// BeginsTerm is explained at BeginsPlace.
func BeginsTerm(t *detectors.Token) bool { return Word(t.Lexicon)&beginsTerm != 0 }

// PlaceAt returns how many tokens from i are the longest name of a place, and
// its kinds; 0 when none begins there. Dots and hyphens between the words do
// not count.
func PlaceAt(doc *detectors.Document, i int) (n int, p Place) {
	p, n = longest(known().places, doc, i, beginsPlace, isPlace)
	return n, p
}

// TermAt returns how many tokens from i are the longest name of a disease, a
// symptom or a drug; 0 when none begins there.
func TermAt(doc *detectors.Document, i int) int {
	_, n := longest(known().terms, doc, i, beginsTerm, isTerm)
	return n
}

// nameMarks is the gap between words of a name: "St. Louis", "Winston-Salem".
func nameMarks(doc *detectors.Document, _, j int) int {
	for j < len(doc.Tokens) {
		if t := &doc.Tokens[j]; t.Class != detectors.Punct || t.Ch != '.' && !(t.Ch == '-' && t.Glued()) {
			break
		}
		j++
	}
	return j
}
