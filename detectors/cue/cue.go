// Package cue finds what is told by words: names of people and organizations by
// the phrases that introduce them, in cased and in lower-case text ("this is Pam
// calling from Dunder Mifflin, may I speak to Jim?"), names, places, diseases
// and cars by the lexicon; and it tells what a text asks for.
package cue

import (
	"sort"
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
			i += n - 1
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
		if end := d.nameAt(k, -2); end > k {
			d.person(k, end, detectors.Likely, detectors.HintOther)
		}
	case vocative:
		d.address(j, k)
	case orgOwn, orgName:
		if end := d.orgAt(k, true); end > k {
			d.add(detectors.OrganizationName, k, end, detectors.VeryLikely, detectors.HintOfSpeaker)
		}
	case orgSoft:
		d.orgSoft(k)
	}
}

// skip passes over hesitations, and over a comma or colon where the phrase
// allows for one.
func (d text) skip(j int, kind anchor) int {
	for n := 0; j < len(d.Tokens) && n < 4; n++ {
		t := &d.Tokens[j]
		switch {
		case t.Is(detectors.Filler):
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
	if j < i && (j == 1 || d.begins(j-1) || d.Tokens[j-2].Is(detectors.Copula|detectors.Back)) {
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

// affiliation adds the organization that the speaker says he is from, after his
// name: "... calling from", "... with".
func (d text) affiliation(j int) {
	for n := 0; j < len(d.Tokens) && n < 4; n++ {
		t := &d.Tokens[j]
		switch {
		case t.Is(detectors.Filler) || t.Ch == ',':
			j++
			continue
		}
		switch string(d.Word(j)) {
		case "calling", "speaking", "back", "here", "over":
			j++
		case "from", "with", "at", "of":
			d.orgSoft(j + 1)
			return
		default:
			return
		}
	}
}

// orgSoft adds the organization at token k if what stands there looks like one
// and not like a place.
func (d text) orgSoft(k int) {
	k = d.skip(k, orgSoft)
	if k >= len(d.Tokens) || d.Tokens[k].Is(detectors.Country) ||
		d.Tokens[k].Is(detectors.State|detectors.Province) && d.Tokens[k].Len() > 2 && d.ends(k+1) {
		return
	}
	end := d.orgAt(k, false)
	if end == k {
		// "Hello, Ann with Dollar Tree, how may I help you?"
		if end = d.orgAt(k, true); end > k && !d.offers(end) {
			return
		}
	}
	d.add(detectors.OrganizationName, k, end, detectors.Likely, detectors.HintOfSpeaker)
}

// offers tells whether token i begins an offer to help.
func (d text) offers(i int) bool {
	if i < len(d.Tokens) && d.Tokens[i].Ch == ',' {
		i++
	}
	return i+1 < len(d.Tokens) && string(d.Word(i)) == "how" && d.Tokens[i+1].Is(detectors.Function)
}

// orgBefore adds the organization that answers the phone: what begins the
// sentence before "this is" at token i, when it looks like a proper name.
func (d text) orgBefore(i int) {
	end := i
	for end > 0 && i-end < maxHesitations && (d.Tokens[end-1].Ch == ',' || d.Tokens[end-1].Is(detectors.Filler)) ||
		end > 1 && i-end < maxHesitations && d.hesitation(end-2) == 2 {
		if d.Tokens[end-1].Ch != ',' && !d.Tokens[end-1].Is(detectors.Filler) {
			end--
		}
		end--
	}
	start := end
	for start > 0 && end-start <= 8 && !d.begins(start) && d.Tokens[start-1].Ch != ',' {
		start--
	}
	greeted := false
	for start < end && d.greets(start) {
		greeted = true
		start++
	}
	if start == end || greeted && d.likeness(start) >= 3 {
		return // "Hi Ann, this is Bob"
	}
	if d.likeness(start) >= 3 && d.nameAt(start, 3) == end {
		d.person(start, end, detectors.Likely, detectors.HintAddressed) // "Ann, this is Bob"
		return
	}
	// What the name is followed by, "customer support", is no part of it.
	stop := d.orgAt(start, false)
	if stop == start {
		// "Intuit customer support, this is ..."
		if stop = d.orgAt(start, true); stop == end {
			return
		}
	}
	if stop > start && d.restIsDesk(stop, end) {
		if !d.cased && stop-start == 1 && d.likeness(start) == never {
			return
		}
		d.add(detectors.OrganizationName, start, stop, detectors.Likely, detectors.HintOfSpeaker)
	}
}

// greets tells whether token i is part of a greeting.
func (d text) greets(i int) bool {
	t := &d.Tokens[i]
	if t.Class == detectors.Punct || t.Is(detectors.Back|detectors.Filler) {
		return true
	}
	switch string(d.Word(i)) {
	case "hi", "hello", "hey", "good", "morning", "afternoon", "evening", "thanks", "thank", "you", "for", "calling", "day":
		return true
	}
	return false
}

// restIsDesk tells whether the tokens name a department, or nothing.
func (d text) restIsDesk(from, to int) bool {
	for k := 0; from < to; k++ {
		t := &d.Tokens[from]
		if k > 2*maxHesitations {
			return false
		}
		switch n := d.hesitation(from); {
		case n > 0:
			from += n
		case t.Class == detectors.Punct || orgEnds.has(t.Hash):
			from++
		default:
			return false
		}
	}
	return true
}

// address adds the name of somebody who is spoken to at token k, after a phrase
// that ends before j.
func (d text) address(j, k int) {
	if end := d.spelled(k, detectors.HintAddressed); end > k {
		d.affiliation(end)
		return
	}
	end := d.nameAt(k, 3)
	if weak := d.nameAt(k, -8); end == k && weak > k && (d.follows(weak) && !d.introduces(weak) ||
		d.closes(weak) && weak == k+1 && d.oftenNamed(k)) {
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
	if start == i || d.likeness(start) < 2 && least == 0 || d.likeness(start) < 3 && !(i+1 < len(d.Tokens) && d.opens(i+1)) || i+1 < len(d.Tokens) && string(d.Word(i)) == "here" && !d.opens(i+1) {
		return
	}
	if start > 0 && !d.begins(start) && d.Tokens[start-1].Ch != ',' && d.cased && least == 0 && string(d.Word(start-1)) != "is" {
		return
	}
	d.person(start, i, detectors.Likely, detectors.HintSelf)
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
