package cue

import "sotto/detectors"

// headWords are kinds of organizations that the proper name before them makes one:
// "Larkmoor Mutual". Words that as often follow any noun, as "service" or "store", are
// left out.
const headWords = "bank insurance university college hospital clinic union fund airlines airways hotel systems technologies solutions " +
	"holdings partners associates foundation institute bancorp financial media healthcare pharmacy pharmaceuticals electronics " +
	"communications telecom wireless networks software laboratories realty properties mortgage capital investments securities consulting " +
	"logistics construction design designs academy dental industries enterprises mutual assurance freight motors studios bakery brewery " +
	"plumbing roofing landscaping contractors builders advisors analytics robotics aviation chemicals cosmetics"

var (
	// orgHeads can end such a name, orgKinds go before what ends it.
	orgHeads = setOf(headWords)
	orgKinds = setOf(headWords + " auto care center centre co company credit group health medical network plan trust")
	// orgPairs end such a name when the word before is a kind, too: "medical
	// center", "health plan".
	orgPairs = setOf("center centre network plan group company co trust")
)

// properRaised and properLower are the commonness up to which a word is taken for a proper name, in a
// text with capitals and in one without.
const (
	properRaised = 5
	properLower  = 2
)

// kinded adds the organization that token i, a kind of organization, ends: a
// proper name with one or more kinds after it.
func (d text) kinded(i int) {
	if !orgHeads.has(d.Tokens[i].Hash) && !(orgPairs.has(d.Tokens[i].Hash) && i > 0 && orgKinds.has(d.Tokens[i-1].Hash)) {
		return
	}
	if i+1 < len(d.Tokens) && (orgHeads.has(d.Tokens[i+1].Hash) || orgPairs.has(d.Tokens[i+1].Hash)) {
		return // the next one ends it
	}
	if d.cased && d.Tokens[i].Flags&detectors.UpperFirst == 0 {
		return
	}
	j := i
	for j > 0 && i-j < 3 && orgKinds.has(d.Tokens[j-1].Hash) {
		j--
	}
	start, found := j, false
	for start > 0 && j-start < 2 {
		k := start - 1
		t := &d.Tokens[k]
		if !t.Class.IsWord() || t.Class == detectors.Letter || plain(t) || orgEnds.has(t.Hash) || orgNever.has(t.Hash) || neverNames.has(t.Hash) || d.anchored(k) {
			break
		}
		c := d.entry(k).Common()
		if d.cased {
			if t.Flags&detectors.UpperFirst == 0 || d.begins(k) && c > properRaised {
				break
			}
			found = found || c <= properRaised
		} else {
			if c > properLower || t.Len() < 4 {
				break
			}
			found = true
		}
		start = k
	}
	if found {
		d.add(detectors.OrganizationName, start, i+1, detectors.Likely, 0)
	}
}
