package pattern

import (
	"bytes"

	d "sotto/detectors"
)

// An address block is an address that has no English street type: a number, a
// name, often another number, a unit, a city, a country, a postal code ("92 Rua
// Papoula 1998, Apt. 522, Recife 92910"). It is found from its unit, or where a
// number, a foreign name and a number follow each other.

const (
	// maxBlockLeft and maxBlockRight bound the tokens of a block on either side of
	// where it is found.
	maxBlockLeft  = 14
	maxBlockRight = 16
	// maxBefore bounds the words between a number and the name of a street.
	maxBefore = 3
)

// blocks finds the blocks that have no unit.
func blocks(doc *d.Document) {
	end := suffixedStreets(doc)
	end = directedStreets(doc, end)
	numberedBlocks(doc, end)
}

// suffixedStreets finds the streets whose name ends with a word for street, before
// their number: "7 Obere Bahnhofstrasse 9". It returns the token after the last one.
func suffixedStreets(doc *d.Document) (end int) {
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if r.First <= end || !isHouseNumber(r) || r.Digits > 4 || !hasStreetSuffix(doc, r.First-1) {
			continue
		}
		first := numberBefore(doc, r.First-1)
		last := blockRight(doc, r.Last+1)
		addAddress(doc, first, r.Last+1, last, d.ByStructure, 0.75)
		end = last
	}
	return end
}

// numberBefore returns the first token of a house number that comes before the name
// of a street that ends with token i, with few words between; i when there is none.
func numberBefore(doc *d.Document, i int) int {
	for k := i - 1; k >= 0 && i-k <= maxBefore; k-- {
		if r := doc.RunAt(k); r >= 0 {
			if isHouseNumber(&doc.Runs[r]) {
				return doc.Runs[r].First
			}
			return i
		}
		if !isBlockWord(doc, k) {
			return i
		}
	}
	return i
}

// directedStreets finds the streets that have a direction and no word for street, from
// token end on: "555 East El Camino Real". It returns the token after the last one.
func directedStreets(doc *d.Document, end int) int {
	for i := range doc.Runs {
		if r := &doc.Runs[i]; r.First >= end && isHouseNumber(r) && r.Digits >= 3 {
			if last := directedEnd(doc, r.Last+1); last > 0 {
				addAddress(doc, r.First, last, last, d.ByStructure, 0.7)
				end = last
			}
		}
	}
	return end
}

// numberedBlocks finds two numbers with a foreign name between them, from token end
// on: "64 Rua Papoula 1998".
func numberedBlocks(doc *d.Document, end int) {
	for i := 0; i+1 < len(doc.Runs); i++ {
		r, next := &doc.Runs[i], &doc.Runs[i+1]
		if r.First < end || !isHouseNumber(r) || !isHouseNumber(next) {
			continue
		}
		foreign := foreignWords(doc, r.Last+1, next.First)
		if foreign == 0 {
			continue
		}
		last := blockRight(doc, next.Last+1)
		if foreign == 1 && last == next.Last+1 && !(next.Digits >= 5 && next.Closes) && !addressNear(doc, r.First, next.Last) {
			continue
		}
		addAddress(doc, r.First, next.Last+1, last, d.ByStructure, 0.7)
		end = last
	}
}

// maxBlockName bounds the tokens between the two numbers of a block.
const maxBlockName = 7

// foreignWords counts the words of tokens from first to end that are not English; it is
// 0 where the tokens cannot be the name of a street.
func foreignWords(doc *d.Document, first, end int) (foreign int) {
	if end-first < 1 || end-first > maxBlockName {
		return 0
	}
	for k := first; k < end; k++ {
		if !isBlockWord(doc, k) && (!inBlock(doc, k) || doc.Tokens[k].Ch == ',') {
			return 0
		}
		if t := &doc.Tokens[k]; t.Class != d.Punct && commonToken(doc, k) == 0 && t.Len() > 3 {
			foreign++
		}
	}
	return foreign
}

// isAvenueOf reports whether the street type at token i is between a house number and
// "of the Americas".
func isAvenueOf(doc *d.Document, i int) bool {
	r := doc.RunAt(max(i-1, 0))
	return r >= 0 && i > 0 && doc.Runs[r].Last == i-1 && isHouseNumber(&doc.Runs[r]) && !doc.Tokens[i].Is(d.Ambiguous) && nameOf(doc, i) > i
}

// nameOf returns the token after "of the Americas", which follows token i; i when it does
// not follow.
func nameOf(doc *d.Document, i int) int {
	k := i + 1
	if !doc.WordIs(k, "of") {
		return i
	}
	if k++; doc.WordIs(k, "the") {
		k++
	}
	if k < len(doc.Tokens) && doc.Tokens[k].Class.IsWord() && doc.Tokens[k].Bits&d.Function == 0 {
		return k + 1
	}
	return i
}

// ruralRoute returns the first token of "RR 2" before the box at token i; i when there is
// none.
func ruralRoute(doc *d.Document, i int) int {
	r := doc.RunAt(max(i-1, 0))
	if r < 0 || doc.Runs[r].Last != i-1 || doc.Runs[r].First == 0 || doc.Runs[r].Digits > 3 {
		return i
	}
	first := doc.Runs[r].First
	switch {
	case doc.WordIn(first-1, ruralRoutes):
		return first - 1
	case doc.WordIs(first-1, "r") && first > 1 && doc.Tokens[first-2].Ch == 'r':
		return first - 2
	}
	return i
}

// isGluedStreet reports whether the word at token i begins with a street type that it was
// run together with: "12 elm streetdayton".
func isGluedStreet(doc *d.Document, i int) bool {
	t := &doc.Tokens[i]
	if t.Bits != 0 || t.Len() < 8 || !t.Class.IsWord() {
		return false
	}
	w := doc.Word(i)
	switch w[0] {
	case 's', 'a', 'r', 'd', 'l':
	default:
		return false
	}
	for _, s := range gluedStreetTypes {
		if len(w) >= len(s)+3 && string(w[:len(s)]) == s {
			return commonToken(doc, i) == 0
		}
	}
	return false
}

// maxHouseName bounds the words of the name of a house.
const maxHouseName = 4

// unitLeft returns the first token of the unit, and the name of the house, that stand
// before an address which begins at token first, with commas between: "Flat 3, The Old
// Mill, Station Road".
func unitLeft(doc *d.Document, first int) int {
	k := first - 1
	if k >= 0 && doc.Tokens[first].Class == d.Letter && doc.Tokens[k].Is(d.AddressUnit) {
		return k // "flat B, 9 Elm Grove", of which "B, 9" is one run
	}
	for range 2 {
		if k < 2 || doc.Tokens[k].Ch != ',' {
			return first
		}
		k--
		if r := doc.RunAt(k); r >= 0 && doc.Runs[r].Len() <= 4 {
			k = doc.Runs[r].First - 1
		} else if doc.Tokens[k].Class == d.Letter {
			k--
		} else {
			for n := 0; n < maxHouseName && k >= 0 && doc.Tokens[k].Class.IsWord() && doc.Tokens[k].UpperCase(); n++ {
				k--
			}
			continue
		}
		if k >= 0 && doc.Tokens[k].Is(d.AddressUnit) {
			return k
		}
		return first
	}
	return first
}

// recipient reads the first word of a text as for whom the address is that begins
// right after it, and returns the first token of the address: a word that is neither
// English nor a name is taken to be a part of it.
func recipient(doc *d.Document) (first int) {
	t := &doc.Tokens[0]
	switch {
	case !t.Class.IsWord() || t.Bits&^d.Title != 0 || t.Len() < 4:
	case lexiconEntry(doc, 0) == 0:
		return 0
	case nameToken(doc, 0):
		doc.Add(d.Finding{Start: int(t.Start), End: int(t.End), Type: d.PersonName, Likelihood: d.Possible, Score: d.ScoreOf(d.Possible),
			Detector: "address", Evidence: d.ByCue | d.ByDictionary})
	}
	return 1
}

// directedEnd returns the token after a street that has a direction and no word for
// street, "East El Camino Real", at token i; 0 when none is there.
func directedEnd(doc *d.Document, i int) int {
	if i >= len(doc.Tokens) || !doc.Tokens[i].Is(d.Direction) || doc.Tokens[i].Len() < 4 {
		return 0
	}
	cased := doc.Tokens[i].UpperCase()
	k := i + 1
	unusual := false
	for k < len(doc.Tokens) && k-i <= maxBefore && doc.Tokens[k].Class.IsWord() && doc.Tokens[k].Bits&(d.Function|d.Copula|d.Measure) == 0 &&
		(doc.Tokens[k].UpperCase() || !cased && (commonToken(doc, k) <= 6 || nameToken(doc, k))) {
		unusual = unusual || cased || commonToken(doc, k) == 0
		k++
	}
	if k == i+1 || !unusual || k < len(doc.Tokens) && doc.Tokens[k].Class != d.Punct && doc.Tokens[k].Bits&(d.Function|d.Copula|d.AddressUnit|d.State|d.Province) == 0 {
		return 0
	}
	return k
}

// hasStreetSuffix reports whether token k is the name of a street that ends with a word for
// street.
func hasStreetSuffix(doc *d.Document, k int) bool {
	if k < 0 || doc.Tokens[k].Len() < 7 || !doc.Tokens[k].Class.IsWord() || commonToken(doc, k) > 0 {
		return false
	}
	w := doc.Word(k)
	for _, s := range streetEndings {
		if bytes.HasSuffix(w, []byte(s)) {
			return true
		}
	}
	return false
}

// isHouseNumber reports whether a run can be the number of a house.
func isHouseNumber(r *d.Run) bool {
	return !r.Claimed && r.Digits > 0 && r.Digits <= 6 && r.Letters <= 1 && r.Connectors <= 1 && !r.Scaled
}

// isBlockWord reports whether token k can be a word of a foreign address: one with a
// capital, or one that is not English, or a particle.
func isBlockWord(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	if !t.Class.IsWord() && t.Class != d.Alnum && t.Class != d.Clitic {
		return false
	}
	if streetParticles.Has(t.Hash) {
		return true
	}
	if t.Bits&(d.Function|d.Copula|d.Backchannel|d.Currency|d.Measure|d.Clock|d.Month|d.IsHotword|d.NumWord) != 0 && !(t.UpperCase() && t.Is(d.State|d.Province)) {
		return false
	}
	return t.UpperCase() || commonToken(doc, k) == 0 || nameToken(doc, k) || t.Is(d.State|d.Province|d.Country|d.StreetType)
}

// inBlock reports whether a mark may be inside of a block.
func inBlock(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	if t.Class != d.Punct {
		return t.Class == d.Clitic
	}
	switch t.Ch {
	case ',', '-', '>', '/', '\'', '?', '#':
		return true
	case '.':
		// An abbreviation's, not a sentence's.
		return k > 0 && doc.Tokens[k-1].Class.IsWord() && (doc.Tokens[k-1].Class != d.Letter && doc.Tokens[k-1].Len() <= 4 ||
			commonToken(doc, k-1) == 0 && k+1 < len(doc.Tokens) && doc.RunAt(k+1) >= 0)
	}
	return false
}

// blockRight returns the token after the block that continues at token i; i when it does
// not continue.
func blockRight(doc *d.Document, i int) int {
	end, runs := i, 0
	for k := i; k < len(doc.Tokens) && k-i < maxBlockRight; {
		if r := doc.RunAt(k); r >= 0 && doc.Runs[r].Digits > 0 {
			run := &doc.Runs[r]
			if run.First != k || run.Len() > 9 || run.Claimed || runs == 3 {
				break
			}
			runs++
			k = run.Last + 1
			end = k
			continue
		}
		switch {
		case doc.Tokens[k].Is(d.AddressUnit), isBlockWord(doc, k):
			k++
			end = k
		case inBlock(doc, k), linksCountry(doc, k):
			k++
		case isProvince(doc, k):
			k++
			end = k
		default:
			return end
		}
	}
	return end
}

// isProvince reports whether token k is a code of two letters between a comma and a
// country or a postal code.
func isProvince(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	return t.Class.IsWord() && t.Len() == 2 && k > 0 && doc.Tokens[k-1].Ch == ',' && k+1 < len(doc.Tokens) && (doc.Tokens[k+1].Is(d.Country) || codeBehind(doc, k+1))
}

// linksCountry reports whether token k is a small word inside of a country's name:
// "Republic of the Congo", "Trinidad and Tobago".
func linksCountry(doc *d.Document, k int) bool {
	if k == 0 || k+1 >= len(doc.Tokens) {
		return false
	}
	switch {
	case doc.WordIs(k, "of"), doc.WordIs(k, "the"):
		return doc.WordIn(k-1, beforeOfInCountries)
	case doc.WordIs(k, "and"):
		return doc.WordIn(k+1, afterAndInCountries) && doc.Tokens[k-1].Class.IsWord()
	}
	return false
}

// blockLeft returns the first token of the block that ends before token i: that of
// the house number, or i when there is none.
func blockLeft(doc *d.Document, i, least int) int {
	first := i
	for k := i - 1; k >= least && i-k <= maxBlockLeft; k-- {
		if r := doc.RunAt(k); r >= 0 && doc.Runs[r].Digits > 0 {
			if !isHouseNumber(&doc.Runs[r]) {
				break
			}
			k = max(doc.Runs[r].First, least)
			first = k
			continue
		}
		if !isBlockWord(doc, k) && !inBlock(doc, k) {
			break
		}
	}
	return first
}
