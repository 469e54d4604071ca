package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// maxTail bounds the words of a city and state without a postal code.
const maxTail = 6

// tailEnd returns the token after a city and state that follow a street without a
// postal code: words that are not English, and states and countries.
func tailEnd(doc *d.Document, i int) int {
	end := i
	for k := i; k < len(doc.Tokens) && k-i < maxTail; k++ {
		t := &doc.Tokens[k]
		switch {
		case t.Class == d.Punct && t.Ch == ',':
		case isState(doc, k), t.Is(d.Country), t.Is(d.State) && k+1 == len(doc.Tokens), isForeign(doc, k):
			end = k + 1
		default:
			return end
		}
	}
	return end
}

// isForeign reports whether token k is a word that is not English and has no role, as
// the names of many cities.
func isForeign(doc *d.Document, k int) bool {
	t := &doc.Tokens[k]
	return t.Class.IsWord() && t.Class != d.Letter && t.Len() > 3 && t.Bits&^(d.HasPhrase|d.StreetType) == 0 && commonToken(doc, k) == 0
}

// maxCity bounds the words between a street and its postal code.
const maxCity = 7

// cityEnd returns the token after the postal code that follows a city and a state
// from token i on; 0 when none follows.
func cityEnd(doc *d.Document, i int) int {
	state := false
	for n := 0; n < 2*maxCity && i < len(doc.Tokens); n++ {
		t := &doc.Tokens[i]
		if r := doc.RunAt(i); r >= 0 && doc.Runs[r].First == i && (t.Class != d.Letter || doc.Runs[r].Len() > 1) {
			return postalEnd(doc, &doc.Runs[r], state)
		}
		switch {
		case t.Class == d.Punct:
			if t.Ch != ',' && t.Ch != '.' && t.Ch != '-' && t.Ch != '\'' {
				return 0
			}
		case isState(doc, i):
			state = true
		case t.Is(d.IsHotword | d.HasPhrase):
			return 0
		case t.Class.IsWord() && t.Len() == 2 && codeBehind(doc, i+1):
			// A province of another country: "Graz, ST 80100".
		case t.Is(d.Filler):
		case !t.Class.IsWord() || t.Bits&(d.Function|d.Copula|d.Backchannel) != 0:
			return 0
		}
		i++
	}
	return 0
}

// postalEnd returns the token after the postal code, and its country, that is the run
// or begins it; 0 when it is none. state says that a state comes before it.
func postalEnd(doc *d.Document, run *d.Run, state bool) int {
	if t := &doc.Tokens[run.First]; run.Last > run.First && t.Class == d.Digits && (t.Len() == 5 && run.Digits != 9 || state && t.Len() == 4) {
		// Another number continues right after the ZIP code.
		return withCountry(doc, run.First+1)
	}
	switch m := postalMatch(doc, run); {
	case m >= ids.Exact,
		m == ids.Shape && run.Letters == 0,
		m == ids.Loose && run.Letters == 0 && state && run.Digits >= 4:
		return withCountry(doc, run.Last+1)
	}
	return 0
}

// postalMatch says how well a run matches a postal code, of which none has more than nine characters.
func postalMatch(doc *d.Document, run *d.Run) ids.Match {
	var buf [9]byte
	if run.Len() > len(buf) {
		return ids.None
	}
	return ids.Postal(d.AppendCode(buf[:0], doc.Symbols(run)))
}

func withCountry(doc *d.Document, i int) int {
	if i < len(doc.Tokens) && doc.Tokens[i].Is(d.Country) {
		return i + 1
	}
	return i
}

// codeAfterState reads the ZIP or postal code right after the state at token i.
func codeAfterState(doc *d.Document, i int) {
	k := nextWord(doc, i+1)
	if k >= len(doc.Tokens) || doc.IsMark(i+1, '-') && doc.Tokens[i+1].Glued() {
		return
	}
	r := doc.RunAt(k)
	if r < 0 || doc.Runs[r].First != k || doc.Runs[r].Claimed {
		return
	}
	run := &doc.Runs[r]
	// At the end of the text, four digits are a code that lost one.
	m := postalMatch(doc, run)
	if m < ids.Shape && !(m == ids.Loose && run.Letters == 0 && run.Digits >= 4 && run.Closes) {
		return
	}
	first := cityStart(doc, i)
	if t := &doc.Tokens[i]; t.Is(d.Function|d.Backchannel) && (t.Class != d.Upper || first == i) {
		return
	}
	if house := blockLeft(doc, first); house < first {
		// The street and its number come before the city.
		if r := doc.RunAt(house); r >= 0 && doc.Tokens[doc.Runs[r].Last+1].Class != d.Punct {
			first = house
		}
	}
	addAddress(doc, first, run.Last+1, withCountry(doc, run.Last+1), d.ByShape|d.ByHotword|d.ByStructure, 0.8)
}

// cityStart returns the first token of the city before the state at token i, i when
// there is none.
func cityStart(doc *d.Document, i int) int {
	first, plain := i, 0
	for k := i - 1; k >= 0 && i-k <= 5; k-- {
		t := &doc.Tokens[k]
		switch {
		case t.Class == d.Punct && t.Ch == ',' && k == i-1:
			continue
		case !t.Class.IsWord() || t.Class == d.Letter || t.Bits&(d.Function|d.Copula|d.Backchannel|d.Filler|d.IsHotword|d.StreetType) != 0:
			return first
		case t.UpperCase(), commonToken(doc, k) == 0, nameToken(doc, k), t.Is(d.Direction):
		default:
			if plain++; plain > 1 {
				return first
			}
		}
		first = k
	}
	return first
}
