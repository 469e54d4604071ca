package spoken

import (
	"strconv"

	d "sotto/detectors"
)

// number reads a number phrase: "five", "twenty one", "eight hundred", "one
// thousand nine hundred thirty eight". Digits that are dictated one by one are
// one phrase each; "eight hundred five five five" is 800 and then 5, 5, 5.
func (s *scanner) number(i int) (int, bool) {
	t := &s.tokens[i]
	if t.Is(d.Scale) && (s.group > 0 || !s.doc.WordIs(i-1, "a")) { // "a hundred", but not "hundreds"
		return 0, false
	}
	v, j := int64(1), i
	if !t.Is(d.Scale) {
		v, j = s.small(i)
	}
	if s.scaleAt(j) > 0 {
		v, j = s.groups(v, j)
		s.scaled = true
	}
	s.spell(v, i, j-1)
	return j, true
}

// small reads a number below 100.
func (s *scanner) small(i int) (int64, int) {
	t := &s.tokens[i]
	v, j := int64(t.Num), i+1
	if !t.Is(d.Tens) {
		return v, j
	}
	k := j
	if s.doc.IsMark(k, '-') && s.tokens[k].Glued() {
		k++
	}
	if k < len(s.tokens) && s.tokens[k].Is(d.NumWord) && s.tokens[k].Num > 0 {
		return v + int64(s.tokens[k].Num), k + 1
	}
	return v, j
}

// foreign reads a number word of Spanish or French: "cinco", "treinta y cinco", "vingt-deux". It may be a
// name or an English word ("Dos Santos", "once"), and is a number among others of its language, or
// within the digits of a longer number.
func (s *scanner) foreign(i int) (int, bool) {
	v, j := s.foreignSmall(i)
	k, _ := s.separator(j)
	switch {
	case s.isForeign(k), s.group > 0 && s.afterForeign():
	case everyday.Has(s.tokens[i].Hash):
		return 0, false
	case s.group > 0 && (k > 0 && s.saysDigit(k) || s.singles() >= 3):
	case k > 0 && s.saysDigit(k) && s.follow(k) >= 2:
	default:
		return 0, false
	}
	for n := i; n < j; n++ {
		if s.tokens[n].Is(d.Foreign) {
			s.doc.SetNumber(n)
		}
	}
	s.spell(v, i, j-1)
	return j, true
}

// foreignSmall reads a number below 100 of Spanish or French.
func (s *scanner) foreignSmall(i int) (int64, int) {
	v, j := int64(s.tokens[i].Num), i+1
	if s.tokens[i].Is(d.Month) {
		v = 7 // "sept", whose number is that of the month
	}
	if v < 20 || v%10 != 0 {
		return v, j
	}
	k := j
	for k < j+3 && (s.doc.IsMark(k, '-') || s.doc.WordIn(k, foreignAnd)) {
		k++
	}
	if k >= len(s.tokens) || !s.tokens[k].Is(d.Foreign) {
		return v, j
	}
	// "soixante-dix" is 70.
	if n, e := s.foreignSmall(k); n > 0 && (n < 10 || n < 20 && v == 60) {
		return v + n, e
	}
	return v, j
}

// isForeign reports whether a number word of Spanish or French at token i is no English word, or followed
// by another number.
func (s *scanner) isForeign(i int) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].Is(d.Foreign) && (!everyday.Has(s.tokens[i].Hash) || s.follow(i) >= 2)
}

// afterForeign reports whether the number before was one of them.
func (s *scanner) afterForeign() bool {
	built := s.doc.RunSymbols[s.mark:]
	n := len(built) - 1
	if n > 0 && built[n].Kind == d.Connector {
		n--
	}
	return n >= 0 && s.tokens[built[n].Last].Is(d.Foreign)
}

// groups reads on from the scale word at j, which multiplies v: numbers below a thousand, each with a lower
// scale than the one before it, as in "two hundred and seventeen thousand four hundred and five".
func (s *scanner) groups(v int64, j int) (int64, int) {
	total := int64(0)
	for last := 10; ; {
		v, j = s.hundreds(v, j)
		scale := s.scaleAt(j)
		if scale == 0 || scale >= last {
			return total + v, j
		}
		for range scale {
			v *= 10
		}
		total, last, j = total+v, scale, j+1
		n, e := s.more(j)
		if e == 0 || s.scaleAt(e) >= last {
			return total, j
		}
		v, j = n, e
	}
}

// hundreds reads on from token j, which may be the "hundred" that multiplies v.
func (s *scanner) hundreds(v int64, j int) (int64, int) {
	const hundred = 2
	if s.scaleAt(j) != hundred {
		return v, j
	}
	v, j = v*100, j+1
	if n, e := s.more(j); e > 0 && s.scaleAt(e) != hundred {
		return v + n, e
	}
	return v, j
}

// more reads the number below 100 with which a number phrase continues at token j, and returns the token after
// it, 0 if there is none.
func (s *scanner) more(j int) (int64, int) {
	if s.doc.WordIs(j, "and") {
		j++
	}
	if j >= len(s.tokens) || !s.tokens[j].Is(digitWords) {
		return 0, 0
	}
	n, e := s.small(j)
	if s.tokens[j].Is(d.NumWord) && s.dictation(j) {
		return 0, 0
	}
	return n, e
}

// scaleAt returns the power of ten that token j says, 0 for none.
func (s *scanner) scaleAt(j int) int {
	if j >= len(s.tokens) || !s.tokens[j].Is(d.Scale) {
		return 0
	}
	return int(s.tokens[j].Num)
}

// dictation reports whether the single digit at k is followed by another one, so
// that it does not belong to the number phrase before it.
func (s *scanner) dictation(k int) bool {
	return s.tokens[k].Num == 0 || s.saysDigit(k+1) || k+1 < len(s.tokens) && s.tokens[k+1].Is(d.Mult)
}

// spell adds the digits of v, said by tokens first to last.
func (s *scanner) spell(v int64, first, last int) {
	var buf [20]byte
	for _, c := range strconv.AppendInt(buf[:0], v, 10) {
		s.add(c, d.Spoken, first, last)
	}
}
