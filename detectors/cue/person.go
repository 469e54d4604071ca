package cue

import (
	"sort"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// beforeSurname adds the first name that is said before "last name" at token i:
// "Mark. Last name Tucker."
func (d text) beforeSurname(i int) {
	j := i
	for j > 0 && d.Tokens[j-1].Class == detectors.Punct {
		j--
	}
	if j == 0 || j < i-1 || !d.Tokens[j-1].Class.IsWord() {
		return
	}
	least := 3
	if j < i && (j == 1 || d.begins(j-1) || d.Tokens[j-2].Is(detectors.Copula|detectors.Backchannel)) {
		least = -4
	}
	if d.firstName(j-1, least) {
		d.person(j-1, j, detectors.Likely, detectors.HintSelf|detectors.HintGiven)
	}
}

// lastWord tells whether an everyday word at token i is a last name, because
// nothing but the end of the sentence comes after it and it is a last name at
// all.
func (d text) lastWord(i int) bool {
	if i >= len(d.Tokens) || !d.ends(i+1) || !d.Tokens[i].Class.IsWord() || d.Tokens[i].Class == detectors.Letter {
		return false
	}
	s := d.likeness(i)
	return s > never && d.nameWord(i) && s >= -9
}

// spelled adds a name that is spelled letter by letter at token k and returns
// its end, k when there is none.
func (d text) spelled(k int, hint detectors.Hint) int {
	n := sort.Search(len(d.Runs), func(i int) bool { return d.Runs[i].First >= k })
	if n == len(d.Runs) {
		return k
	}
	r := &d.Runs[n]
	if r.First != k || r.Digits > 0 || r.Letters < 3 || r.Joints > r.Letters {
		return k
	}
	d.Add(detectors.Finding{
		Start: r.Start, End: r.End, Type: detectors.PersonName, Detector: "cue", Likelihood: detectors.VeryLikely,
		Score: detectors.ScoreOf(detectors.VeryLikely), Evidence: detectors.ByCue | detectors.BySpeech, Hint: hint,
		Value: string(detectors.AppendCode(nil, d.Symbols(r))),
	})
	return r.Last + 1
}

// address adds the name of somebody who is spoken to at token k, after a phrase
// that ends before j.
func (d text) address(j, k int) {
	if end := d.spelled(k, detectors.HintAddressed); end > k {
		d.affiliation(end)
		return
	}
	if d.onlyPlace(k) {
		return
	}
	end := d.nameAt(k, 3)
	if weak := d.nameAt(k, -8); end == k && weak > k && (d.follows(weak) && !d.introduces(weak) ||
		d.closes(weak) && weak == k+1 && d.oftenNamed(k) ||
		d.raised(k) && d.ends(weak) && weak == k+1 && d.entry(k).Given() >= 5 && d.Tokens[k-1].Ch == ',') {
		end = weak // "Hello, Barb with Acme", "Thanks, Heavenly"
	}
	if end == k {
		// An unknown word that is all that comes after a greeting.
		if end = d.nameAt(k, 2); end == k || !d.ends(end) || j < k || d.Tokens[k].Len() < 4 {
			return
		}
	}
	hint := detectors.HintAddressed
	if d.follows(end) {
		hint = detectors.HintSelf // "Hello, Diana with Acme"
	}
	d.person(k, end, detectors.Likely, hint)
	if hint == detectors.HintSelf {
		d.affiliation(end)
	}
}

// onlyPlace tells whether a state, a country or a large city stands at token k that
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
	m, q := lexicon.PlaceAt(d.Document, min(k+n, len(d.Tokens)-1))
	return k+n < len(d.Tokens) && m > 0 && (p|q)&lexicon.State != 0
}

// closes tells whether nothing but a good-bye comes at token i any more.
func (d text) closes(i int) bool {
	if i < len(d.Tokens) && d.Tokens[i].Ch == '.' {
		i++
	}
	if i >= len(d.Tokens) {
		return true
	}
	switch string(d.Word(i)) {
	case "goodbye", "bye", "have", "take", "good":
		return true
	}
	return false
}

// oftenNamed tells whether the word of token i is a name often enough to be
// one at the end of a thank-you.
func (d text) oftenNamed(i int) bool {
	e := d.entry(i)
	return e.Common() <= 8 && e.Given() > 0 || e.Given() >= 6 && e.Given() >= e.Common()-1
}

// before adds the name before "speaking" or "here" at token i.
func (d text) before(i int) {
	if !d.introduces(i) || i == 0 {
		return
	}
	start, least := i, 0
	if i+1 < len(d.Tokens) && d.offersHelp(i+1) {
		least = -2
	}
	for start > 0 && i-start < 3 && d.likeness(start-1) >= least && d.Tokens[start-1].Class != detectors.Letter {
		start--
	}
	if start == i && i >= 2 && d.likeness(i-2) >= 3 && d.lastName(i-1) {
		start = i - 2
	}
	if start >= i-1 && d.wordName(i-1) {
		d.person(i-1, i, detectors.Likely, detectors.HintSelf)
		return
	}
	if start == i || d.likeness(start) < 2 && least == 0 || d.likeness(start) < 3 && !(i+1 < len(d.Tokens) && d.opens(i+1)) || i+1 < len(d.Tokens) && string(d.Word(i)) == "here" && !d.opens(i+1) {
		return
	}
	if start > 0 && !d.begins(start) && d.Tokens[start-1].Ch != ',' && d.cased && least == 0 && string(d.Word(start-1)) != "is" {
		return
	}
	d.person(start, i, detectors.Likely, detectors.HintSelf)
}

// wordName tells whether the everyday word of token i, before "speaking" or
// "here from", is a first name: "Will here from Larkmoor", "hope speaking".
func (d text) wordName(i int) bool {
	t := &d.Tokens[i]
	if d.entry(i).Given() < 5 || !t.Class.IsWord() || t.Class == detectors.Letter {
		return false
	}
	if d.cased && t.Flags&detectors.UpperFirst != 0 {
		return d.ends(i+2) || i+2 < len(d.Tokens) && string(d.Word(i+2)) == "from"
	}
	return !d.cased && !plain(t) && string(d.Word(i+1)) == "speaking" && d.ends(i+2)
}

// offersHelp tells whether "what can I do for you" begins after token i, or a
// comma there.
func (d text) offersHelp(i int) bool {
	if d.Tokens[i].Ch == ',' && i+1 < len(d.Tokens) {
		i++
	}
	w := string(d.Word(i))
	return (w == "what" || w == "how") && i+1 < len(d.Tokens) && d.Tokens[i+1].Is(detectors.Function)
}

// lastName tells whether token i could be a last name, if an everyday word.
func (d text) lastName(i int) bool { return d.likeness(i) >= -6 && d.nameWord(i) }

// opens tells whether token i begins what follows "Pam here".
func (d text) opens(i int) bool {
	if d.ends(i) {
		return true
	}
	switch string(d.Word(i)) {
	case "what", "how", "from", "with", "calling", "and", "may", "thank", "thanks":
		return true
	}
	return false
}

// titled adds the name after the title at token i.
func (d text) titled(i int) {
	if !d.isTitle(i) {
		return
	}
	if end := d.nameAt(i, -8); end > i {
		hint := detectors.Hint(0)
		if d.wordsIn(i, end) == 2 {
			hint = detectors.HintSurname
		}
		d.person(i, end, detectors.VeryLikely, hint)
	}
}
