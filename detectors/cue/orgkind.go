package cue

import "sotto/detectors"

// properCased and properLower are how common a word may be that is taken for a
// proper name, in a text with capitals and in one without.
const (
	properCased = 5
	properLower = 2
)

// orgByKind adds the organization that token i, a kind of organization, ends: a
// proper name with one or more kinds after it.
func (d text) orgByKind(i int) {
	if !d.lastKind(i) || d.cased && !d.Tokens[i].UpperCase() {
		return
	}
	j := i
	for j > 0 && i-j < 3 && d.orgKind(j-1) {
		j--
	}
	start, found := j, false
	for start > 0 && j-start < 2 {
		k := start - 1
		inName, proper := d.beforeKind(k)
		if !inName {
			break
		}
		found = found || proper
		start = k
	}
	if found {
		d.add(detectors.OrganizationName, start, i+1, detectors.Likely, 0)
	}
}

// orgKind reports whether token i is a kind of organization.
func (d text) orgKind(i int) bool { return d.WordIn(i, orgHeads) || d.WordIn(i, orgModifiers) }

// lastKind reports whether token i is a kind of organization that can end a name
// and that no other one follows.
func (d text) lastKind(i int) bool {
	ends := d.WordIn(i, orgHeads) || d.WordIn(i, secondHeads) && d.orgKind(i-1)
	return ends && !d.WordIn(i+1, orgHeads) && !d.WordIn(i+1, secondHeads)
}

// beforeKind reports whether token k, before a kind of organization, is part of
// a name, and whether it is a proper name.
func (d text) beforeKind(k int) (inName, proper bool) {
	t := &d.Tokens[k]
	if !t.Class.IsWord() || t.Class == detectors.Letter || plain(t) || afterOrg.Has(t.Hash) || neverInOrg.Has(t.Hash) ||
		neverNames.Has(t.Hash) || cuePhrases.Begins(t.Hash) {
		return false, false
	}
	common := d.entry(k).Common()
	if d.cased {
		proper = common <= properCased
		return t.UpperCase() && (proper || !d.begins(k)), proper
	}
	proper = common <= properLower && t.Len() >= 4
	return proper, proper
}

// orgByLegalForm adds the organization whose legal form stands at token j: "ABC
// incorporated".
func (d text) orgByLegalForm(j int) {
	if j == 0 || d.WordIs(j, "limited") && !d.midCapital(j) {
		return
	}
	start := d.legalNameStart(j)
	for start < j && (d.Tokens[start].Class == detectors.Punct || plain(&d.Tokens[start])) {
		start++
	}
	if start == j {
		return
	}
	end := j + 1
	for d.WordIn(end, legalForms) {
		end++
	}
	d.add(detectors.OrganizationName, start, end, detectors.Likely, 0)
}

// legalNameStart returns the token at which the name before a legal form at
// token j may begin.
func (d text) legalNameStart(j int) int {
	start := j
	for words := 0; start > 0 && words < maxOrg-1; words++ {
		k := start - 1
		if t := &d.Tokens[k]; t.Class == detectors.Punct {
			joins := t.Ch == '&' || t.Ch == '-' || t.Ch == ',' && start == j
			if !joins || k == 0 || !d.Tokens[k-1].Class.IsWord() {
				break
			}
			start = k
			words--
			continue
		}
		if !d.inLegalName(k, start == j) {
			break
		}
		start = k
		if !d.cased && j-start >= 3 {
			break
		}
	}
	return start
}

// inLegalName reports whether token k is a word of the name before a legal form;
// last says that nothing of the name follows it.
func (d text) inLegalName(k int, last bool) bool {
	t := &d.Tokens[k]
	if !t.Class.IsWord() && t.Class != detectors.Alnum && t.Class != detectors.Digits || plain(t) && !d.connects(k) {
		return false
	}
	common := d.entry(k).Common()
	if d.cased {
		return last || d.midCapital(k) || d.begins(k) && common < 10 || d.connects(k) || t.Class == detectors.Upper
	}
	return !plain(t) && common <= 12 && (last || !afterOrg.Has(t.Hash)) && !cuePhrases.Begins(t.Hash)
}
