package lexicon

import (
	_ "embed"
	"sync"

	"sotto/detectors"
	"sotto/internal/wordhash"
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

	// prefix marks the beginning of a longer name.
	prefix
)

//go:embed terms.bin
var packedTerms []byte

var (
	places = sync.OnceValue(func() *table { return loadNames(packedPlaces) })
	terms  = sync.OnceValue(func() *table { return loadNames(packedTerms) })
)

// loadNames makes a table that is asked by the chained hash of the words of a
// name. The beginnings of names are in it too.
func loadNames(data []byte) *table {
	var doc detectors.Document
	kinds := map[uint64]Place{}
	unpack(data, 1, func(int) {}, func(word, values []byte) {
		doc.Reset(string(word))
		h := uint64(0)
		for i := range doc.Tokens {
			if c := doc.Tokens[i].Class; c == detectors.Punct || c == detectors.Other {
				continue
			}
			if h != 0 {
				kinds[h] |= prefix
			}
			h = wordhash.Chain(h, HashBytes(doc.Word(i)))
		}
		if h != 0 {
			kinds[h] |= Place(values[0])
		}
	})
	t := newTable(len(kinds))
	for h, k := range kinds {
		t.put(h, Entry(k))
	}
	return t
}

// PlaceAt returns how many tokens from i are the longest name of a place, and
// its kinds; 0 when none begins there. Dots and hyphens between the words do
// not count.
func PlaceAt(doc *detectors.Document, i int) (n int, p Place) { return places().nameAt(doc, i) }

// TermAt returns how many tokens from i are the longest name of a disease, a
// symptom or a drug; 0 when none begins there.
func TermAt(doc *detectors.Document, i int) int {
	n, _ := terms().nameAt(doc, i)
	return n
}

// maxName bounds the words of a name.
const maxName = 7

func (t *table) nameAt(doc *detectors.Document, i int) (n int, p Place) {
	h := uint64(0)
	for j, words := i, 0; j < len(doc.Tokens) && words < maxName; j++ {
		tok := &doc.Tokens[j]
		if tok.Class == detectors.Punct {
			if words > 0 && (tok.Ch == '.' || tok.Ch == '-' && tok.Glued()) {
				continue
			}
			break
		}
		word := tok.Hash
		if tok.Class == detectors.Digits {
			word = HashBytes(doc.Word(j))
		}
		if word == 0 {
			break
		}
		words++
		h = wordhash.Chain(h, word)
		k := Place(t.get(h))
		if k&^prefix != 0 {
			n, p = j+1-i, k&^prefix
		}
		if k&prefix == 0 {
			break
		}
	}
	return n, p
}
