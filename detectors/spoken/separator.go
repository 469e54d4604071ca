package spoken

import d "sotto/detectors"

// maxSeparators bounds the tokens between two groups of symbols.
const maxSeparators = 5

// separator reads what may stand between two groups of symbols at token j, and
// returns the token that the next group must begin at, and the connector that was
// written or said, 0 for none. It returns -1 when the run ends here.
func (s *scanner) separator(j int) (next int, connector byte) {
	if s.hyphenated(j) {
		return -1, 0
	}
	spokenBefore := s.tokens[j-1].Class != d.Digits && s.tokens[j-1].Class != d.Alnum
	for n := 0; j < len(s.tokens); n++ {
		if n == maxSeparators {
			return -1, 0
		}
		t := &s.tokens[j]
		switch {
		case t.Class == d.Punct:
			ch, ok := s.punctuation(j, spokenBefore)
			if !ok && !s.listed(j) {
				return -1, 0
			}
			if ch != 0 {
				connector = ch
			}
			j++
		case t.Class == d.Other && s.listed(j):
			j++
		case t.Is(d.Connect) && t.Ch != '@' && connector == 0:
			connector = t.Ch
			j++
			if s.doc.WordIs(j, "sign") {
				j++
			}
		default:
			k := s.hesitation(j)
			if k == 0 {
				return j, connector
			}
			j += k
		}
	}
	return -1, 0
}

// hesitation returns how many tokens at j mean nothing within a run, 0 when they
// do.
func (s *scanner) hesitation(j int) int {
	t := &s.tokens[j]
	switch {
	case t.Is(d.Filler):
		if t.Is(d.LetterSound) {
			return 0 // "eh" may be the letter A; the caller decides
		}
		return 1
	case s.doc.WordIs(j, "space"):
		return 1
	case s.doc.WordIs(j, "like") && s.tokens[j-1].Is(d.Function):
		return 0
	}
	return s.doc.HesitationPhrase(j)
}

// hyphenated reports whether a word spelled with hyphens ended before token j and
// another one begins there, with at most a comma between them: "J-O-H-N S-M-I-T-H".
func (s *scanner) hyphenated(j int) bool {
	if s.letters < 3 || !s.isLetter(j-1) || !s.doc.IsMark(j-2, '-') || !s.tokens[j-1].Glued() {
		return false
	}
	if s.doc.IsMark(j, ',') {
		j++
	}
	return s.isLetter(j) && s.tokens[j].Flags&d.SpaceBefore != 0 && s.doc.IsMark(j+1, '-')
}

// punctuation reports whether the mark at token j may stand inside a run, and
// which connector it is.
func (s *scanner) punctuation(j int, spokenBefore bool) (connector byte, ok bool) {
	t := &s.tokens[j]
	if j+1 >= len(s.tokens) || t.Times() > 4 {
		return 0, false
	}
	next := &s.tokens[j+1]
	glued := t.Glued() && next.Glued()
	switch t.Ch {
	case '-', '_':
		return t.Ch, true
	case '.':
		if glued {
			return '.', true
		}
		return 0, s.pause(j, spokenBefore)
	case ',':
		return 0, spokenBefore && s.comma(j+1)
	case '/', ':':
		if glued {
			return t.Ch, true
		}
	case ')':
		return 0, next.Class == d.Digits || s.doc.IsMark(j+1, '-') || next.Is(d.NumWord)
	case '(':
		return 0, next.Class == d.Digits && next.Len() <= 4 && s.doc.IsMark(j+2, ')')
	}
	return 0, false
}

// pause reports whether the dot at token j stands between two symbols that were
// said one by one: "B. 2", "five. six".
func (s *scanner) pause(j int, spokenBefore bool) bool {
	if s.isLetter(j - 1) {
		return s.isLetter(j+1) || s.saysDigit(j+1)
	}
	return spokenBefore && s.tokens[j+1].Is(d.NumWord|d.Foreign)
}

// comma reports whether what was said goes on at token i after a comma.
func (s *scanner) comma(i int) bool {
	t := &s.tokens[i]
	return t.Is(digitWords|d.Mult|letterWords|d.Filler|d.Foreign) || s.isLetter(i) || s.isSingle(i)
}

// listedDigits is how many single digits with one mark between each two are a
// number that was dictated, or disguised: "6, 0, 4, 5", "6*0*4*5*5".
const listedDigits = 5

// listed reports whether any mark or sign at token j stands within such a list, and
// not in one that only counts up.
func (s *scanner) listed(j int) bool {
	if !s.isSingle(j - 1) {
		return false
	}
	before, after, counting := s.singles(), 0, true
	for k := j; after < listedDigits-1 && k+1 < len(s.tokens) && (s.tokens[k].Class == d.Punct || s.tokens[k].Class == d.Other) && s.isSingle(k+1); k += 2 {
		after++
		counting = counting && s.doc.Word(k + 1)[0] == s.doc.Word(k - 1)[0]+1
	}
	return after > 0 && before+after >= listedDigits && (before >= 3 || !counting)
}

func (s *scanner) isSingle(i int) bool {
	return i < len(s.tokens) && s.tokens[i].Class == d.Digits && s.tokens[i].Len() == 1
}

// guess reads a word that only sounds like a digit or a letter. The run must go
// on after it, and be long or spelled enough that the word can hardly be meant:
// "C for A", "five five five for one", but not "nine to five".
func (s *scanner) guess(i int) (int, bool) {
	t := &s.tokens[i]
	if !t.Is(d.Homophone | d.LetterSound) {
		return 0, false
	}
	k, connector := s.separator(i + 1)
	if k < 0 || k >= len(s.tokens) || connector != 0 {
		return 0, false
	}
	switch {
	case t.Is(d.LetterSound) && s.letters > 0 && s.digits == 0 && s.soundsOn(k):
		s.add(t.Ch, d.Guessed, i, i)
	case t.Is(d.Homophone) && t.Num <= 9 && s.soundsAsDigit(i, k):
		s.add('0'+t.Num, d.Guessed, i, i)
	default:
		return 0, false
	}
	return i + 1, true
}

// soundsAsDigit reports whether the word at token i, which sounds like a digit,
// is one in a run that continues at token k.
func (s *scanner) soundsAsDigit(i, k int) bool {
	digit, letter := s.saysDigit(k), s.isLetter(k) || s.tokens[k].Is(letterWords)
	afterLetter := s.isLetter(i-1) || s.doc.IsMark(i-1, '.') && s.isLetter(i-2)
	if afterLetter && s.letters > 0 && s.digits > 0 && (letter || digit) {
		return true
	}
	return digit && s.letters+s.digits >= 3 && (s.singles() >= 3 || s.follow(k) >= 3)
}

// soundsOn reports whether letters come at token k, or after other words that sound
// like one.
func (s *scanner) soundsOn(k int) bool {
	for n := 0; n < 3 && k < len(s.tokens); n++ {
		if s.isLetter(k) || s.tokens[k].Is(letterWords) {
			return true
		}
		if !s.tokens[k].Is(d.LetterSound) {
			return false
		}
		k++
	}
	return false
}

// singles counts the groups of one symbol at the end of what was read, up to four.
func (s *scanner) singles() int {
	built := s.doc.RunSymbols[s.mark:]
	n := 0
	for k := len(built) - 1; k >= 0 && n < 4; k-- {
		if k > 0 && built[k-1].Group == built[k].Group && built[k].Kind != d.Connector {
			break
		}
		n++
	}
	return n
}

// follow counts the digit words in a row from token k on, up to four.
func (s *scanner) follow(k int) int {
	n := 0
	for n < 4 && k < len(s.tokens) && (s.tokens[k].Is(d.NumWord|d.Foreign) || s.isSingle(k)) {
		n++
		k++
	}
	return n
}
