package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// text is a document with what the case of its letters is worth.
type text struct {
	*detectors.Document
	// cased tells that capital letters mark names: some word has one and not
	// most of them do.
	cased bool
	// entries are what the lexicon knows of the tokens.
	entries []lexicon.Entry
}

// read looks the words of a document up; entries is memory to use.
func read(d *detectors.Document, entries []lexicon.Entry) text {
	caps, words := 0, 0
	for i := range d.Tokens {
		t := &d.Tokens[i]
		e := lexicon.Entry(0)
		if t.Class.IsWord() {
			e = lexicon.LookupHash(t.Hash)
		}
		entries = append(entries, e)
		switch t.Class {
		case detectors.Cap, detectors.Mixed:
			caps++
			words++
		case detectors.Lower:
			words++
		case detectors.Upper:
			caps++
			words++
		}
	}
	return text{d, caps > 0 && (words < 5 || caps*10 < words*9), entries}
}

// entry is what the lexicon knows of token i.
func (d text) entry(i int) lexicon.Entry { return d.entries[i] }

// begins tells whether token i begins a sentence.
func (d text) begins(i int) bool {
	if i == 0 {
		return true
	}
	t := &d.Tokens[i-1]
	if t.Class != detectors.Punct {
		return false
	}
	switch t.Ch {
	case '.':
		return !d.abbreviated(i - 1)
	case '!', '?', ':', '"', '-', '>':
		return true
	}
	return false
}

// abbreviated tells whether the dot at token i belongs to the word before it.
func (d text) abbreviated(i int) bool {
	if i == 0 || !d.Tokens[i].Glued() || i+1 >= len(d.Tokens) {
		return false
	}
	if next := &d.Tokens[i+1]; plain(next) && next.Class != detectors.Clitic {
		return false
	}
	before := &d.Tokens[i-1]
	return before.Class == detectors.Letter && before.Flags&detectors.UpperFirst != 0 || abbreviations.has(before.Hash)
}

// ends tells whether nothing of the sentence comes at token i any more.
func (d text) ends(i int) bool {
	if i >= len(d.Tokens) {
		return true
	}
	t := &d.Tokens[i]
	if t.Class == detectors.Other {
		return true
	}
	if t.Class != detectors.Punct {
		return false
	}
	switch t.Ch {
	case '.', '!', '?', ',', ';', ':', ')':
		return t.Ch != '.' || !d.abbreviated(i) && (i+1 == len(d.Tokens) || !d.Tokens[i+1].Glued() || !d.Tokens[i+1].Class.IsWord())
	case '-':
		return !t.Glued()
	}
	return false
}

// raised tells whether token i has a capital letter that its place in the
// sentence does not explain.
func (d text) raised(i int) bool {
	t := &d.Tokens[i]
	return d.cased && t.Flags&detectors.UpperFirst != 0 && !d.begins(i)
}

// dated tells whether the month of token i is part of a date.
func (d text) dated(i int) bool {
	if i+1 < len(d.Tokens) {
		if next := &d.Tokens[i+1]; next.Class == detectors.Digits || next.Is(detectors.Ordinal|detectors.NumWord|detectors.Teen|detectors.Tens) {
			return true
		}
	}
	if i == 0 {
		return false
	}
	switch string(d.Word(i - 1)) {
	case "in", "on", "of", "since", "by", "until", "till", "this", "next", "last", "early", "late", "mid", "before", "after", "every":
		return true
	}
	return d.Tokens[i-1].Class == detectors.Digits || d.Tokens[i-1].Is(detectors.Ordinal)
}

// spells tells whether the word of token i stands for a letter in a code: "E as in
// echo, 5 5 1 2".
func (d text) spells(i int) bool {
	r := d.RunAt(i)
	return r >= 0 && d.Runs[r].Digits > 0 && d.Runs[r].Len() > 2
}

// never is the likeness of what cannot be a name.
const never = -100

// likeness tells how much token i looks like a part of a name: 0 is as likely as
// not for a word that a name is expected at. It is the lexicon's count as a
// name, less its commonness as a word, both logarithms, and what case adds.
func (d text) likeness(i int) int {
	t := &d.Tokens[i]
	if !t.Class.IsWord() {
		return never
	}
	if t.Is(detectors.Spelling) && d.spells(i) {
		return never
	}
	raised := d.raised(i)
	if neverNames.has(t.Hash) || t.Is(detectors.Weekday) || t.Is(detectors.Month) && d.dated(i) || !raised && (notNames.has(t.Hash) || plain(t)) {
		return never
	}
	e := d.entry(i)
	n, c := max(e.Given(), e.Surname()-1), e.Common()
	s := n - c
	switch {
	case t.Class == detectors.Letter, t.Class == detectors.Upper && d.cased && n == 0 && t.Len() <= 5:
		return never // an initial, an acronym
	case n == 0 && c == 0:
		s = 2
		if t.Len() < 3 {
			s = 0
		}
	case c == 0:
		s = n + 3
	case n == 0:
		s = min(s, -9)
	}
	if t.Is(detectors.Month) && !raised {
		s -= 6
	}
	switch {
	case raised && t.Class == detectors.Upper:
		s += 2
	case raised:
		s += 8
	case d.cased && t.Flags&detectors.UpperFirst == 0:
		s -= 2
	}
	if plain(t) && n < 3 {
		return never
	}
	return s
}

// known tells whether the lexicon has the word of token i as a name or not at
// all, so that an everyday word does not pass for one.
func (d text) nameWord(i int) bool {
	e := d.entry(i)
	return e.Name() > 0 || e.Common() == 0 || d.raised(i)
}

// nameAt returns the end of the name that begins at token i, or i when none
// does: a title, or a first word of at least the given likeness, then further
// names, initials and particles, at most five words.
func (d text) nameAt(i, least int) int {
	j := i
	titled := false
	if d.isTitle(j) {
		titled = true
		j++
		if j < len(d.Tokens) && d.Tokens[j].Ch == '.' {
			j++
		}
		least = min(least, -4)
	}
	if j >= len(d.Tokens) || !d.firstName(j, least) {
		return i
	}
	first := j
	j++
	for words := 1; j < len(d.Tokens) && words < 5; words++ {
		n := d.moreName(first, j, titled)
		if n == 0 {
			break
		}
		j += n
	}
	return j
}

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
	// "miss", "sir" and "doctor" are words of their own.
	switch string(d.Word(i)) {
	case "miss", "sir", "doctor", "madam":
		return d.Tokens[k].Flags&detectors.UpperFirst != 0 && d.cased || d.likeness(k) >= 2
	}
	return true
}

func (d text) firstName(j, least int) bool {
	s := d.likeness(j)
	if s == never && least <= -8 && j+1 < len(d.Tokens) && d.entry(j).Given() >= 5 && d.likeness(j+1) >= 2 && d.Tokens[j+1].Len() >= 4 {
		return true // "my name is will hawkins"
	}
	return s >= least && s > never && d.nameWord(j)
}

// moreName returns how many tokens at j go on with a name that began at first.
func (d text) moreName(first, j int, titled bool) int {
	t := &d.Tokens[j]
	switch {
	case t.Class == detectors.Punct:
		// Smith-Jones, J. Smith
		if t.Ch == '-' && t.Glued() && j+1 < len(d.Tokens) && d.Tokens[j+1].Glued() && d.Tokens[j+1].Class.IsWord() && t.End-t.Start == 1 {
			return 2
		}
		return 0
	case t.Class == detectors.Letter:
		if d.cased && t.Flags&detectors.UpperFirst == 0 || t.Ch == 'i' || t.Ch == 'a' && t.Flags&detectors.UpperFirst == 0 {
			return 0
		}
		k := j + 1
		if k < len(d.Tokens) && d.Tokens[k].Ch == '.' {
			k++
		}
		if k < len(d.Tokens) && d.likeness(k) >= 0 && d.Tokens[k].Class != detectors.Letter {
			return k - j
		}
		return 0
	case !t.Class.IsWord():
		return 0
	case particles.has(t.Hash):
		k := j + 1
		for k < len(d.Tokens) && k < j+3 && d.Tokens[k].Hash != 0 && particles.has(d.Tokens[k].Hash) {
			k++
		}
		if k < len(d.Tokens) && d.likeness(k) >= -2 && d.moreName(first, k, titled) > 0 {
			return k - j
		}
		return 0
	}
	s := d.likeness(j)
	e := d.entry(j)
	last := d.ends(j+1) || d.follows(j+1)
	switch {
	case s <= never:
		return 0
	case d.cased && d.raised(j):
		if e.Name() == 0 && e.Common() > 0 {
			return 0
		}
		return 1
	case s >= 1 && !d.cased, s >= 3:
		return 1
	case e.Surname() >= 4 && s >= -6 && last:
		// "Rachel green speaking"
		return 1
	}
	return 0
}

// maxHesitations bounds how many hesitations are passed over.
const maxHesitations = 6

// past passes over hesitations from token i on.
func (d text) past(i int) int {
	for k := 0; k < maxHesitations && i > 0 && i < len(d.Tokens); k++ {
		n := d.hesitation(i)
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// follows tells whether a word that often comes right after a name comes next
// from token i on.
func (d text) follows(i int) bool {
	i = d.past(i)
	if i >= len(d.Tokens) || d.Tokens[i].Hash == 0 {
		return false
	}
	s := phrases.find(d.Tokens[i].Hash)
	return s != nil && s.follow
}
