package spoken

import d "sotto/detectors"

// letter reads a single letter, with the word that says which one ("M as in
// Mary"). The words "a" and "I" are letters only when their neighbours are
// spelled.
func (s *scanner) letter(i int) (int, bool) {
	t := &s.tokens[i]
	if t.Ch >= 0x80 || s.isClock(i) {
		return 0, false
	}
	if j := s.asIn(i + 1); j > 0 {
		s.add(t.Ch, d.Spoken, i, j-1)
		return j, true
	}
	if j := s.xRay(i); j > 0 {
		if s.group == 0 {
			return 0, false
		}
		s.add('x', d.Spoken, i, j-1)
		return j, true
	}
	if isWordLetter(t) && !s.isSpelled(i) {
		return 0, false
	}
	s.add(t.Ch, d.Written, i, i)
	return s.abbreviation(i + 1), true
}

// xRay returns the token after "x ray" or "x-ray" at token i, 0 when it is not
// there.
func (s *scanner) xRay(i int) int {
	if s.tokens[i].Ch != 'x' {
		return 0
	}
	if s.doc.IsMark(i+1, '-') {
		i++
	}
	if !s.doc.WordIs(i+1, "ray") {
		return 0
	}
	return i + 2
}

// abbreviation steps over the full stop after a letter when the text goes on
// after it: "B. 231".
func (s *scanner) abbreviation(j int) int {
	if j+1 < len(s.tokens) && s.doc.IsMark(j, '.') && s.tokens[j].Glued() && s.tokens[j+1].Flags&d.SpaceBefore != 0 &&
		(s.tokens[j+1].Class == d.Letter && !s.isShortened(j+2) || s.saysDigit(j+1) || s.tokens[j+1].Is(d.Homophone)) {
		return j + 1
	}
	return j
}

// isSpelled reports whether the word "a" or "I" at token i is a letter.
func (s *scanner) isSpelled(i int) bool {
	switch {
	case s.isShortened(i + 1):
		return false // "I'm"
	case s.beforeMark(i):
		return true
	case s.group == 0:
		return s.beginsSpelling(i)
	}
	if s.tokens[i].Glued() || s.letters >= 3 {
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
	return k > 0 && (s.isLetter(k) || s.saysDigit(k))
}

// isShortened reports whether token i is a shortened verb: 'm, 've, 'll, 'd. "I's" is a plural.
func (s *scanner) isShortened(i int) bool {
	return i < len(s.tokens) && s.tokens[i].Class == d.Clitic && !s.doc.WordIs(i, "'s")
}

// beforeMark reports whether a hyphen or dot without a space, and a letter,
// follow token i: "a-b".
func (s *scanner) beforeMark(i int) bool {
	return (s.doc.IsMark(i+1, '-') || s.doc.IsMark(i+1, '.')) && s.tokens[i+1].Glued() && s.isLetter(i+2)
}

// beginsSpelling reports whether a run begins with the letter at token i, which
// is a word as well.
func (s *scanner) beginsSpelling(i int) bool {
	if i+2 >= len(s.tokens) {
		return false
	}
	next, after := &s.tokens[i+1], &s.tokens[i+2]
	switch {
	case s.tokens[i].UpperCase() && s.doc.IsMark(i+1, '-') && next.Glued() && after.Glued() && s.saysDigit(i+2):
		return true // "A-09773"
	case s.isLetter(i+1) && !isWordLetter(next):
		return true
	}
	return next.Class == d.Digits && next.Len() < 3 && s.isLetter(i+2) && !s.isClock(i+2) && !isWordLetter(after)
}

// isClock reports whether "a" or "p" at token i begins "a.m." or "p m".
func (s *scanner) isClock(i int) bool {
	c := s.tokens[i].Ch
	if s.tokens[i].Class != d.Letter || c != 'a' && c != 'p' || s.letters > 0 {
		return false
	}
	j := i + 1
	if s.doc.IsMark(j, '.') {
		j++
	}
	if j >= len(s.tokens) || s.tokens[j].Class != d.Letter || s.tokens[j].Ch != 'm' {
		return false
	}
	j++
	if s.doc.IsMark(j, '.') {
		j++
	}
	return j >= len(s.tokens) || s.tokens[j].Class != d.Letter
}

// asIn returns the token after "as in Mary", "like Mary" or "for Mary" at token
// i, 0 when it is not there. After "for" and "like" the word must begin with the
// letter before.
func (s *scanner) asIn(i int) int {
	if s.doc.IsMark(i, ',') || s.doc.IsMark(i, '.') || s.doc.IsMark(i, '-') {
		i++
	}
	i = s.pastFiller(i)
	if i+1 >= len(s.tokens) {
		return 0
	}
	letter := &s.tokens[i-1]
	if (letter.Class == d.Punct || letter.Is(d.Filler)) && i > 1 {
		letter = &s.tokens[i-2]
	}
	if _, n := asInWords.Longest(s.doc, i, nil); n > 0 {
		i += n
	} else if s.doc.WordIn(i, forWords) {
		i++
		if s.tokens[i].Class.IsWord() && s.doc.Word(i)[0] != letter.Ch {
			return 0
		}
	} else {
		return 0
	}
	i = s.pastFiller(i)
	if i >= len(s.tokens) || !s.tokens[i].Class.IsWord() || s.tokens[i].Class == d.Letter {
		return 0
	}
	return i + 1
}

func (s *scanner) pastFiller(i int) int {
	if i < len(s.tokens) && s.tokens[i].Is(d.Filler) {
		i++
	}
	return i
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
	if s.letters == 0 && (t.Is(d.Month) || s.isCounted(i)) {
		return 0, false
	}
	j := i + 1
	if n := s.asIn(j); n > 0 {
		j = n
	}
	s.add(t.Ch, d.Spoken, i, j-1)
	return j, true
}

// isCounted reports whether the spelling word at token i is what the written number
// before it counts: "hotel" of "flight 300 hotel 120".
func (s *scanner) isCounted(i int) bool {
	if !s.doc.WordIn(i, counted) || i == 0 || s.tokens[i-1].Class != d.Digits || s.tokens[i-1].Len() < 2 {
		return false
	}
	return i+1 >= len(s.tokens) || s.tokens[i+1].Class != d.Letter && !s.tokens[i+1].Is(d.Spelling)
}

// followsLetter reports whether the token at k makes the letter word t before it
// a letter.
func (s *scanner) followsLetter(k int, t *d.Token) bool {
	n := &s.tokens[k]
	if t.Is(d.Spelling) && (n.Is(d.Spelling) || s.amongDigits(k)) {
		return true
	}
	if n.Class == d.Letter {
		return !isWordLetter(n) || t.Is(d.LetterName)
	}
	return t.Is(d.LetterName) && n.Is(letterWords|d.LetterSound)
}

// amongDigits reports whether the word of a spelling alphabet before token k stands
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

// maxSounds bounds the words that spell by their sound.
const maxSounds = 24

// soundsEnd returns the end of the words from token i on that each sound like a letter, 0 when they are too
// few to be a spelling, or are likely to be meant: "pea are eye see ee", but not "why are you". A clause of
// nothing else needs one word only that is not said all the time: "my name is see you are tea".
func (s *scanner) soundsEnd(i int) int {
	clause := s.beginsClause(i)
	if everydaySounds.Has(s.tokens[i].Hash) && !clause {
		return 0
	}
	first, n, unlikely := i, 0, 0
	for ; i < len(s.tokens) && n < maxSounds; i++ {
		t := &s.tokens[i]
		if s.doc.IsMark(i, ',') && n > 0 {
			continue
		}
		if t.Class != d.Letter && !t.Is(d.LetterName|d.LetterSound) && !s.doc.WordIs(i, "oh") {
			break
		}
		n++
		if t.Is(d.LetterName|d.LetterSound) && !everydaySounds.Has(t.Hash) {
			unlikely++
		}
	}
	whole := clause && unlikely > 0 && n == i-first && (i == len(s.tokens) || s.tokens[i].Class == d.Punct)
	if n < 3 || !whole && (unlikely < 2 || everydaySounds.Has(s.tokens[first].Hash)) {
		return 0
	}
	return i
}

// beginsClause reports whether nothing, a mark, or a word that names what follows stands before token i.
func (s *scanner) beginsClause(i int) bool {
	return i == 0 || s.tokens[i-1].Class == d.Punct || s.tokens[i-1].Class == d.Clitic || s.tokens[i-1].Is(d.Copula) || s.doc.WordIn(i-1, spelledWords)
}

// sound reads a word among those that spell by their sound. "Oh" between others is a letter.
func (s *scanner) sound(i int) (int, bool) {
	switch t := &s.tokens[i]; {
	case i >= s.sounds:
		return 0, false
	case t.Is(d.LetterName | d.LetterSound):
		if t.Is(d.LetterName) {
			if j, ok := s.letterWord(i); ok {
				return j, true
			}
		}
		s.add(t.Ch, d.Guessed, i, i)
	case s.doc.WordIs(i, "oh") && s.group > 0 && i+1 < s.sounds:
		s.add('o', d.Guessed, i, i)
	default:
		return 0, false
	}
	return i + 1, true
}
