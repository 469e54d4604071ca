package ner

import (
	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// dates are the roles of words that are never left out of an answer.
const dates = detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Scale | detectors.Mult | detectors.Ordinal |
	detectors.Homophone | detectors.Month | detectors.Decade

// isAnswer reports whether a finding is a name or a date of birth that is masked because the other party
// asked for it: most of a turn, whose words the rules do not know.
func isAnswer(f *detectors.Finding) bool {
	switch sequence.KindOfType(f.Type) {
	case sequence.Person, sequence.Organization, sequence.Birth:
		return f.Evidence.Tier() == 3 && f.Value == ""
	}
	return false
}

// divide leaves words out of an answer that the tagger takes for no part of a value: "Perpetua Quillan,
// they always spell it wrong here". It adds the remaining pieces to t.pieces and reports true, or reports
// false if the answer keeps all its words, which it also does if it would lose them all. A single such
// word stays, since it may be a misheard part of the value, and so do two before a letter.
func (t *Tagger) divide(d *detectors.Document, f *detectors.Finding) (divided bool) {
	from, to := t.elements(d, f)
	begin := from
	for i := from; i < to; i++ {
		j := i
		for j < to && t.isBeside(d, j) {
			j++
		}
		least := 2
		if j < to && t.isLetter(d, j) {
			least = 3
		}
		if n := j - i; n >= least && n < to-from {
			t.addPiece(d, *f, from, begin, i, to)
			begin, divided = j, true
		}
		i = max(i, j-1)
	}
	if divided {
		t.addPiece(d, *f, from, begin, to, to)
	}
	return divided
}

// addPiece adds the elements [i, j) of a finding that has the elements [from, to) to t.pieces.
func (t *Tagger) addPiece(d *detectors.Document, f detectors.Finding, from, i, j, to int) {
	if i < j {
		t.cut(d, &f, from, i, j, to)
		t.pieces = append(t.pieces, f)
	}
}

// isLetter reports whether element i is a single letter.
func (t *Tagger) isLetter(d *detectors.Document, i int) bool {
	return d.Tokens[t.reader.Elements[i].Token].Class == detectors.Letter
}

// isBeside reports whether element i of an answer is no part of the value that was asked for.
func (t *Tagger) isBeside(d *detectors.Document, i int) bool {
	token := &d.Tokens[t.reader.Elements[i].Token]
	if token.Is(dates) || token.Class >= detectors.Letter {
		return false
	}
	_, p := t.best(i)
	return p < reliable
}

// elements returns the first element of a finding and the one behind its last.
func (t *Tagger) elements(d *detectors.Document, f *detectors.Finding) (from, to int) {
	from = t.reader.First(d, f.Start)
	to = from
	for to < t.Len() && t.start(d, to) < f.End {
		to++
	}
	return from, to
}

// cut narrows a finding that has the elements [from, to) to the elements [i, j).
func (t *Tagger) cut(d *detectors.Document, f *detectors.Finding, from, i, j, to int) {
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
