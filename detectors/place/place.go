// Package place finds cities, states and countries by the lexicon and by the words around them. The
// tagger knows places, too; what this package finds says where an address ends and its city begins.
package place

import (
	"slices"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Find adds findings of LOCATION and US_STATE to a document.
func Find(doc *detectors.Document) {
	d := read(doc)
	for i := 0; i < len(d.Tokens); {
		i += d.placeFrom(i)
	}
}

// namedPlace is a name of a place in a text.
type namedPlace struct {
	// tokens counts the tokens of the name, and kinds are the kinds of place
	// that it is a name of.
	tokens int
	kinds  lexicon.Place
	// capital says that its first word has a mid-sentence capital, led that the
	// words around it lead to a place.
	capital, led bool
}

// placeFrom adds the place that begins at token i, and returns how many tokens
// to go on.
func (d text) placeFrom(i int) int {
	t := &d.Tokens[i]
	if !lexicon.BeginsPlace(t) || !t.Class.IsWord() || t.Class == detectors.Letter || t.Is(detectors.Spelling) && d.inCode(i) {
		return 1
	}
	p := namedPlace{capital: d.midCapital(i), led: d.leadsToPlace(i)}
	if !p.capital && (plain(t) || !p.led && d.entry(i).Common() > 0 && !d.begins(i)) || neverPlaces.Has(t.Hash) {
		return 1
	}
	p.tokens, p.kinds = lexicon.PlaceAt(d.Document, i)
	if p.tokens == 0 || p.tokens == 1 && t.Is(detectors.Month) && d.inDate(i) {
		return 1
	}
	end := i + p.tokens
	p.led = p.led || d.WordIn(end, afterPlace)
	from, to := d.stateAfter(end)
	if from < to {
		d.addPlace(detectors.Location, i, end)
		d.addPlace(detectors.USState, from, to)
		return to - i
	}
	if !d.isPlace(i, &p) {
		return 1
	}
	d.addPlace(placeType(p.kinds), i, end)
	return p.tokens
}

func placeType(p lexicon.Place) detectors.InfoType {
	if p&lexicon.State != 0 {
		return detectors.USState
	}
	return detectors.Location
}

// isPlace weighs what speaks for a place at token i against what else the words
// may be.
func (d text) isPlace(i int, p *namedPlace) bool {
	if p.tokens > 1 {
		return d.isLongPlace(i, p)
	}
	if d.Tokens[i].Is(detectors.Month | detectors.Weekday) {
		return false // "in May"
	}
	e := d.entry(i)
	switch {
	case e.Given() >= 5 || e.Surname() >= 6:
		// A name as well: only where the words around it lead to a place.
		return p.led && (p.capital || !d.cased && e.Common() == 0)
	case p.kinds&(lexicon.State|lexicon.Country) != 0:
		return e.Common() == 0 || p.capital && (p.led || e.Common() <= 6)
	case e.Common() == 0:
		return d.isRarePlace(i, p)
	case p.capital:
		return p.led && !d.midCapital(i-1) && (p.isLarge() || e.Common() < 6)
	}
	return p.led && !d.cased && e.Common() <= 3
}

// isRarePlace is isPlace for a single word that is no everyday one.
func (d text) isRarePlace(i int, p *namedPlace) bool {
	if p.led && (p.capital || !d.cased) {
		return true
	}
	return p.isLarge() && (p.capital || p.led || !d.cased && d.entry(i).Name() < 3 && d.Tokens[i].Len() >= 5)
}

// isLongPlace is isPlace for a name of several words.
func (d text) isLongPlace(i int, p *namedPlace) bool {
	lastCapital := d.midCapital(i + p.tokens - 1)
	if d.onlyCommon(i, i+p.tokens) {
		if p.capital && lastCapital {
			return p.led || p.isLarge()
		}
		return !d.cased && p.led && (p.isLarge() || !d.WordIs(i-1, "to"))
	}
	return p.led || lastCapital && (p.capital || d.begins(i)) || !d.cased && p.isLarge()
}

func (p *namedPlace) isLarge() bool { return p.kinds&lexicon.Large != 0 }

// onlyCommon reports whether all words of the tokens are everyday ones.
func (d text) onlyCommon(i, j int) bool {
	return !slices.ContainsFunc(d.Tokens[i:j], func(t detectors.Token) bool {
		return t.Class.IsWord() && lexicon.Word(t.Lexicon).Entry().Common() < 8
	})
}

// leadsToPlace reports whether the words before token i often come before a place.
func (d text) leadsToPlace(i int) bool {
	switch {
	case d.WordIn(i-1, beforePlace):
		return true
	case d.WordIs(i-1, "is"):
		return d.WordIn(i-2, placesThatAre)
	case d.WordIs(i-1, "of"):
		return d.WordIn(i-2, beforeOfPlace)
	}
	return false
}

// stateAfter returns the tokens of the state that follows a city which ends
// before token k: "Hamilton, Ohio", "Hamilton OH".
func (d text) stateAfter(k int) (from, to int) {
	if d.IsMark(k, ',') {
		k++
	}
	if k >= len(d.Tokens) || !d.Tokens[k].Class.IsWord() {
		return k, k
	}
	t := &d.Tokens[k]
	if n, p := lexicon.PlaceAt(d.Document, k); p&lexicon.State != 0 && (n > 1 || d.entry(k).Given() < 5 || d.midCapital(k)) {
		return k, k + n
	}
	if t.Is(detectors.State|detectors.Province) && t.Len() == 2 {
		if d.cased && t.Class == detectors.Upper || !d.cased && (!plain(t) || k+1 == len(d.Tokens)) {
			return k, k + 1
		}
	}
	return k, k
}

func (d text) addPlace(t detectors.InfoType, i, j int) {
	d.Add(detectors.Finding{
		Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: t, Likelihood: detectors.Likely,
		Score: detectors.ScoreOf(detectors.Likely), Detector: "places", Evidence: detectors.ByDictionary,
	})
}
