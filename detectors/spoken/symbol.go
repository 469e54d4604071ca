package spoken

import (
	d "sotto/detectors"
	"sotto/internal/wordhash"
)

// symbols reads the number or letter at token i, adds its symbols, and returns the
// token after it.
func (s *scanner) symbols(i int) (int, bool) {
	t := &s.tokens[i]
	switch {
	case t.Class == d.Digits:
		return s.written(i), true
	case t.Class == d.Alnum:
		return s.mixed(i)
	case t.Class == d.Letter:
		return s.letter(i)
	case t.Bits&(d.NumWord|d.Teen|d.Tens|d.Scale) != 0:
		return s.number(i)
	case t.Is(d.Foreign):
		return s.foreign(i)
	case t.Is(d.Mult):
		return s.multiple(i)
	case t.Is(letterWords):
		return s.letterWord(i)
	case t.Is(d.Capital):
		return s.afterCase(i)
	}
	return 0, false
}

// afterCase reads the symbol after a word at token i that says how it is
// written: "capital J", and within a run also "letter B", "the number four".
func (s *scanner) afterCase(i int) (int, bool) {
	if i+1 >= len(s.tokens) || s.group == 0 && !letterCase.Has(s.tokens[i].Hash) ||
		s.tokens[i+1].Class != d.Letter && (s.group == 0 || !s.saysDigit(i+1)) {
		return 0, false
	}
	return s.symbols(i + 1)
}

func (s *scanner) add(ch byte, kind d.SymbolKind, first, last int) {
	if ch >= '0' && ch <= '9' {
		s.digits++
	} else {
		s.letters++
	}
	s.addSymbol(ch, kind, first, last)
}

func (s *scanner) addSymbol(ch byte, kind d.SymbolKind, first, last int) {
	symbol := d.Symbol{Ch: ch, Kind: kind, Group: s.group, First: uint32(first), Last: uint32(last)}
	s.doc.RunSymbols = append(s.doc.RunSymbols, symbol)
}

// written reads a number in digits, with its thousands if they are set off by
// commas.
func (s *scanner) written(i int) int {
	for _, c := range s.doc.Word(i) {
		s.add(c, d.Written, i, i)
	}
	if s.tokens[i].Len() > 3 || s.group > 0 {
		return i + 1
	}
	j := i + 1
	for s.doc.IsMark(j, ',') && s.tokens[j].Glued() && s.isThousands(j+1) {
		for _, c := range s.doc.Word(j + 1) {
			s.add(c, d.Written, j+1, j+1)
		}
		s.scaled = true
		j += 2
	}
	return j
}

// isThousands reports whether token i is three digits without a space before
// them.
func (s *scanner) isThousands(i int) bool {
	return i < len(s.tokens) && s.tokens[i].Class == d.Digits && s.tokens[i].Glued() && s.tokens[i].Len() == 3
}

// mixed reads a token of letters and digits, unless it is an ordinal, or a
// number of units.
func (s *scanner) mixed(i int) (int, bool) {
	w := s.doc.Word(i)
	n := 0
	for n < len(w) && w[n] >= '0' && w[n] <= '9' {
		n++
	}
	if n > 0 && n < 4 && units.Has(wordhash.Bytes(w[n:])) {
		return 0, false
	}
	for _, c := range w {
		if c < 0x80 {
			s.add(c, d.Written, i, i)
		}
	}
	return i + 1, true
}

// multiple reads "double seven", "triple oh", "double L".
func (s *scanner) multiple(i int) (int, bool) {
	j := i + 1
	for j < len(s.tokens) && s.tokens[j].Is(d.Filler) && j < i+3 {
		j++
	}
	if j >= len(s.tokens) {
		return 0, false
	}
	n := &s.tokens[j]
	var ch byte
	switch {
	case n.Class == d.Digits && n.Len() == 1:
		ch = s.doc.Word(j)[0]
	case n.Is(d.Foreign) && n.Num <= 9:
		s.doc.SetNumber(j)
		ch = '0' + n.Num
	case n.Is(d.NumWord):
		ch = '0' + n.Num
	case s.isLetter(j) && (s.group > 0 || !isWordLetter(n)):
		ch = n.Ch
	case n.Is(letterWords) && s.group > 0:
		ch = n.Ch
	default:
		return 0, false
	}
	for range s.tokens[i].Num {
		s.add(ch, d.Spoken, i, j)
	}
	if n.Class == d.Letter {
		return s.abbreviation(j + 1), true
	}
	return j + 1, true
}

func (s *scanner) isLetter(i int) bool {
	return i < len(s.tokens) && s.tokens[i].Class == d.Letter && s.tokens[i].Ch < 0x80
}

// isWordLetter reports whether a token is "a" or "I", which are words as well.
func isWordLetter(t *d.Token) bool {
	return t.Class == d.Letter && (t.Ch == 'a' || t.Ch == 'i')
}

func (s *scanner) saysDigit(i int) bool {
	return i < len(s.tokens) && (s.tokens[i].Class == d.Digits || s.tokens[i].Is(digitWords))
}
