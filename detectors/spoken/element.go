package spoken

import d "sotto/detectors"

// element reads the element at token i, adds its symbols, and returns the token
// after it.
func (s *scanner) element(i int) (int, bool) {
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
	case t.Is(d.Mult):
		return s.multiple(i)
	case t.Is(letterWords):
		return s.letterWord(i)
	case t.Is(d.Capital):
		// "capital J", "letter B", "the number four" inside a run.
		if i+1 >= len(s.tokens) || s.group == 0 && t.Hash != hashCapital && t.Hash != hashUppercase && t.Hash != hashLowercase ||
			s.tokens[i+1].Class != d.Letter && (s.group == 0 || !s.saysDigit(i+1)) {
			return 0, false
		}
		return s.element(i + 1)
	}
	return 0, false
}

func (s *scanner) add(ch byte, kind d.SymbolKind, first, last int) {
	if ch >= '0' && ch <= '9' {
		s.digits++
	} else {
		s.letters++
	}
	s.doc.AddSymbol(d.Symbol{Ch: ch, Kind: kind, Group: s.group, First: uint32(first), Last: uint32(last)})
}

// written reads a number in digits, with its thousands if they are set off by
// commas.
func (s *scanner) written(i int) int {
	s.value = 0
	for _, c := range s.doc.Word(i) {
		s.add(c, d.Written, i, i)
		s.grow(c)
	}
	if s.tokens[i].Len() > 3 || s.group > 0 {
		return i + 1
	}
	j := i + 1
	for j+1 < len(s.tokens) && s.tokens[j].Class == d.Punct && s.tokens[j].Ch == ',' && s.tokens[j].Glued() &&
		s.tokens[j+1].Class == d.Digits && s.tokens[j+1].Glued() && s.tokens[j+1].Len() == 3 {
		for _, c := range s.doc.Word(j + 1) {
			s.add(c, d.Written, j+1, j+1)
			s.grow(c)
		}
		s.scaled = true
		j += 2
	}
	return j
}

// grow adds a digit to the value of a written number.
func (s *scanner) grow(c byte) {
	if s.value >= 0 {
		s.value = s.value*10 + int64(c-'0')
	}
	if s.value > 1e15 {
		s.value = -1
	}
}

// mixed reads a token of letters and digits, unless it is an ordinal, or a
// number of units.
func (s *scanner) mixed(i int) (int, bool) {
	w := s.doc.Word(i)
	n := 0
	for n < len(w) && w[n] >= '0' && w[n] <= '9' {
		n++
	}
	if n > 0 && n < 4 && isUnit(w[n:]) {
		return 0, false
	}
	for _, c := range w {
		if c < 0x80 {
			s.add(c, d.Written, i, i)
		}
	}
	return i + 1, true
}

// isUnit tells whether letters after a number make it an ordinal, a time or a
// measure.
func isUnit(w []byte) bool {
	switch string(w) {
	case "st", "nd", "rd", "th", "am", "pm", "k", "g", "gb", "mb", "kb", "tb", "mg", "ml", "cm", "mm", "kg", "lb", "lbs", "km", "ft",
		"hz", "ghz", "mhz", "mph", "x", "s", "hr", "hrs", "min", "mins", "yrs", "yr", "in", "oz", "gbps", "mbps", "kbps", "fps", "mah", "mp", "cc",
		"usd", "cad", "m", "h", "yo", "ish", "inch", "days", "day", "hours", "minutes", "miles", "percent":
		return true
	}
	return false
}

// letter reads a single letter, with the word that tells which one ("M as in
// Mary"). The words "a" and "I" are letters only when what stands around them
// is spelled.
func (s *scanner) letter(i int) (int, bool) {
	t := &s.tokens[i]
	if t.Ch >= 0x80 || s.isClock(i) {
		return 0, false
	}
	if j := s.asIn(i + 1); j > 0 {
		s.add(t.Ch, d.Spoken, i, j-1)
		return j, true
	}
	if t.Ch == 'x' && s.at(i+1, hashRay) || t.Ch == 'x' && s.isPunct(i+1, '-') && s.at(i+2, hashRay) {
		j := i + 2
		if s.isPunct(i+1, '-') {
			j++
		}
		if s.group > 0 {
			s.add('x', d.Spoken, i, j-1)
			return j, true
		}
		return 0, false
	}
	if (t.Hash == hashA || t.Hash == hashI) && !s.weakLetter(i) {
		return 0, false
	}
	s.add(t.Ch, d.Written, i, i)
	return s.abbreviation(i + 1), true
}

// abbreviation steps over the full stop after a letter when the text goes on
// after it: "B. 231".
func (s *scanner) abbreviation(j int) int {
	if j+1 < len(s.tokens) && s.isPunct(j, '.') && s.tokens[j].Glued() && s.tokens[j+1].Flags&d.SpaceBefore != 0 &&
		(s.tokens[j+1].Class == d.Letter || s.saysDigit(j+1) || s.tokens[j+1].Is(d.Homophone)) {
		return j + 1
	}
	return j
}

// weakLetter tells whether the word "a" or "I" at token i is a letter.
func (s *scanner) weakLetter(i int) bool {
	glued := i+1 < len(s.tokens) && s.tokens[i+1].Class == d.Punct && s.tokens[i+1].Glued() &&
		(s.tokens[i+1].Ch == '-' || s.tokens[i+1].Ch == '.') && i+2 < len(s.tokens) && s.isLetter(i+2)
	if s.group == 0 {
		if glued || s.tokens[i].Flags&d.UpperFirst != 0 && s.isPunct(i+1, '-') && s.tokens[i+1].Glued() && i+2 < len(s.tokens) &&
			s.tokens[i+2].Glued() && s.saysDigit(i+2) {
			return true
		}
		if i+2 >= len(s.tokens) {
			return false
		}
		if s.isLetter(i+1) && s.tokens[i+1].Hash != hashA && s.tokens[i+1].Hash != hashI {
			return true
		}
		return s.tokens[i+1].Class == d.Digits && s.tokens[i+1].Len() < 3 && s.isLetter(i+2) && !s.isClock(i+2) &&
			s.tokens[i+2].Hash != hashA && s.tokens[i+2].Hash != hashI
	}
	if glued || s.tokens[i].Glued() || s.letters >= 3 {
		return true
	}
	before := i - 1
	if s.tokens[before].Class == d.Punct && before > 0 {
		before--
	}
	if s.letters >= 2 && s.tokens[before].Class == d.Letter &&
		(i+1 == len(s.tokens) || s.tokens[i+1].Is(d.Connect) || s.tokens[i+1].Class == d.Punct) {
		return true
	}
	k, _ := s.separator(i + 1)
	return k > 0 && k < len(s.tokens) && (s.isLetter(k) || s.saysDigit(k))
}

// isClock tells whether "a" or "p" at token i begins "a.m." or "p m".
func (s *scanner) isClock(i int) bool {
	c := s.tokens[i].Ch
	if s.tokens[i].Class != d.Letter || c != 'a' && c != 'p' || s.letters > 0 {
		return false
	}
	j := i + 1
	if s.isPunct(j, '.') {
		j++
	}
	if j >= len(s.tokens) || s.tokens[j].Class != d.Letter || s.tokens[j].Ch != 'm' {
		return false
	}
	j++
	if s.isPunct(j, '.') {
		j++
	}
	return j >= len(s.tokens) || s.tokens[j].Class != d.Letter
}

// asIn returns the token after "as in Mary", "like Mary" or "for Mary" at token
// i, 0 when it is not there. After "for" and "like" the word must begin with the
// letter before.
func (s *scanner) asIn(i int) int {
	if s.isPunct(i, ',') || s.isPunct(i, '.') || s.isPunct(i, '-') {
		i++
	}
	if i < len(s.tokens) && s.tokens[i].Is(d.Filler) {
		i++
	}
	if i+1 >= len(s.tokens) {
		return 0
	}
	prev := &s.tokens[i-1]
	if (prev.Class == d.Punct || prev.Is(d.Filler)) && i > 1 {
		prev = &s.tokens[i-2]
	}
	switch {
	case s.tokens[i].Hash == hashAs && s.at(i+1, hashIn):
		i += 2
	case s.tokens[i].Hash == hashLike && s.at(i+1, hashIn):
		i += 2
	case s.tokens[i].Hash == hashFor, s.tokens[i].Hash == hashLike:
		i++
		if i < len(s.tokens) && s.tokens[i].Class.IsWord() && s.doc.Word(i)[0] != prev.Ch {
			return 0
		}
	default:
		return 0
	}
	if i < len(s.tokens) && s.tokens[i].Is(d.Filler) {
		i++
	}
	if i >= len(s.tokens) || !s.tokens[i].Class.IsWord() || s.tokens[i].Class == d.Letter {
		return 0
	}
	return i + 1
}

// letterWord reads a word that stands for a letter. One alone is a name or a
// word; another letter, or a run before it, makes it a letter.
func (s *scanner) letterWord(i int) (int, bool) {
	t := &s.tokens[i]
	ok := s.letters+s.digits >= 2 || s.group > 0 && s.letters > 0
	if !ok || t.Is(d.LetterName) && !t.Is(d.Spelling) && s.letters == 0 {
		k, _ := s.separator(i + 1)
		ok = k > 0 && k < len(s.tokens) && s.followsLetter(k, t)
	}
	if !ok {
		return 0, false
	}
	if s.letters == 0 && (t.Is(d.Month) || s.counts(i)) {
		return 0, false
	}
	j := i + 1
	if n := s.asIn(j); n > 0 {
		j = n
	}
	s.add(t.Ch, d.Spoken, i, j-1)
	return j, true
}

// counts tells whether the spelling word at token i is what the written number before
// it counts: "hotel" of "flight 300 hotel 120".
func (s *scanner) counts(i int) bool {
	switch s.tokens[i].Hash {
	case hashHotel, hashGolf, hashKilo:
		return i > 0 && s.tokens[i-1].Class == d.Digits && s.tokens[i-1].Len() >= 2 &&
			!(i+1 < len(s.tokens) && (s.tokens[i+1].Class == d.Letter || s.tokens[i+1].Is(d.Spelling)))
	}
	return false
}

// followsLetter tells whether the token at k makes the letter word t before it
// a letter.
func (s *scanner) followsLetter(k int, t *d.Token) bool {
	n := &s.tokens[k]
	if t.Is(d.Spelling) && (n.Is(d.Spelling) || s.amongDigits(k)) {
		return true
	}
	if n.Class == d.Letter {
		return n.Hash != hashA && n.Hash != hashI || t.Is(d.LetterName)
	}
	return t.Is(d.LetterName) && n.Is(letterWords|d.LetterSound)
}

// amongDigits tells whether the word before token k of a spelling alphabet stands
// among digits: "zero alpha zero", "alpha five five".
func (s *scanner) amongDigits(k int) bool {
	if s.tokens[k].Is(d.Mult) {
		return s.saysDigit(k + 1)
	}
	if !s.saysDigit(k) {
		return false
	}
	if s.digits > 0 {
		return true
	}
	k, _ = s.separator(k + 1)
	return k > 0 && k < len(s.tokens) && (s.saysDigit(k) || s.isLetter(k) || s.tokens[k].Is(d.Spelling|d.Mult))
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
	case n.Is(d.NumWord):
		ch = '0' + n.Num
	case n.Class == d.Letter && n.Ch < 0x80 && (s.group > 0 || n.Hash != hashA && n.Hash != hashI):
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

// at tells whether the word at token i has the hash.
func (s *scanner) at(i int, hash uint64) bool { return i < len(s.tokens) && s.tokens[i].Hash == hash }

func (s *scanner) isPunct(i int, ch byte) bool {
	return i < len(s.tokens) && s.tokens[i].Class == d.Punct && s.tokens[i].Ch == ch
}

func (s *scanner) isLetter(i int) bool {
	return i < len(s.tokens) && s.tokens[i].Class == d.Letter && s.tokens[i].Ch < 0x80
}

// saysDigit tells whether the token at i is a number or a digit word.
func (s *scanner) saysDigit(i int) bool {
	return i < len(s.tokens) && (s.tokens[i].Class == d.Digits || s.tokens[i].Is(digitWords))
}
