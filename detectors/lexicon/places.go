package lexicon

import (
	_ "embed"

	"sotto/detectors"
	"sotto/internal/ruledata"
)

//go:embed places.bin
var placesFile []byte

var packedPlaces = ruledata.Bytes("detectors/lexicon/places.bin", placesFile)

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

// loadPlaces reads the names of places, and notes with which words they begin.
func (k *knowledge) loadPlaces() *detectors.Phrases[Place] {
	// Names that are folded to the same words are one name of several kinds.
	b := detectors.PhraseBuilder[Place]{Merge: func(old, added Place) Place { return old | added }}
	var doc detectors.Document
	readColumns(packedPlaces, 1, func(name, values []byte) {
		doc.Reset(string(name))
		words := doc.WordHashes()
		b.AddWords(Place(values[0]), words...)
		k.words.add(words[0], beginsPlace)
	})
	return b.Build()
}

// PlaceAt returns how many tokens from i are the longest name of a place, and
// its kinds; 0 when none begins there. Dots and hyphens between the words do
// not count.
func PlaceAt(doc *detectors.Document, i int) (n int, p Place) {
	if mayBegin(doc, i, beginsPlace) {
		p, n = known().places.Longest(doc, i, nameMarks)
	}
	return n, p
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
