package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// addressee adds the name of somebody who is spoken to at token k, after a phrase
// that ends before j.
func (d text) addressee(j, k int) {
	if end := d.spelledName(k, detectors.HintAddressed); end > k {
		d.affiliation(end)
		return
	}
	if d.onlyPlace(k) {
		return
	}
	end := d.nameAt(k, 3)
	if end == k {
		end = d.unlikelyAddressee(k)
	}
	if end == k {
		// An unknown word that is all that comes after a greeting.
		if end = d.nameAt(k, 2); end == k || !d.ends(end) || j < k || d.Tokens[k].Len() < 4 {
			return
		}
	}
	hint := detectors.HintAddressed
	if d.endsName(end) {
		hint = detectors.HintSelf // "Hello, Diana with Acme"
	}
	d.person(k, end, detectors.Likely, hint)
	if hint == detectors.HintSelf {
		d.affiliation(end)
	}
}

// unlikelyAddressee returns the end of a name at token k that only the words
// around it make an addressee: "Hello, Barb with Acme", "Thanks, Heavenly". It
// returns k when there is none.
func (d text) unlikelyAddressee(k int) int {
	end := d.nameAt(k, -8)
	switch {
	case end == k:
	case d.endsName(end) && !d.WordIn(end, afterSpeaker):
		return end
	case end != k+1:
	case d.onlyFarewell(end) && d.oftenNamed(k):
		return end
	case d.midCapital(k) && d.ends(end) && d.entry(k).Given() >= 5 && d.Tokens[k-1].Ch == ',':
		return end
	}
	return k
}

// onlyPlace reports whether a state, a country or a large city stands at token k that
// hardly anybody is named after, or another place right behind it: "sure, Ohio", "yes
// Dallas Texas".
func (d text) onlyPlace(k int) bool {
	n, p := lexicon.PlaceAt(d.Document, k)
	if n == 0 {
		return false
	}
	if p&(lexicon.State|lexicon.Country|lexicon.Large) != 0 && d.entry(k).Given() < 3 {
		return true
	}
	if k+n >= len(d.Tokens) {
		return false
	}
	m, q := lexicon.PlaceAt(d.Document, k+n)
	return m > 0 && (p|q)&lexicon.State != 0
}

// onlyFarewell reports whether nothing but a farewell follows from token i on.
func (d text) onlyFarewell(i int) bool {
	if i < len(d.Tokens) && d.Tokens[i].Ch == '.' {
		i++
	}
	return i >= len(d.Tokens) || d.WordIn(i, farewells)
}

// nameBefore adds the name before "speaking" or "here" at token i.
func (d text) nameBefore(i int) {
	if !d.WordIn(i, afterSpeaker) || i == 0 {
		return
	}
	least := 0
	if d.offersHelp(i+1, "what") || d.offersHelp(i+1, "how") {
		least = -2
	}
	start := d.nameStart(i, least)
	if start >= i-1 && d.everydayNameBefore(i) {
		d.person(i-1, i, detectors.Likely, detectors.HintSelf)
		return
	}
	if start == i || d.nameScore(start) < 2 && least == 0 || !d.restFits(i, start) {
		return
	}
	if d.cased && least == 0 && start > 0 && !d.begins(start) && !d.isComma(start-1) && !d.WordIs(start-1, "is") {
		return
	}
	d.person(start, i, detectors.Likely, detectors.HintSelf)
}

// nameStart returns where the name before token i begins whose words have at
// least the given score, i when there is none.
func (d text) nameStart(i, least int) int {
	start := i
	for start > 0 && i-start < 3 && d.nameScore(start-1) >= least && d.Tokens[start-1].Class != detectors.Letter {
		start--
	}
	if start == i && i >= 2 && d.nameScore(i-2) >= 3 && d.maybeSurname(i-1) {
		return i - 2
	}
	return start
}

// restFits reports whether what follows "here" or "speaking" at token i goes
// with the name that begins at start.
func (d text) restFits(i, start int) bool {
	if i+1 >= len(d.Tokens) {
		return d.nameScore(start) >= 3
	}
	fits := d.ends(i+1) || d.WordIn(i+1, afterHere)
	return fits || d.nameScore(start) >= 3 && !d.WordIs(i, "here")
}

// everydayNameBefore reports whether the everyday word before "speaking" or
// "here from" at token i is a first name: "Will here from Larkmoor", "hope
// speaking".
func (d text) everydayNameBefore(i int) bool {
	t := &d.Tokens[i-1]
	if d.entry(i-1).Given() < 5 || !t.Class.IsWord() || t.Class == detectors.Letter {
		return false
	}
	if d.cased && t.UpperCase() {
		return d.ends(i+1) || d.WordIs(i+1, "from")
	}
	return !d.cased && !plain(t) && d.WordIs(i, "speaking") && d.ends(i+1)
}
