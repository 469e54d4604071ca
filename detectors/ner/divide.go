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
// they always spell it wrong here", and those that it takes for something else: the name before a date of birth.
// It adds the remaining pieces to t.pieces and reports true, or reports
// false if the answer keeps all its words, which it also does if it would lose them all. A single word that is no part of a
// value stays, since it may be a misheard part of it, and so do two before a letter.
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
		if k := t.another(d, f, from, i, to); k > i {
			j, least = k, 1
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

// another adds a finding for the elements from i on that the encoder is sure are something else than the answer f,
// which has the elements [from, to), and returns the first element behind them, i if there are none or if they are all of the answer.
func (t *Tagger) another(d *detectors.Document, f *detectors.Finding, from, i, to int) int {
	if !t.encoded.isRead() {
		return i
	}
	own, first := sequence.KindOfType(f.Type), i
	var kind Kind
	sum := float32(0)
	for ; i < to; i++ {
		k, p := t.surest(i)
		if p < sure || k == own || i > first && k != kind {
			break
		}
		kind, sum = k, sum+p
	}
	if i == first || i-first == to-from {
		return first
	}
	t.pieces = append(t.pieces, t.finding(d, &Span{first, i - 1, kind, sum / float32(i-first)}))
	return i
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
