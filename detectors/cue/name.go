package cue

import "sotto/detectors"

// maxName bounds the words of a name.
const maxName = 5

// nameAt returns the end of the name that begins at token i, or i when none
// does: a title, or a first word of at least the given score, then further
// names, initials and particles.
func (d text) nameAt(i, least int) int {
	j := i
	if d.isTitle(j) {
		j++
		if j < len(d.Tokens) && d.Tokens[j].Ch == '.' {
			j++
		}
		least = min(least, -4)
	}
	if j >= len(d.Tokens) || !d.firstName(j, least) {
		return i
	}
	j++
	for words := 1; j < len(d.Tokens) && words < maxName; words++ {
		n := d.moreName(j)
		if n == 0 {
			break
		}
		j += n
	}
	return j
}

// isTitle reports whether token i is the title of a name after it.
func (d text) isTitle(i int) bool {
	if i+1 >= len(d.Tokens) || !d.Tokens[i].Is(detectors.Title) {
		return false
	}
	k := i + 1
	if d.Tokens[k].Ch == '.' {
		k++
	}
	if k >= len(d.Tokens) || !d.Tokens[k].Class.IsWord() || d.Tokens[k].Class == detectors.Letter {
		return false
	}
	if d.WordIn(i, wordTitles) {
		return d.Tokens[k].UpperCase() && d.cased || d.nameScore(k) >= 2
	}
	return true
}

// firstName reports whether token j can be the first word of a name, with at
// least the given score.
func (d text) firstName(j, least int) bool {
	s := d.nameScore(j)
	if s == notName && least <= -8 && j+1 < len(d.Tokens) && d.entry(j).Given() >= 5 && d.nameScore(j+1) >= 2 && d.Tokens[j+1].Len() >= 4 {
		return true // "my name is will hawkins"
	}
	return s >= least && s > notName && d.nameWord(j)
}

// moreName returns how many tokens at j continue a name, 0 when it is over.
func (d text) moreName(j int) int {
	t := &d.Tokens[j]
	switch {
	case t.Class == detectors.Punct:
		return d.hyphenedName(j)
	case t.Class == detectors.Letter:
		return d.initial(j)
	case !t.Class.IsWord():
		return 0
	case particles.Has(t.Hash):
		return d.particle(j)
	case d.furtherName(j):
		return 1
	}
	return 0
}

// hyphenedName returns how many tokens at j are a hyphen and a name: the rest of
// "Smith-Jones".
func (d text) hyphenedName(j int) int {
	t := &d.Tokens[j]
	if t.Ch == '-' && t.Glued() && t.End-t.Start == 1 && j+1 < len(d.Tokens) && d.Tokens[j+1].Glued() && d.Tokens[j+1].Class.IsWord() {
		return 2
	}
	return 0
}

// initial returns how many tokens the initial at token j takes, with the dot
// after it; 0 when it is none or no name follows.
func (d text) initial(j int) int {
	t := &d.Tokens[j]
	if d.cased && !t.UpperCase() || t.Ch == 'i' || t.Ch == 'a' && !t.UpperCase() {
		return 0
	}
	k := j + 1
	if k < len(d.Tokens) && d.Tokens[k].Ch == '.' {
		k++
	}
	if k < len(d.Tokens) && d.nameScore(k) >= 0 && d.Tokens[k].Class != detectors.Letter {
		return k - j
	}
	return 0
}

// particle returns how many tokens from j are particles before a name: "de la".
func (d text) particle(j int) int {
	k := j + 1
	for k < j+3 && d.WordIn(k, particles) {
		k++
	}
	if k < len(d.Tokens) && d.nameScore(k) >= -2 && d.moreName(k) > 0 {
		return k - j
	}
	return 0
}

// furtherName reports whether the word of token j continues a name.
func (d text) furtherName(j int) bool {
	s, e := d.nameScore(j), d.entry(j)
	switch {
	case s <= notName:
		return false
	case d.midCapital(j):
		return e.Name() > 0 || e.Common() == 0
	case s >= 1 && !d.cased, s >= 3:
		return true
	}
	// "Rachel green speaking"
	return e.Surname() >= 4 && s >= -6 && (d.ends(j+1) || d.endsName(j+1))
}

// endsName reports whether a word that often comes right after a name comes next
// from token i on.
func (d text) endsName(i int) bool {
	return d.WordIn(pastHesitations(d.Document, i), afterOwnName)
}
