package replace

import (
	"cmp"
	"strings"
)

// gender is what a given name says about the sex of those who have it.
type gender uint8

const (
	either gender = iota // nothing, or the name is not known
	female
	male
	genders
)

func genderOf(given string) gender { return builtIn().genders[toLower(given)] }

// genderOfMention returns the gender of the person whose name a mention is. What the person was
// called first decides, so that all forms of the name have the same surrogate. A surrogate of a
// name that says nothing is one that women and men have: it fits "he" and "she".
func genderOfMention(m *Mention, given string) gender {
	first, _, _ := strings.Cut(m.First, " ")
	full, _, _ := strings.Cut(m.Full, " ")
	return genderOf(cmp.Or(first, given, full))
}

// splitByGender fills givenOf from the given names of a pool that was learned.
func (pl *pool) splitByGender() {
	var rows [genders][]weighted
	for i, v := range pl.given.values {
		g := genderOf(v)
		rows[g] = append(rows[g], weighted{v, pl.given.weight(i)})
	}
	for g, r := range rows {
		if len(r) > 0 {
			pl.givenOf[g] = mustTable(r)
			pl.givenOf[g].exemplar = pl.given.exemplar
		}
	}
}
