package lexicon

import (
	_ "embed"
	"sync"

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

var (
	places = sync.OnceValue(func() *detectors.Phrases[Place] { return loadNames(packedPlaces) })
	terms  = sync.OnceValue(func() *detectors.Phrases[Place] { return loadNames(packedTerms) })
)

func loadNames(data []byte) *detectors.Phrases[Place] {
	// Names that are folded to the same words are one name of several kinds.
	b := detectors.PhraseBuilder[Place]{Merge: func(old, added Place) Place { return old | added }}
	var doc detectors.Document
	unpack(data, 1, func(int) {}, func(name, values []byte) {
		doc.Reset(string(name))
		b.AddWords(Place(values[0]), doc.WordHashes()...)
	})
	return b.Build()
}

// PlaceAt returns how many tokens from i are the longest name of a place, and
// its kinds; 0 when none begins there. Dots and hyphens between the words do
// not count.
func PlaceAt(doc *detectors.Document, i int) (n int, p Place) {
	p, n = places().Longest(doc, i, nameMarks)
	return n, p
}

// TermAt returns how many tokens from i are the longest name of a disease, a
// symptom or a drug; 0 when none begins there.
func TermAt(doc *detectors.Document, i int) int {
	_, n := terms().Longest(doc, i, nameMarks)
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
