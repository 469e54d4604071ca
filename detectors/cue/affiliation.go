package cue

import "sotto/detectors"

// affiliation adds the organization that the speaker says he is from, after his
// name: "... calling from", "... with".
func (d text) affiliation(j int) {
	for n := 0; j < len(d.Tokens) && n < 4; n++ {
		switch {
		case d.Tokens[j].Is(detectors.Filler), d.isComma(j), d.WordIn(j, beforeAffiliation):
			j++
		case d.WordIn(j, affiliations):
			d.possibleOrg(j + 1)
			return
		default:
			return
		}
	}
}

// certainOrg adds the organization at token k after a phrase that leaves little
// doubt.
func (d text) certainOrg(k int) {
	end := d.orgAt(k, true)
	if d.WordIs(k, "the") && k+1 < end {
		k++
	}
	d.add(detectors.OrganizationName, k, end, detectors.VeryLikely, detectors.HintOfSpeaker)
}

// possibleOrgOrName adds the organization or person at token k after a phrase that ends before
// token j and leads to either: "on behalf of Ann Lee".
func (d text) possibleOrgOrName(j, k int) {
	if d.WordIs(j-1, "of") && d.entry(k).Given() >= 2 {
		if end := d.nameAt(k, 3); end > k && d.orgAt(k, false) <= end && !d.hasOrgNoun(k, end) {
			d.person(k, end, detectors.Likely, detectors.HintOther)
			return
		}
	}
	d.possibleOrg(k)
}

// hasOrgNoun reports whether the tokens have a word that organizations are called.
func (d text) hasOrgNoun(i, j int) bool {
	for ; i < j; i++ {
		if d.WordIn(i, orgNouns) || d.WordIn(i, legalForms) {
			return true
		}
	}
	return false
}

// possibleOrg adds the organization at token k if the words there look like one
// and not like a place.
func (d text) possibleOrg(k int) {
	k = d.skip(k, maybeOrg)
	if k >= len(d.Tokens) || d.Tokens[k].Is(detectors.Country) ||
		d.Tokens[k].Is(detectors.State|detectors.Province) && d.Tokens[k].Len() > 2 && d.ends(k+1) {
		return
	}
	end := d.orgAt(k, false)
	if end == k {
		// "Hello, Ann with Dollar Tree, how may I help you?"
		if end = d.orgAt(k, true); end > k && !d.offersHelp(end, "how") {
			return
		}
	}
	likelihood := detectors.Likely
	if end == k+1 && d.entry(k).Common() > 0 {
		// Few know that there is a town of Bell, or of Mobile.
		likelihood = detectors.VeryLikely
	}
	d.add(detectors.OrganizationName, k, end, likelihood, detectors.HintOfSpeaker)
}

// orgBefore adds the organization that answers the phone: what begins the
// sentence before "this is" at token i, when it looks like a proper name.
func (d text) orgBefore(i int) {
	end := d.beforeHesitations(i)
	start := end
	for start > 0 && end-start <= 8 && !d.begins(start) && !d.isComma(start-1) {
		start--
	}
	greeted := false
	for start < end && d.greets(start) {
		greeted = true
		start++
	}
	if start == end || greeted && d.nameScore(start) >= 3 {
		return // "Hi Ann, this is Bob"
	}
	if d.nameScore(start) >= 3 && d.nameAt(start, 3) == end {
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
	if stop == start || !d.onlyDepartment(stop, end) || !d.cased && stop-start == 1 && d.nameScore(start) == notName {
		return
	}
	d.add(detectors.OrganizationName, start, stop, detectors.Likely, detectors.HintOfSpeaker)
}

// beforeHesitations returns the token at which the hesitations before token i
// begin.
func (d text) beforeHesitations(i int) int {
	end := i
	for i-end < maxHesitations {
		switch {
		case end > 0 && (d.isComma(end-1) || d.Tokens[end-1].Is(detectors.Filler)):
			end--
		case end > 1 && hesitation(d.Document, end-2) == 2:
			end -= 2
		default:
			return end
		}
	}
	return end
}

// greets reports whether token i is part of a greeting.
func (d text) greets(i int) bool {
	t := &d.Tokens[i]
	return t.Class == detectors.Punct || t.Is(detectors.Backchannel|detectors.Filler) || d.WordIn(i, greetings)
}

// onlyDepartment reports whether the tokens name a department, or nothing.
func (d text) onlyDepartment(from, to int) bool {
	for k := 0; from < to; k++ {
		t := &d.Tokens[from]
		if k > 2*maxHesitations {
			return false
		}
		switch n := hesitation(d.Document, from); {
		case n > 0:
			from += n
		case t.Class == detectors.Punct || afterOrg.Has(t.Hash):
			from++
		default:
			return false
		}
	}
	return true
}
