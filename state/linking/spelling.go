package linking

import (
	"slices"
	"strings"
)

// spelling is how alike a mention and a person are spelled and sound, in hundredths where it is a likeness.
type spelling struct {
	exact, letters, all, allSound, bestWord, bestSound, exactWords, firstFirst, lastLast, firstLast, lastFirst, soundFirst int16
	restLike, knownWords, restKnown, suffix, middle, coarse, coarseWord, span                                              int16
	nick, prefix, initial, conflict, begun, unmatched, unmatchedKnown, divided                                             int16
	apart                                                                                                                  int
}

// isLike reports whether the names may be forms of one.
func (s *spelling) isLike() bool {
	return max(s.bestWord, s.bestSound, s.all, s.allSound) >= 65 || s.initial > 0 || s.nick > 0
}

// isRelative reports whether two full names have the last one alone in common.
func (s *spelling) isRelative() bool {
	const unlike = 60
	return s.conflict == sameLast && s.unmatched > 0 && max(s.firstFirst, s.soundFirst) < unlike && s.initial == 0 && s.exactWords == 1
}

// hasOtherInitial reports whether the initials between first and last name tell two people of one name apart.
func (s *spelling) hasOtherInitial() bool { return s.conflict == sameBoth && s.middle < 0 }

// hasOtherLast reports whether two full names have last names that are nothing alike: nobody has two.
func (s *spelling) hasOtherLast() bool {
	return s.conflict == otherLast && s.unmatched > 0 && s.unmatchedKnown > 0
}

// tellsApart reports whether full names are of two people.
func (s *spelling) tellsApart() bool { return s.hasOtherInitial() || s.hasOtherLast() }

func (p *pairing) spelling(e *Person) spelling {
	s := spelling{apart: 99}
	longest := e.Aliases.Longest()
	var matched [maxPaired]bool
	var memory [MaxAlias]byte
	for k := range e.Aliases.Len() {
		a := e.Aliases.At(k)
		if a == p.whole {
			s.exact = max(s.exact, int16(2-min(k, 1)))
		}
		one := appendJoined(memory[:0], a)
		oneSound := soundOf(one)
		if string(one) == p.joined {
			s.letters = 1
		}
		s.all = max(s.all, int16(similarity(p.joined, one)))
		s.allSound = max(s.allSound, int16(p.soundOfAll.like(&oneSound)))
		if len(p.joined) <= maxCompared && len(one) <= maxCompared {
			s.apart = min(s.apart, distance(p.joined, one))
		}
		if soundsDivided(p.whole, a) || soundsDivided(a, p.whole) {
			s.divided = 1
		}
		s.compareWords(p, a, &matched)
	}
	for i := range p.words() {
		if !matched[i] {
			s.unmatched++
		}
	}
	s.compareLongest(p, longest)
	s.compareRest(p, e, &matched)
	return s
}

const (
	// alike is how alike two words are that count as the same, and unlike how alike two last names are at least that a
	// recognizer may have made of one.
	alike, unlike = 84, 45
	// sameLast is the conflict of two names of which the last words alone agree.
	sameLast = 2
	// sameBoth is the conflict of two names of which the first words agree, and the last ones.
	sameBoth = 3
	// otherLast is the conflict of two names of which the first words agree and the last ones do not at all.
	otherLast = 4
)

// compareWords compares each word of the mention with each of an alias.
func (s *spelling) compareWords(p *pairing, alias string, matched *[maxPaired]bool) {
	exact, exactBefore, whole := int16(0), s.exactWords, alias
	for alias != "" {
		var w string
		w, alias, _ = strings.Cut(alias, " ")
		sound := soundOf(w)
		for i, x := range p.words() {
			v, h := int16(similarity(x, w)), int16(p.sounds[i].like(&sound))
			s.bestWord, s.bestSound = max(s.bestWord, v), max(s.bestSound, h)
			switch {
			case x == w:
				exact++
				matched[i] = true
			case v >= alike || h == 100:
				matched[i] = true
			}
			if len(x) >= 2 && len(w) >= 2 && x != w && (strings.HasPrefix(x, w) || strings.HasPrefix(w, x)) {
				s.prefix = max(s.prefix, int16(min(len(x), len(w))))
			}
			if len(x) == 1 != (len(w) == 1) && x[0] == w[0] {
				s.initial = 1
				matched[i] = true
			}
			if p.m.Spelled && (strings.HasPrefix(w, x) || strings.HasPrefix(x, w)) {
				s.begun = max(s.begun, int16(min(len(x), len(w))))
			}
			if isNickname(x, w) {
				s.nick = 1
				matched[i] = true
			}
		}
	}
	s.compareInitials(p, whole, matched)
	s.exactWords = max(exactBefore, exact)
}

// compareInitials compares words of two letters or three with the first letters of as many words: "J. T." and "James Tolliver".
func (s *spelling) compareInitials(p *pairing, alias string, matched *[maxPaired]bool) {
	for i, x := range p.words() {
		if areInitials(x, alias) {
			s.initial, matched[i] = 1, true
		}
	}
	for alias != "" {
		var w string
		if w, alias, _ = strings.Cut(alias, " "); areInitials(w, p.whole) {
			s.initial = 1
			for i := range min(len(w), p.n) {
				matched[i] = true
			}
		}
	}
}

// areInitials reports whether a word is the first letters of the first words of a name, and no name itself, as "Ed" is: it has no vowel.
func areInitials(word, name string) bool {
	const most = 3
	if len(word) < 2 || len(word) > most || strings.ContainsAny(word, "aeiouy") {
		return false
	}
	for i := range len(word) {
		var w string
		if w, name, _ = strings.Cut(name, " "); len(w) < 2 || w[0] != word[i] {
			return false
		}
	}
	return true
}

// compareLongest compares the first and the last words of the mention and of the longest alias.
func (s *spelling) compareLongest(p *pairing, longest string) {
	all, n := wordsOf(longest)
	known := all[:n]
	if len(p.words()) == 0 || len(known) == 0 {
		return
	}
	first, last := p.words()[0], p.words()[len(p.words())-1]
	knownFirst, knownLast := known[0], known[len(known)-1]
	firstSound, lastSound := soundOf(knownFirst), soundOf(knownLast)
	s.firstFirst, s.lastLast = int16(similarity(first, knownFirst)), int16(similarity(last, knownLast))
	s.firstLast, s.lastFirst = int16(similarity(first, knownLast)), int16(similarity(last, knownFirst))
	s.soundFirst = int16(p.sounds[0].like(&firstSound))
	if len(p.words()) > 1 && len(known) > 1 {
		sameFirst, last := s.firstFirst >= alike || s.nick > 0, s.lastLast >= alike
		switch {
		case sameFirst && last:
			s.conflict = sameBoth
		case sameFirst && max(s.lastLast, int16(p.sounds[len(p.words())-1].like(&lastSound))) < unlike:
			s.conflict = otherLast
		case sameFirst:
			s.conflict = 1
		case last:
			s.conflict = sameLast
		}
	}
	for _, w := range known {
		found := false
		for _, x := range p.words() {
			if similarity(x, w) >= alike || isNickname(x, w) {
				found = true
				break
			}
		}
		if !found {
			s.unmatchedKnown++
		}
	}
}

// compareRest compares what the mention does not have in common with the person.
func (s *spelling) compareRest(p *pairing, e *Person, matched *[maxPaired]bool) {
	var like [maxPaired]int
	var known [24]string
	n, suffix := 0, false
	for k := range e.Aliases.Len() {
		for a := e.Aliases.At(k); a != "" && n < len(known); {
			var w string
			if w, a, _ = strings.Cut(a, " "); slices.Contains(known[:n], w) {
				continue
			}
			known[n] = w
			n++
			suffix = suffix || isSuffix(w)
			sound, met := soundOf(w), false
			for i, x := range p.words() {
				v := max(similarity(x, w), p.sounds[i].like(&sound))
				like[i] = max(like[i], v)
				met = met || v >= alike
			}
			if !met {
				s.restKnown++
			}
		}
	}
	s.knownWords, s.restLike = int16(n), 100
	own := false
	for i, x := range p.words() {
		own = own || isSuffix(x)
		if !matched[i] {
			s.restLike = min(s.restLike, int16(like[i]))
		}
	}
	s.suffix = flag(own != suffix)
	all, count := wordsOf(e.Aliases.Longest())
	if a, b := middleInitial(p.words()), middleInitial(all[:count]); a != 0 && b != 0 {
		s.middle = 1
		if a != b {
			s.middle = -1
		}
	}
}

// isSuffix reports whether a word behind a name tells apart two people of one name.
func isSuffix(w string) bool {
	switch w {
	case "junior", "jr", "senior", "sr", "ii", "iii":
		return true
	}
	return false
}

// middleInitial returns the first letter of the word between first and last name, 0 if there is none.
func middleInitial(words []string) byte {
	if len(words) != 3 {
		return 0
	}
	return words[1][0]
}

// compareSounds compares the consonants of the mention and of the person, and words that may have been heard as two or three.
func (s *spelling) compareSounds(p *pairing, e *Person) {
	all := p.soundOfAll.coarse()
	for k := range e.Aliases.Len() {
		a := e.Aliases.At(k)
		var memory [MaxAlias]byte
		sound := soundOf(appendJoined(memory[:0], a))
		known := sound.coarse()
		s.coarse = max(s.coarse, int16(all.like(&known)))
		for rest := a; rest != ""; {
			var w string
			w, rest, _ = strings.Cut(rest, " ")
			one := soundOf(w)
			word := one.coarse()
			for i := range p.words() {
				own := p.sounds[i].coarse()
				s.coarseWord = max(s.coarseWord, int16(own.like(&word)))
			}
		}
		s.span = max(s.span, spanLike(p.whole, a), spanLike(a, p.whole))
	}
}

// spanLike is how alike two or three words of a text and one of another are, in hundredths.
func spanLike(text, words string) (top int16) {
	const most, leastWord = 3, 4
	list, n := wordsOf(text)
	for words != "" {
		var w string
		w, words, _ = strings.Cut(words, " ")
		if len(w) < leastWord {
			continue
		}
		for i := range n {
			var memory [MaxAlias]byte
			span := append(memory[:0], list[i]...)
			for k := i + 1; k < min(n, i+most); k++ {
				span = append(span, list[k]...)
				top = max(top, int16(similarity(span, w)))
			}
		}
	}
	return top
}
