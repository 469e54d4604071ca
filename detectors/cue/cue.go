// Package cue finds what is told by words: names of people and organizations by
// the phrases that introduce them, in cased and in lower-case text ("this is Pam
// calling from Dunder Mifflin, may I speak to Jim?"), names, places, diseases
// and cars by the lexicon; and it tells what a text asks for.
package cue

import (
	"sync"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Detector finds names by cues and by the lexicon. It has no state.
type Detector struct{}

// Name returns "cue".
func (Detector) Name() string { return "cue" }

// Trigger starts the detector for every text with a word in it.
func (Detector) Trigger() detectors.Trigger {
	return detectors.Trigger{Classes: []detectors.Class{detectors.Lower, detectors.Cap, detectors.Upper, detectors.Mixed}}
}

// Detect adds findings of PERSON_NAME and ORGANIZATION_NAME by cues, as "cue";
// of PERSON_NAME by the lexicon alone, as "names"; of LOCATION and US_STATE, as
// "places"; of MEDICAL_TERM, as "terms"; of cars as PRODUCT, as "vehicles".
func (Detector) Detect(doc *detectors.Document) {
	buf := scratch.Get().(*[]lexicon.Entry)
	d := read(doc, (*buf)[:0])
	d.cues()
	d.bare()
	d.places()
	d.terms()
	d.vehicles()
	*buf = d.entries
	scratch.Put(buf)
}

// scratch holds the entries of the last texts' words.
var scratch = sync.Pool{New: func() any { return new([]lexicon.Entry) }}

// cues adds names by the phrases that introduce them.
func (d text) cues() {
	for i := 0; i < len(d.Tokens); i++ {
		t := &d.Tokens[i]
		if t.Hash == 0 {
			continue
		}
		if orgSuffixes.has(t.Hash) {
			if start, end, ok := d.suffixed(i); ok {
				d.add(detectors.OrganizationName, start, end, detectors.Likely, 0)
			}
		}
		d.kinded(i)
		if t.Is(detectors.Title) {
			d.titled(i)
		}
		s := phrases.find(t.Hash)
		if s == nil {
			continue
		}
		if s.follow {
			d.before(i)
		}
		if kind, n := d.phraseAt(s, i); kind != none {
			d.introduce(kind, i, i+n)
			if kind != nameSoft {
				i += n - 1
			} // "the name", within which "name on the account is" begins
		}
	}
}

// phraseAt returns the longest phrase at token i and its tokens.
func (d text) phraseAt(s *slot, i int) (kind anchor, n int) {
	for k := range s.phrases {
		p := &s.phrases[k]
		if m := d.match(i, p.rest); m > n {
			kind, n = p.kind, m
		}
	}
	return kind, n
}

// match returns how many tokens a phrase takes whose first word is token i, 0
// when it does not stand there. Hesitations and repeated words do not count.
func (d text) match(i int, rest []uint64) int {
	j := i + 1
	for _, h := range rest {
		if j < len(d.Tokens) && d.Tokens[j].Hash != h {
			j = d.past(j)
		}
		if j >= len(d.Tokens) || d.Tokens[j].Hash != h {
			return 0
		}
		j++
	}
	return j - i
}

// hesitation returns how many tokens at j say nothing: "uh", "you know", "I
// mean", a word said twice.
func (d text) hesitation(j int) int {
	if j == 0 {
		return 0
	}
	t := &d.Tokens[j]
	switch {
	case t.Is(detectors.Filler):
		return 1
	case t.Ch == ',' && d.Tokens[j-1].Is(detectors.Filler):
		return 1
	case t.Hash == 0 || j+1 >= len(d.Tokens):
		return 0
	case t.Hash == d.Tokens[j-1].Hash:
		return 1
	}
	switch string(d.Word(j)) {
	case "like", "well":
		return 1
	case "you":
		if string(d.Word(j+1)) == "know" {
			return 2
		}
	case "i":
		if string(d.Word(j+1)) == "mean" {
			return 2
		}
	}
	return 0
}

// introduce adds what the phrase from token i to j introduces.
func (d text) introduce(kind anchor, i, j int) {
	k := d.skip(j, kind)
	if k >= len(d.Tokens) {
		return
	}
	if kind == someName && i > 0 && string(d.Word(i)) == "name" {
		switch word := string(d.Word(i - 1)); word {
		case "city", "town", "village", "state", "country", "county":
			d.namedPlace(k)
			return
		case "street", "brand", "product", "model", "file", "domain", "app", "application", "item", "plan", "network", "hotel", "restaurant":
			return
		}
	}
	switch kind {
	case selfName:
		d.sure(k, -8, detectors.HintSelf)
	case someName:
		d.sure(k, -8, 0)
	case nameSoft:
		if end := d.nameAt(k, 2); end > k && k == j {
			d.person(k, end, detectors.Likely, 0)
		}
	case givenName:
		d.sure(k, -10, detectors.HintGiven)
	case surname:
		d.sure(k, -10, detectors.HintSurname)
		d.beforeSurname(i)
	case otherName:
		d.sure(k, 0, detectors.HintOther)
	case selfSoft:
		d.soft(i, k)
	case selfWeak:
		if end := d.nameAt(k, 1); end > k && (d.follows(end) || d.likeness(k) >= 6) {
			d.person(k, end, detectors.Likely, detectors.HintSelf)
			d.affiliation(end)
		}
	case otherSoft:
		if end := d.nameAt(k, 4); end > k {
			d.person(k, end, detectors.Likely, 0)
		}
	case kin:
		least := -2
		if d.entry(k).Given() >= 4 && (d.ends(k+1) || d.counts(k+1)) {
			least = -6 // "my son art thirteen years old"
		}
		if end := d.nameAt(k, least); end > k {
			d.person(k, end, detectors.Likely, detectors.HintOther)
		}
	case vocative:
		d.address(j, k)
	case orgOwn, orgName:
		if end := d.orgAt(k, true); end > k {
			if string(d.Word(k)) == "the" && k+1 < end {
				k++
			}
			d.add(detectors.OrganizationName, k, end, detectors.VeryLikely, detectors.HintOfSpeaker)
		}
	case orgSoft:
		if string(d.Word(j-1)) == "of" && d.entry(k).Given() >= 2 {
			if end := d.nameAt(k, 3); end > k && d.orgAt(k, false) <= end && !d.hasOrgNoun(k, end) {
				d.person(k, end, detectors.Likely, detectors.HintOther) // "on behalf of Ann Lee"
				return
			}
		}
		d.orgSoft(k)
	}
}

// counts tells whether token i is a number or a word for one.
func (d text) counts(i int) bool {
	t := &d.Tokens[i]
	return t.Class == detectors.Digits || t.Is(detectors.NumWord|detectors.Teen|detectors.Tens)
}

// skip passes over hesitations, and over a comma or colon where the phrase
// allows for one.
func (d text) skip(j int, kind anchor) int {
	for n := 0; j < len(d.Tokens) && n < 4; n++ {
		t := &d.Tokens[j]
		switch {
		case t.Is(detectors.Filler):
		case (kind == selfName || kind == someName || kind == givenName || kind == surname) && unsure.has(t.Hash) && t.Hash != 0:
		case j > 0 && d.hesitation(j) > 0:
			j += d.hesitation(j) - 1
		case t.Class == detectors.Punct && (t.Ch == ',' || t.Ch == ':' || t.Ch == '-' || t.Ch == '"'):
			if kind >= orgOwn && t.Ch != '"' {
				return j
			}
		default:
			return j
		}
		j++
	}
	return j
}

// sure adds the name at token k after a phrase that leaves little doubt; least
// is the likeness that its first word must have.
func (d text) sure(k, least int, hint detectors.Hint) {
	if end := d.spelled(k, hint); end > k {
		if hint == detectors.HintSelf {
			d.affiliation(end)
		}
		return
	}
	end := d.nameAt(k, least)
	if end == k {
		return
	}
	if hint&(detectors.HintGiven|detectors.HintSurname) != 0 {
		end = k + 1 // "first name Ann last name Lee"
		if d.isTitle(k) {
			return
		}
		if hint == detectors.HintSurname {
			end = d.nameAt(k, least)
		}
	} else if end == k+1 && d.lastWord(end) {
		end++
	}
	d.person(k, end, detectors.VeryLikely, hint)
	if hint == detectors.HintSelf {
		d.affiliation(end)
	}
}

// soft adds the speaker's name after a phrase, at token i, that may introduce
// anything.
func (d text) soft(i, k int) {
	if end := d.spelled(k, detectors.HintSelf); end > k {
		d.affiliation(end)
		d.orgBefore(i)
		return
	}
	end := d.nameAt(k, -8)
	if end == k {
		// "I'm with ..." and "this is ... from" are phrases of their own.
		return
	}
	likeness := d.likeness(k)
	if likeness == never {
		likeness = 4 // a title
	}
	if likeness < 2 && !(d.follows(end) && likeness >= -8) {
		return
	}
	if end == k+1 && d.lastWord(end) && likeness >= 3 {
		end++
	}
	d.person(k, end, detectors.Likely, detectors.HintSelf)
	d.affiliation(end)
	d.orgBefore(i)
}

// hasOrgNoun tells whether the tokens hold what organizations are called.
func (d text) hasOrgNoun(i, j int) bool {
	for ; i < j; i++ {
		if h := d.Tokens[i].Hash; h != 0 && (orgNouns.has(h) || orgSuffixes.has(h)) {
			return true
		}
	}
	return false
}

func (d text) wordsIn(i, j int) int {
	n := 0
	for ; i < j; i++ {
		if d.Tokens[i].Class.IsWord() {
			n++
		}
	}
	return n
}

// person adds a name, without the title before it.
func (d text) person(i, j int, l detectors.Likelihood, hint detectors.Hint) {
	if d.Tokens[i].Is(detectors.Title) && j > i+1 {
		i++
		if d.Tokens[i].Ch == '.' {
			i++
		}
	}
	for k := i; k < j; k++ {
		if orgSuffixes.has(d.Tokens[k].Hash) {
			d.add(detectors.OrganizationName, i, j, l, 0)
			return
		}
	}
	if j < len(d.Tokens) && orgSuffixes.has(d.Tokens[j].Hash) {
		return // the organization is found by its legal form
	}
	d.add(detectors.PersonName, i, j, l, hint)
}

func (d text) add(t detectors.InfoType, i, j int, l detectors.Likelihood, hint detectors.Hint) {
	if i >= j {
		return
	}
	d.Add(detectors.Finding{
		Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: t, Likelihood: l,
		Score: detectors.ScoreOf(l), Detector: "cue", Evidence: detectors.ByCue, Hint: hint,
	})
}
