package estimate

import (
	"sotto/detectors"
	"sotto/internal/wordhash"
	"sotto/schemas"
)

type scanner struct {
	doc   *detectors.Document
	masks []schemas.Entity
	// at is the first mask that does not end before the token looked at.
	at    int
	cased bool
}

// Candidate is a part of an anonymized text that may be personal information.
type Candidate struct {
	// Start and End are byte offsets into the text.
	Start, End int
	Kind       Kind
	// key is equal for candidates that are the same but for case.
	key uint32
}

// Scan reads an anonymized text into d and calls f for each candidate in it,
// in order, until f returns false. It skips masked spans. It allocates nothing except to grow d.
func Scan(d *detectors.Document, text string, masks []schemas.Entity, f func(Candidate) bool) {
	d.Reset(text)
	s := scanner{doc: d, masks: masks, cased: d.HasClass(detectors.Cap) || d.HasClass(detectors.Mixed)}
	for i := 0; i < len(d.Tokens); {
		if s.masked(i) {
			i++
			continue
		}
		k, n := s.judge(i)
		if k != none && !f(s.candidate(i, n, k)) {
			return
		}
		i += n
	}
}

func (s *scanner) rune(b int) int { return s.doc.RuneOffset(b) }

func (s *scanner) masked(i int) bool {
	if len(s.masks) == 0 {
		return false
	}
	start := s.rune(int(s.doc.Tokens[i].Start))
	at := s.at
	for at < len(s.masks) && s.masks[at].End <= start {
		at++
	}
	s.at = at
	return at < len(s.masks) && s.masks[at].Start < s.rune(int(s.doc.Tokens[i].End))
}

func (s *scanner) judge(i int) (Kind, int) {
	t := &s.doc.Tokens[i]
	switch t.Class {
	case detectors.Punct, detectors.Other:
		if t.Ch == '@' {
			return Address, 1
		}
	case detectors.Digits:
		return s.digits(i)
	case detectors.Alnum:
		if t.Len() >= 4 && !t.Is(harmless) {
			return Code, 1
		}
	case detectors.Clitic:
	default:
		if t.Is(detectors.NumWord|detectors.Teen|detectors.Tens|detectors.Mult) || t.Class == detectors.Letter {
			return s.run(i)
		}
		if t.Is(detectors.TopLevel) && i > 0 && s.doc.Tokens[i-1].Ch == '.' {
			return Address, 1
		}
		return s.word(i), 1
	}
	return none, 1
}

func (s *scanner) candidate(i, n int, k Kind) Candidate {
	h := wordhash.Offset
	for j := i; j < i+n; j++ {
		h = wordhash.AddBytes(h, s.doc.Word(j))
	}
	return Candidate{
		Start: int(s.doc.Tokens[i].Start), End: int(s.doc.Tokens[i+n-1].End), Kind: k,
		key: keyOf(h, k),
	}
}
