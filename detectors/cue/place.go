package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// places adds cities, states and countries.
func (d text) places() {
	for i := 0; i < len(d.Tokens); {
		i += d.placeFrom(i)
	}
}

// placeFrom adds the place that begins at token i, and returns how many tokens
// to go on.
func (d text) placeFrom(i int) int {
	t := &d.Tokens[i]
	if !t.Class.IsWord() || t.Class == detectors.Letter {
		return 1
	}
	if t.Is(detectors.Spelling) && d.spells(i) {
		return 1
	}
	raised, led := d.raised(i), d.leadsToPlace(i)
	e := d.entry(i)
	if !raised && (plain(t) || !led && e.Common() > 0 && !d.begins(i)) || neverNames.has(t.Hash) || notNames.has(t.Hash) {
		return 1
	}
	n, p := lexicon.PlaceAt(d.Document, i)
	if n == 0 || n == 1 && t.Is(detectors.Month) && d.dated(i) {
		return 1
	}
	led = led || d.areaAt(i+n)
	from, to := d.stateAfter(i + n)
	if from == to && !d.isPlace(i, n, p, e, raised, led) {
		return 1
	}
	infoType := detectors.Location
	if p&lexicon.State != 0 && from == to {
		infoType = detectors.USState
	}
	d.addPlace(infoType, i, i+n)
	if from < to {
		d.addPlace(detectors.USState, from, to)
		return to - i
	}
	return n
}

// isPlace weighs what speaks for a place against what else the words may be.
func (d text) isPlace(i, n int, p lexicon.Place, e lexicon.Entry, raised, led bool) bool {
	large := p&lexicon.Large != 0
	if n > 1 {
		common := true
		for j := i; j < i+n; j++ {
			if t := &d.Tokens[j]; t.Class.IsWord() && d.entry(j).Common() < 8 {
				common = false
			}
		}
		if common {
			return raised && d.raised(i+n-1) && (led || large) || !d.cased && led && (large || i == 0 || string(d.Word(i-1)) != "to")
		}
		return led || raised && d.raised(i+n-1) || !d.cased && large || d.begins(i) && d.raised(i+n-1)
	}
	if d.Tokens[i].Is(detectors.Month | detectors.Weekday) {
		return false // "in May"
	}
	switch {
	case e.Given() >= 5 || e.Surname() >= 6:
		// A name as well: only where a place is spoken of.
		return led && (raised || !d.cased && e.Common() == 0)
	case p&(lexicon.State|lexicon.Country) != 0:
		return e.Common() == 0 || raised && (led || e.Common() <= 6)
	case e.Common() == 0 && large:
		return raised || led || !d.cased && e.Name() < 3 && d.Tokens[i].Len() >= 5
	case e.Common() == 0:
		return led && (raised || !d.cased)
	case raised:
		return led && !d.raised(i-1) && (large || e.Common() < 6)
	}
	return led && !d.cased && e.Common() <= 3
}

// areaAt tells whether the word of token i makes a place of the name before it:
// "the Hamilton area".
func (d text) areaAt(i int) bool {
	if i >= len(d.Tokens) {
		return false
	}
	switch string(d.Word(i)) {
	case "area", "region", "county", "suburb", "suburbs", "township", "airport", "downtown":
		return true
	}
	return false
}

// namedPlace adds the place that "the city name is" introduces at token k, when it is
// a place's name or no word.
func (d text) namedPlace(k int) {
	n, p := lexicon.PlaceAt(d.Document, k)
	switch {
	case n == 0 && d.Tokens[k].Class.IsWord() && !plain(&d.Tokens[k]) && d.entry(k).Common() == 0:
		n = 1
	case n == 0 || n == 1 && d.entry(k).Common() > 0 && !d.ends(k+1) && p&lexicon.State == 0:
		return
	}
	infoType := detectors.Location
	if p&lexicon.State != 0 {
		infoType = detectors.USState
	}
	d.Add(detectors.Finding{
		Start: int(d.Tokens[k].Start), End: int(d.Tokens[k+n-1].End), Type: infoType, Likelihood: detectors.VeryLikely,
		Score: detectors.ScoreOf(detectors.VeryLikely), Detector: "cue", Evidence: detectors.ByCue,
	})
}

// leadsToPlace tells whether the word before token i often comes before a place.
func (d text) leadsToPlace(i int) bool {
	if i == 0 {
		return false
	}
	switch string(d.Word(i - 1)) {
	case "in", "from", "near", "to", "around", "outside", "downtown", "visiting", "visit", "via", "through", "leaving", "towards", "toward":
		return true
	case "is":
		return i >= 2 && (string(d.Word(i-2)) == "city" || string(d.Word(i-2)) == "town" || string(d.Word(i-2)) == "location")
	case "of":
		return i >= 2 && (string(d.Word(i-2)) == "city" || string(d.Word(i-2)) == "town" || string(d.Word(i-2)) == "state" ||
			string(d.Word(i-2)) == "out" || string(d.Word(i-2)) == "outside")
	}
	return false
}

// stateAfter returns the tokens of the state that follows a city which ends
// before token k: "Hamilton, Ohio", "Hamilton OH".
func (d text) stateAfter(k int) (from, to int) {
	if k < len(d.Tokens) && d.Tokens[k].Ch == ',' {
		k++
	}
	if k >= len(d.Tokens) || !d.Tokens[k].Class.IsWord() {
		return k, k
	}
	t := &d.Tokens[k]
	if n, p := lexicon.PlaceAt(d.Document, k); p&lexicon.State != 0 && (n > 1 || d.entry(k).Given() < 5 || d.raised(k)) {
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
