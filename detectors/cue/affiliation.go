package cue

import "sotto/detectors"

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
	likelihood := detectors.Likely
	if end == k+1 && d.entry(k).Common() > 0 {
		// Few know that there is a town of Bell, or of Mobile.
		likelihood = detectors.VeryLikely
	}
	d.add(detectors.OrganizationName, k, end, likelihood, detectors.HintOfSpeaker)
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
	if t.Class == detectors.Punct || t.Is(detectors.Backchannel|detectors.Filler) {
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
