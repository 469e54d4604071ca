// Package cue finds what words reveal: names of people and organizations by
// the phrases that introduce them, in cased and in lower-case text ("this is Pam
// calling from Dunder Mifflin, may I speak to Jim?"), and names, places, diseases
// and cars by the lexicon. It also finds out what a text asks for.
package cue

import "sotto/detectors"

// Detector finds names by cues and by the lexicon. It has no state.
type Detector struct{}

// Name returns "cue".
func (Detector) Name() string { return "cue" }

// Trigger starts the detector for every text with a word in it.
func (Detector) Trigger() detectors.Trigger { return wordTrigger }

var wordTrigger = detectors.Trigger{Classes: []detectors.Class{detectors.Lower, detectors.Cap, detectors.Upper, detectors.Mixed}}

// Detect adds findings of PERSON_NAME and ORGANIZATION_NAME by cues, as "cue";
// of PERSON_NAME by the lexicon alone, as "names"; of LOCATION and US_STATE, as
// "places"; of MEDICAL_TERM, as "terms"; of cars as PRODUCT, as "vehicles".
func (Detector) Detect(doc *detectors.Document) {
	d := read(doc)
	d.cues()
	if d.clues&givenClue != 0 {
		d.uncuedNames()
	}
	d.nameOnly()
	if d.clues&placeClue != 0 {
		d.places()
	}
	if d.clues&healthClue != 0 {
		d.terms()
	}
	if d.clues&vehicleClue != 0 {
		d.vehicles()
	}
}

// cues adds names by the phrases that introduce them and by the words that only
// names go with: titles, legal forms, kinds of organizations.
func (d text) cues() {
	for i := 0; i < len(d.Tokens); i++ {
		t := &d.Tokens[i]
		if t.Hash == 0 {
			continue
		}
		c := clueOf(t)
		if c&formClue != 0 {
			if legalForms.Has(t.Hash) {
				d.orgByLegalForm(i)
			}
			d.orgByKind(i)
		}
		if t.Is(detectors.Title) {
			d.nameByTitle(i)
		}
		if c&formClue != 0 && afterOwnName.Has(t.Hash) {
			d.nameBefore(i)
		}
		if c&phraseClue == 0 {
			continue
		}
		if kind, n := cuePhrases.Longest(d.Document, i, hesitationGap); n > 0 {
			d.introduce(kind, i, i+n)
			if kind != maybeName { // "the name", within which "name on the account is" begins
				i += n - 1
			}
		}
	}
}

// introduce adds what the cue from token i to j introduces.
func (d text) introduce(kind cueKind, i, j int) {
	k := d.skip(j, kind)
	if k >= len(d.Tokens) {
		return
	}
	switch kind {
	case ownName:
		d.certainName(k, -8, detectors.HintSelf)
	case someName:
		d.somebodysName(i, k)
	case maybeName:
		if k == j {
			d.possibleName(k, 2, 0)
		}
	case givenName:
		d.certainName(k, -10, detectors.HintGiven)
	case surname:
		d.certainName(k, -10, detectors.HintSurname)
		d.givenNameBefore(i)
	case otherName:
		d.certainName(k, 0, detectors.HintOther)
	case maybeOwnName:
		d.possibleOwnName(i, k)
	case ownNameBeforeSpeaking:
		d.ownNameBefore(k)
	case maybeOtherName:
		d.possibleName(k, 4, 0)
	case relative:
		d.nameOfRelative(k)
	case vocative:
		d.addressee(j, k)
	case ownOrg, orgName:
		d.certainOrg(k)
	case maybeOrg:
		d.possibleOrgOrName(j, k)
	}
}

// skip passes over hesitations, and over a comma or colon where the cue
// allows for one.
func (d text) skip(j int, kind cueKind) int {
	for n := 0; j < len(d.Tokens) && n < 4; n++ {
		t := &d.Tokens[j]
		switch {
		case t.Is(detectors.Filler), kind.asksForName() && doubts.Has(t.Hash):
			j++
		case hesitation(d.Document, j) > 0:
			j += hesitation(d.Document, j)
		case t.Class == detectors.Punct && t.Ch == '"':
			j++
		case t.Class == detectors.Punct && (t.Ch == ',' || t.Ch == ':' || t.Ch == '-') && !kind.leadsToOrg():
			j++
		default:
			return j
		}
	}
	return j
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
		if d.WordIn(k, legalForms) {
			d.add(detectors.OrganizationName, i, j, l, 0)
			return
		}
	}
	if d.WordIn(j, legalForms) {
		return // the organization is found by its legal form
	}
	d.add(detectors.PersonName, i, j, l, hint)
}

func (d text) add(t detectors.InfoType, i, j int, l detectors.Likelihood, hint detectors.Hint) {
	d.addAs("cue", detectors.ByCue, t, i, j, l, hint)
}

// addAs adds a finding of the tokens from i to j.
func (d text) addAs(detector string, evidence detectors.Evidence, t detectors.InfoType, i, j int, l detectors.Likelihood, hint detectors.Hint) {
	if i >= j {
		return
	}
	d.Add(detectors.Finding{
		Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: t, Likelihood: l,
		Score: detectors.ScoreOf(l), Detector: detector, Evidence: evidence, Hint: hint,
	})
}
