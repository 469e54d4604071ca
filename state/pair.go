package state

import (
	"slices"
	"strings"

	"sotto/detectors"
)

// features is how many numbers describe a mention beside a person.
const features = 100

// Pair describes a mention beside a person of the call, in whole numbers, so that every machine decides the same.
type Pair [features]int16

// pairing compares one mention with the persons of a call.
type pairing struct {
	call *Call
	m    *Mention
	// whole is the alias of the mention, joined the same without spaces.
	whole, joined string
	list          [maxPaired]string
	n             int
	sounds        [maxPaired]sounding
	soundOfAll    sounding
	// last is when a person was mentioned last, -1 for never, and exact how many persons have exactly this alias.
	last    int64
	exact   int
	sharing int
	persons int
	// owned is how many persons are known to be who speaks.
	owned int
}

// maxPaired bounds the words of a mention that are compared.
const maxPaired = 6

// count counts the persons of the call.
func (p *pairing) count(c *Call) {
	for i := range c.entities {
		e := &c.entities[i]
		if e.Kind != detectors.KindName {
			continue
		}
		p.persons++
		if e.isSaid() {
			p.last = max(p.last, e.Last)
		}
		if e.Owner != 0 && e.Owner == p.m.Speaker {
			p.owned++
		}
		if e.aliases.contains(p.whole) {
			p.exact++
		}
		if sharesWord(e, p.words()) {
			p.sharing++
		}
	}
}

func (p *pairing) words() []string { return p.list[:p.n] }

func sharesWord(e *entity, words []string) bool {
	for k := range e.aliases.len() {
		for a := e.aliases.at(k); a != ""; {
			var w string
			w, a, _ = strings.Cut(a, " ")
			for _, x := range words {
				if x == w {
					return true
				}
			}
		}
	}
	return false
}

// pair describes the mention beside person i. ok is false if nothing speaks for one person.
func (p *pairing) pair(i int) (f Pair, ok bool) {
	c, m, e := p.call, p.m, &p.call.entities[i]
	owner, called, by := relation(e.Owner, m.Speaker), relation(e.Called, m.Speaker), relation(e.By, m.Speaker)
	s := p.spelling(e)
	gender := genders(m.Talk.Gender, e.Gender)
	recent, distance, beside := 0, int64(99), int64(0)
	if e.isSaid() {
		recent, distance = int(flag(e.Last == p.last)), m.Seq-e.Last/perEvent
		if distance == 0 {
			beside = int64(min(m.Place, perEvent-1)) - e.Last%perEvent
		}
	}
	quiet := int16(20)
	if p.last >= 0 {
		quiet = int16(min(m.Seq-p.last/perEvent, 20))
	}
	role := agreement(m, owner, called)
	ok = owner == 1 || role > 0 || recent == 1 && (m.Spelled || m.Talk.AboutName) || e.Source == SourceLabel || distance <= justNow || s.isLike()
	if gender < 0 || p.isOther(e, &s) {
		return f, false
	}
	longest := longestAlias(e)
	s.compareSounds(p, e)
	f = Pair{
		s.exact, s.letters, s.all, s.allSound, s.bestWord, s.bestSound, s.exactWords, int16(len(p.words())), int16(countWords(longest)),
		s.firstFirst, s.lastLast, s.firstLast, s.lastFirst, s.nick, s.prefix, s.initial, s.conflict,
		flag(m.Spelled), flag(e.Seen&seenSpelled != 0), s.begun, int16(min(max(distance, 0), 99)), int16(recent),
		int16(min(len(c.entities)-i, 20)), int16(m.Talk.Role), int16(owner), int16(called), int16(by), flag(e.Source == SourceLabel),
		flag(m.Talk.Titled), int16(gender), flag(e.Seen&seenTitled != 0), int16(m.Part), int16(e.Part), flag(m.Talk.Possessive),
		int16(min(len(p.joined), 14)), int16(min(len(longest)-strings.Count(longest, " "), 14)), int16(m.Talk.Given), int16(m.Talk.Common), int16(m.Talk.Surname),
		int16(min(c.appeared, 4)), int16(min(p.persons, 30)), int16(min(p.exact, 3)), flag(c.types[e.Type] != m.Type), int16(min(s.apart, 12)),
		int16(m.Source), s.unmatched, s.unmatchedKnown, int16(e.aliases.len()), s.divided, int16(role), flag(m.Self), flag(m.Other),
		flag(m.Talk.Asked), flag(m.Talk.Starts), flag(m.Talk.Ends), flag(m.Talk.AboutName), flag(m.Guessed), flag(e.Seen&seenPlain != 0),
		int16(m.Talk.Gender), int16(min(p.sharing, 4)), int16(e.Source), flag(e.Owner != 0), s.soundFirst, flag(e.Num == 0),
		flag(p.exact > 0 && s.exact == 0), flag(p.sharing > 0 && s.exactWords == 0), int16(m.Talk.Gap), flag(m.Talk.Joined), int16(m.Talk.Question), int16(m.Talk.QuestionAgo),
		0, 0, 0, 0, 0, int16(min(c.adjusted(e, m, p.whole, personScore(e, m, p.whole)), 300)),
		s.restLike, s.knownWords, s.restKnown, flag(e.Source == SourceLabel && e.Seen == 0), s.suffix, s.middle,
		flag(p.owned > 0 && owner != 1), int16(min(e.Said, 20)), flag(m.Talk.Kin),
		int16(e.Names >> 4), int16(e.Names & 15), int16(min(max(beside, 0), 4)), int16(min(m.Place, 4)),
		flag(m.Talk.Alias), flag(m.Talk.Another), flag(m.Talk.Relative), flag(m.Talk.Back), flag(m.Talk.Or),
		flag(p.sharing == 1 && s.exactWords == int16(len(p.words()))), s.coarse, s.coarseWord, s.span,
		flag(distance == 0 && e.By == m.Speaker && e.Seen == seenSpelled), quiet,
	}
	return f, ok
}

// genders returns 1 for two equal genders, -1 for two others, and 0 if one is not known.
func genders(a, b Gender) int {
	switch {
	case a == AnyGender || b == AnyGender:
		return 0
	case a == b:
		return 1
	}
	return -1
}

// justNow is how many events ago people were mentioned whom a mention may be whatever it is called: "Quimby." "First name?" "Ida."
const justNow = 2

// isLike reports whether the names may be forms of one.
func (s *spelling) isLike() bool {
	return max(s.bestWord, s.bestSound, s.all, s.allSound) >= 65 || s.initial > 0 || s.nick > 0
}

// isRelative reports whether two full names have the last one alone in common.
func (s *spelling) isRelative() bool {
	const unlike = 60
	return s.conflict == sameLast && max(s.firstFirst, s.soundFirst) < unlike && s.initial == 0 && s.exactWords == 1
}

// isOther reports whether a mention is certainly not a person.
func (p *pairing) isOther(e *entity, s *spelling) bool {
	m, own := p.m, e.Owner != 0 && e.Owner == p.m.Speaker
	switch {
	case s.conflict == sameBoth && s.middle < 0:
		return true // the initials between first and last name tell two people of one name apart
	case s.conflict == otherLast && s.unmatched > 0 && s.unmatchedKnown > 0 && !m.Spelled && !m.Talk.AboutName:
		return true // nobody has two last names
	case s.isRelative() && !m.Spelled && !m.Talk.Alias:
		return true // one last name, and first names that are nothing alike
	case own && p.meansOther(e, s), m.Source == SourceLabel && e.Source == SourceLabel && e.Owner != m.Speaker:
		return true // nor speaks as two
	case m.Talk.Joined && s.exact == 0 && m.Place > 0 && e.wasAt(m, m.Place-1):
		return true // "Ida or Ines"
	}
	return p.isNamesake(e, own)
}

// meansOther reports whether speakers mean somebody other than themselves, who are the person.
func (p *pairing) meansOther(e *entity, s *spelling) bool {
	m := p.m
	if m.Talk.Back && s.exact > 0 {
		return false // "call back, and ask for Ida"
	}
	return m.Talk.Kin || m.Other && !m.Self && m.Source == SourceSaid && (e.Source == SourceLabel || p.call.appeared > 1)
}

// isNamesake reports whether a mention is another one of two people with one name: the one who talks is not the one
// whose last name is given now.
func (p *pairing) isNamesake(e *entity, own bool) bool {
	m := p.m
	return !m.Self && e.Owner != 0 && !own && len(m.Words) > 1 && extends(e, m, p.whole) > 0 && p.call.hasNamesake(m)
}

// AskedName returns which part of a name was asked for last, beside who asked and whether letter by letter, and how
// many events before a mention that was.
func (c *Call) AskedName(m *Mention) (question, ago uint8) {
	for i := range c.questions {
		q := &c.questions[i]
		if q.Type != m.Type || q.Seq > m.Seq {
			continue
		}
		question = 1 + uint8(q.Part)
		if q.Spell {
			question += uint8(parts)
		}
		if q.Asker == m.Speaker {
			question += 2 * uint8(parts)
		}
		ago = uint8(min(m.Seq-q.Seq, 20))
	}
	return question, ago
}

func flag(b bool) int16 {
	if b {
		return 1
	}
	return 0
}

// relation is 0 if a fact of a person names no speaker, 1 if it names the one of the mention, and 2 if another one.
func relation(of, speaker SpeakerID) int {
	switch {
	case of == 0 || speaker == 0:
		return 0
	case of == speaker:
		return 1
	}
	return 2
}

// agreement is 1 if a mention's part in the talk fits what is known of the person, -1 if it contradicts it, and 0 if it
// says nothing. owner and called are relations.
func agreement(m *Mention, owner, called int) int {
	own := m.Self || m.Talk.Role == RoleOwn
	listens := m.Talk.Role == RoleOther || m.Talk.Role == RoleAddressed || m.Talk.Role == RoleSetOff
	switch {
	case own && owner == 1, listens && owner == 2, own && called == 2 && owner == 0, listens && called == 1 && owner != 1:
		return 1
	case own && (owner == 2 || called == 1), (listens || m.Other) && owner == 1, listens && called == 2:
		return -1
	}
	return 0
}

// spelling is how alike a mention and a person are spelled and sound, in hundredths where it is a likeness.
type spelling struct {
	exact, letters, all, allSound, bestWord, bestSound, exactWords, firstFirst, lastLast, firstLast, lastFirst, soundFirst int16
	restLike, knownWords, restKnown, suffix, middle, coarse, coarseWord, span                                              int16
	nick, prefix, initial, conflict, begun, unmatched, unmatchedKnown, divided                                             int16
	apart                                                                                                                  int
}

func (p *pairing) spelling(e *entity) spelling {
	s := spelling{apart: 99}
	longest := longestAlias(e)
	var matched [maxPaired]bool
	var memory [maxAlias]byte
	for k := range e.aliases.len() {
		a := e.aliases.at(k)
		if a == p.whole {
			s.exact = max(s.exact, int16(2-min(k, 1)))
		}
		one := appendJoined(memory[:0], a)
		oneSound := soundOf(one)
		if string(one) == p.joined {
			s.letters = 1
		}
		s.all = max(s.all, int16(Similarity(p.joined, one)))
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
	exact, exactBefore := int16(0), s.exactWords
	for alias != "" {
		var w string
		w, alias, _ = strings.Cut(alias, " ")
		sound := soundOf(w)
		for i, x := range p.words() {
			v, h := int16(Similarity(x, w)), int16(p.sounds[i].like(&sound))
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
	s.exactWords = max(exactBefore, exact)
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
	s.firstFirst, s.lastLast = int16(Similarity(first, knownFirst)), int16(Similarity(last, knownLast))
	s.firstLast, s.lastFirst = int16(Similarity(first, knownLast)), int16(Similarity(last, knownFirst))
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
			if Similarity(x, w) >= alike || isNickname(x, w) {
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
func (s *spelling) compareRest(p *pairing, e *entity, matched *[maxPaired]bool) {
	var like [maxPaired]int
	var known [24]string
	n, suffix := 0, false
	for k := range e.aliases.len() {
		for a := e.aliases.at(k); a != "" && n < len(known); {
			var w string
			if w, a, _ = strings.Cut(a, " "); slices.Contains(known[:n], w) {
				continue
			}
			known[n] = w
			n++
			suffix = suffix || isSuffix(w)
			sound, met := soundOf(w), false
			for i, x := range p.words() {
				v := max(Similarity(x, w), p.sounds[i].like(&sound))
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
	all, count := wordsOf(longestAlias(e))
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
