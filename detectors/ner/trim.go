package ner

import "sotto/detectors"

const (
	// unlikely is the probability below which a word at the edge of a weak name is left out of it.
	unlikely = 0.1
	// grammar are the roles of words that may be left out though they have a capital letter.
	grammar = detectors.Function | detectors.Filler | detectors.Backchannel | detectors.Title
	// numbers are the roles of words that are never left out.
	numbers = detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Scale | detectors.Mult | detectors.Ordinal
)

// trim leaves out words at the edges of a weak name that the tagger takes for no part of a value: a
// cue such as "at" takes "the" with the name behind it. A name that would lose all its words keeps
// them.
func (t *Tagger) trim(d *detectors.Document, f *detectors.Finding) {
	if f.Value != "" {
		return
	}
	from := t.reader.First(d, f.Start)
	to := from
	for to < t.Len() && t.start(d, to) < f.End {
		to++
	}
	i, j := from, to
	for i < j && t.trims(d, i) {
		i++
	}
	if i == j {
		return
	}
	for t.trims(d, j-1) {
		j--
	}
	if i > from {
		f.Start = t.start(d, i)
	}
	if j < to {
		f.End = int(d.Tokens[t.reader.Elements[j-1].Token].End)
	}
}

// start is the byte offset of element i.
func (t *Tagger) start(d *detectors.Document, i int) int {
	return int(d.Tokens[t.reader.Elements[i].Token].Start)
}

// trims reports whether element i is left out at the edge of a name.
func (t *Tagger) trims(d *detectors.Document, i int) bool {
	token := &d.Tokens[t.reader.Elements[i].Token]
	if token.Is(numbers) || token.Class != detectors.Lower && !token.Is(grammar) {
		return false
	}
	_, p := t.best(i)
	return p < unlikely
}
