package pattern

import (
	"strings"

	d "sotto/detectors"
)

// An address block is an address that has no English street type: a number, a
// name, often another number, a unit, a city, a country, a postal code ("92 Rua
// Papoula 1998, Apt. 522, Recife 92910"). It is found from its unit.

const (
	// maxBlockLeft and maxBlockRight bound the tokens of a block on either side of
	// where it is found.
	maxBlockLeft  = 14
	maxBlockRight = 16
)

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
	if t.Ch == '.' {
		// An abbreviation's, not a sentence's.
		return k > 0 && doc.Tokens[k-1].Class.IsWord() && (doc.Tokens[k-1].Class != d.Letter && doc.Tokens[k-1].Len() <= 4 ||
			commonToken(doc, k-1) == 0 && k+1 < len(doc.Tokens) && doc.RunAt(k+1) >= 0)
	}
	return strings.IndexByte(",->/'?#", t.Ch) >= 0
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
		case inBlock(doc, k):
			k++
		default:
			return end
		}
	}
	return end
}

// blockLeft returns the first token of the block that ends before token i: that of
// the house number, or i when there is none.
func blockLeft(doc *d.Document, i int) int {
	first := i
	for k := i - 1; k >= 0 && i-k <= maxBlockLeft; k-- {
		if r := doc.RunAt(k); r >= 0 && doc.Runs[r].Digits > 0 {
			if !isHouseNumber(&doc.Runs[r]) {
				break
			}
			k = doc.Runs[r].First
			first = k
			continue
		}
		if !isBlockWord(doc, k) && !inBlock(doc, k) {
			break
		}
	}
	return first
}
