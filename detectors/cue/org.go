package cue

import (
	"sotto/detectors"
)

// maxOrg bounds the words of an organization's name.
const maxOrg = 6

// orgAt returns the end of the organization's name that begins at token i, or i
// when none does. A sure one may be of any words that do not end it; one that
// is not sure must look like a proper name.
func (d text) orgAt(i int, sure bool) int {
	j := i
	if j < len(d.Tokens) && string(d.Word(j)) == "the" && !d.ends(j+1) {
		j++
	}
	words, proper := 0, false
	for j < len(d.Tokens) && words < maxOrg {
		n := d.orgWord(i, j, words > 0)
		if n == 0 {
			break
		}
		proper = proper || d.properWord(j)
		j += n
		words++
	}
	if words == 0 {
		return i
	}
	// "you've reached Altria. Carl here": the name before "here" is no part.
	if j < len(d.Tokens) && d.introduces(j) {
		for cut := 0; cut < 2 && words > 1 && (d.likeness(j-1) >= 3 || cut == 0 && !orgNouns.has(d.Tokens[j-1].Hash)); cut++ {
			j--
			words--
		}
	}
	if k := j - 1; words > 1 && !d.raised(k) && orgNouns.has(d.Tokens[k-1].Hash) && d.likeness(k) >= 9 {
		// "thanks for calling acme insurance jacqueline": who is spoken to.
		return k
	}
	switch {
	case sure:
		return d.stretch(j)
	case !proper:
		return i
	}
	return j
}

// stretch returns the end of a name that is sure and ends at token j, with the
// words in lower case after it that a recogniser wrote so, when nothing else of
// the sentence follows them.
func (d text) stretch(j int) int {
	k := j
	for n := 0; n < 3 && k < len(d.Tokens); n++ {
		t := &d.Tokens[k]
		if t.Class != detectors.Lower || plain(t) && !t.Is(detectors.NumWord) || orgEnds.has(t.Hash) || d.anchored(k) {
			break
		}
		k++
	}
	if k > j && (d.ends(k) || d.offers(k)) {
		return k
	}
	return j
}

// introduces tells whether a name before token i introduces a speaker.
func (d text) introduces(i int) bool {
	switch string(d.Word(i)) {
	case "here", "speaking":
		return true
	}
	return false
}

// orgWord returns how many tokens at j are the next word of an organization's
// name; inner tells that it is not the first.
func (d text) orgWord(i, j int, inner bool) int {
	t := &d.Tokens[j]
	switch t.Class {
	case detectors.Punct:
		return d.orgMark(j, inner)
	case detectors.Clitic:
		// "Casey's General Stores"
		if inner && string(d.Word(j)) == "'s" && (d.raisedNext(j) || !d.cased && j+1 < len(d.Tokens) && orgNouns.has(d.Tokens[j+1].Hash)) {
			return 1
		}
		return 0
	case detectors.Other:
		return 0
	case detectors.Digits:
		if !t.Glued() && !(inner || t.Len() <= 2) {
			return 0
		}
		return 1
	}
	if t.Is(detectors.Filler|detectors.Weekday) || inner && !d.cased && t.Is(detectors.Title) || orgNever.has(t.Hash) || !inner && orgEnds.has(t.Hash) && !d.raisedNext(j) {
		return 0
	}
	if j+2 < len(d.Tokens) && d.Tokens[j+1].Ch == '&' && d.Tokens[j+1].Glued() && d.Tokens[j+2].Glued() {
		return 1 // "at&t"
	}
	if orgSuffixes.has(t.Hash) {
		return 1
	}
	upper := d.cased && t.Flags&detectors.UpperFirst != 0 && t.Class != detectors.Letter
	if d.cased && inner && !upper {
		// In a cased text, a lower-case word goes on only as a kind of business
		// or between two capitals.
		if orgNouns.has(t.Hash) || d.joins(j) || d.raisedNext(j) && !plain(t) {
			return 1
		}
		return 0
	}
	if upper && !t.Is(detectors.Function) {
		if orgEnds.has(t.Hash) && !d.raised(j) {
			return 0
		}
		return 1
	}
	if orgEnds.has(t.Hash) || t.Is(detectors.Weekday|detectors.Clock) {
		return 0
	}
	if t.Is(detectors.Function|detectors.Backchannel|detectors.Correct) && !upper {
		if inner && d.joins(j) {
			return 1
		}
		return 0
	}
	return 1
}

// joins tells whether token j is "and", "of" or the like between two words of a
// name.
func (d text) joins(j int) bool {
	if j+1 >= len(d.Tokens) || j == 0 {
		return false
	}
	switch string(d.Word(j)) {
	case "and", "of", "for", "the":
	default:
		return false
	}
	next := &d.Tokens[j+1]
	if !next.Class.IsWord() || plain(next) || orgEnds.has(next.Hash) {
		return false
	}
	if d.cased {
		return d.raised(j+1) || d.raisedNext(j+1)
	}
	return d.entry(j+1).Common() < 11
}

func (d text) raisedNext(j int) bool {
	return j+1 < len(d.Tokens) && d.Tokens[j+1].Class != detectors.Letter && d.raised(j+1)
}

// orgMark returns how many tokens a mark inside a name takes with it: "AT&T",
// "T-Mobile", "Amazon.com", "U.S. Bank".
func (d text) orgMark(j int, inner bool) int {
	t := &d.Tokens[j]
	if !inner || j+1 >= len(d.Tokens) {
		return 0
	}
	next := &d.Tokens[j+1]
	word := next.Class.IsWord() || next.Class == detectors.Digits || next.Class == detectors.Alnum
	switch t.Ch {
	case '&', '+':
		if word {
			return 2
		}
	case '-', '\'', '/':
		if word && t.Glued() && next.Glued() {
			return 2
		}
	case '.':
		if t.Glued() && word && (next.Glued() || d.abbreviated(j) && (!d.cased || d.raised(j+1))) {
			return 2
		}
	}
	return 0
}

// properWord tells whether token j looks like a proper name rather than a word.
func (d text) properWord(j int) bool {
	t := &d.Tokens[j]
	if neverNames.has(t.Hash) || t.Is(detectors.Weekday|detectors.Month|detectors.Country) || orgEnds.has(t.Hash) {
		return false
	}
	if d.raised(j) && t.Class != detectors.Letter {
		return true
	}
	if t.Class == detectors.Alnum || t.Class == detectors.Upper && d.cased {
		return true
	}
	if !t.Class.IsWord() || plain(t) {
		return false
	}
	c := d.entry(j).Common()
	if d.cased {
		return c == 0
	}
	return c < 6 || orgSuffixes.has(t.Hash) || c < 9 && orgNouns.has(t.Hash)
}

// suffixed finds organizations by their legal form: "ABC incorporated".
func (d text) suffixed(j int) (start, end int, ok bool) {
	t := &d.Tokens[j]
	if !orgSuffixes.has(t.Hash) || j == 0 || string(d.Word(j)) == "limited" && !d.raised(j) {
		return 0, 0, false
	}
	start = j
	for words := 0; start > 0 && words < maxOrg-1; words++ {
		k := start - 1
		w := &d.Tokens[k]
		if w.Class == detectors.Punct {
			if (w.Ch == '&' || w.Ch == ',' && start == j || w.Ch == '-') && k > 0 && d.Tokens[k-1].Class.IsWord() {
				start = k
				words--
				if start == j-1 || w.Ch == '&' || w.Ch == '-' {
					continue
				}
			}
			break
		}
		if !w.Class.IsWord() && w.Class != detectors.Alnum && w.Class != detectors.Digits {
			break
		}
		c := d.entry(k).Common()
		if d.cased && start < j && !d.raised(k) && !(d.begins(k) && c < 10) && !d.joins(k) && w.Class != detectors.Upper {
			break
		}
		if !d.cased && (plain(w) || c > 12 || orgEnds.has(w.Hash) && start < j || d.anchored(k)) {
			break
		}
		if plain(w) && !d.joins(k) {
			break
		}
		start = k
		if !d.cased && j-start >= 3 {
			break
		}
	}
	for start < j && (d.Tokens[start].Class == detectors.Punct || plain(&d.Tokens[start])) {
		start++
	}
	if start == j {
		return 0, 0, false
	}
	end = j + 1
	for end < len(d.Tokens) && orgSuffixes.has(d.Tokens[end].Hash) {
		end++
	}
	return start, end, true
}

// anchored tells whether token k is a word of a cue, which stops a name.
func (d text) anchored(k int) bool {
	s := phrases.find(d.Tokens[k].Hash)
	return s != nil && len(s.phrases) > 0
}
