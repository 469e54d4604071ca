package linking

import "strings"

// features is the length of the feature vector of a pair.
const features = 108

// Pair is the feature vector of a mention and a person of the call. Features are whole numbers, so that every machine decides the
// same: likenesses in hundredths, times in events, answers as 0 and 1. pairs.model names a feature by its position, so each keeps
// its own.
type Pair [features]int16

// pairing compares one mention with the persons of a call, which it does not keep: a mention beside what an interface holds would be
// moved to the heap.
type pairing struct {
	m *Mention
	// whole is the alias of the mention, joined the same without spaces.
	whole, joined string
	list          [maxPaired]string
	n             int
	sounds        [maxPaired]sounding
	soundOfAll    sounding
	// last is the Last of the person who was mentioned last, -1 for nobody, and lastMS the LastMS; exact is how many persons have exactly this alias.
	last    int64
	lastMS  int64
	exact   int
	sharing int
	persons int
	// owned is how many persons are known to be who speaks.
	owned int
	// speakers is how many speakers have talked.
	speakers int
}

// maxPaired bounds the words of a mention that are compared.
const maxPaired = 6

// newPairing returns what compares a mention with persons.
func newPairing(m *Mention) pairing {
	p := pairing{m: m, whole: m.Alias, last: -1}
	var memory [MaxAlias]byte
	if p.joined = p.whole; strings.Contains(p.whole, " ") {
		p.joined = string(appendJoined(memory[:0], p.whole))
	}
	for rest := p.whole; rest != "" && p.n < maxPaired; p.n++ {
		p.list[p.n], rest, _ = strings.Cut(rest, " ")
	}
	p.soundOfAll = soundOf(p.joined)
	for i, w := range p.words() {
		p.sounds[i] = soundOf(w)
	}
	return p
}

// count counts the persons of the call.
func (p *pairing) count(people People) {
	p.speakers = people.Speakers()
	for i := range people.Len() {
		e := people.Person(i)
		if e == nil {
			continue
		}
		p.persons++
		if e.IsSaid() && e.Last > p.last {
			p.last, p.lastMS = e.Last, e.LastMS
		}
		if e.Owner != 0 && e.Owner == p.m.Speaker {
			p.owned++
		}
		if e.Aliases.Has(p.whole) {
			p.exact++
		}
		if sharesWord(e, p.words()) {
			p.sharing++
		}
	}
}

func (p *pairing) words() []string { return p.list[:p.n] }

func sharesWord(e *Person, words []string) bool {
	for k := range e.Aliases.Len() {
		for a := e.Aliases.At(k); a != ""; {
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

// hasWords reports whether each of the words is one of a name of the person.
func hasWords(e *Person, words []string) bool {
	for i := range words {
		if !sharesWord(e, words[i:i+1]) {
			return false
		}
	}
	return true
}

// pair returns the feature vector of the mention and the person at position i. ok is false if nothing speaks for one person.
func (p *pairing) pair(people People, i int) (f Pair, ok bool) {
	m, e := p.m, people.Person(i)
	owner, called, by := relation(e.Owner, m.Speaker), relation(e.Called, m.Speaker), relation(e.By, m.Speaker)
	s := p.spelling(e)
	gender := genders(m.Talk.Gender, e.Gender)
	recent, distance, beside := 0, int64(99), int64(0)
	if e.IsSaid() {
		recent, distance = int(flag(e.Last == p.last)), e.Ago(m)
		if distance == 0 {
			beside = int64(min(m.Place, perEvent-1)) - e.Last%perEvent
		}
	}
	quiet := int16(20)
	if p.last >= 0 {
		quiet = int16(min(m.Turns(p.last/perEvent, p.lastMS-1), 20))
	}
	role := agreement(m, owner, called)
	ok = owner == 1 || role > 0 || recent == 1 && (m.Spelled || m.Talk.AboutName) || e.Source == SourceLabel || distance <= justNow || s.isLike()
	if gender < 0 || p.isOther(people, e, &s) {
		return f, false
	}
	longest := e.Aliases.Longest()
	s.compareSounds(p, e)
	f = Pair{
		s.exact, s.letters, s.all, s.allSound, s.bestWord, s.bestSound, s.exactWords, int16(len(p.words())), int16(countWords(longest)),
		s.firstFirst, s.lastLast, s.firstLast, s.lastFirst, s.nick, s.prefix, s.initial, s.conflict,
		flag(m.Spelled), flag(e.Seen&seenSpelled != 0), s.begun, int16(min(max(distance, 0), 99)), int16(recent),
		int16(min(people.Len()-i, 20)), int16(m.Talk.Role), int16(owner), int16(called), int16(by), flag(e.Source == SourceLabel),
		flag(m.Talk.Titled), int16(gender), flag(e.Seen&seenTitled != 0), int16(m.Part), int16(e.Part), flag(m.Talk.Possessive),
		int16(min(len(p.joined), 14)), int16(min(len(longest)-strings.Count(longest, " "), 14)), int16(m.Talk.Given), int16(m.Talk.Common), int16(m.Talk.Surname),
		int16(min(p.speakers, 4)), int16(min(p.persons, 30)), int16(min(p.exact, 3)), flag(int(e.Type) != m.Type), int16(min(s.apart, 12)),
		int16(m.Source), s.unmatched, s.unmatchedKnown, int16(e.Aliases.Len()), s.divided, int16(role), flag(m.Self), flag(m.Other),
		flag(m.Talk.Asked), flag(m.Talk.Starts), flag(m.Talk.Ends), flag(m.Talk.AboutName), flag(m.Guessed), flag(e.Seen&seenPlain != 0),
		int16(m.Talk.Gender), int16(min(p.sharing, 4)), int16(e.Source), flag(e.Owner != 0), s.soundFirst, flag(e.Num == 0),
		flag(p.exact > 0 && s.exact == 0), flag(p.sharing > 0 && s.exactWords == 0), int16(m.Talk.Gap), flag(m.Talk.Joined), int16(m.Talk.Question), int16(m.Talk.QuestionAgo),
		0, 0, 0, 0, 0, int16(min(adjusted(people, e, m, personScore(e, m)), 300)),
		s.restLike, s.knownWords, s.restKnown, flag(e.Source == SourceLabel && e.Seen == 0), s.suffix, s.middle,
		flag(p.owned > 0 && owner != 1), int16(min(e.Said, 20)), flag(m.Talk.Kin),
		int16(e.Names >> 4), int16(e.Names & 15), int16(min(max(beside, 0), 4)), int16(min(m.Place, 4)),
		flag(m.Talk.Alias), flag(m.Talk.Another), flag(m.Talk.Relative), flag(m.Talk.Back), flag(m.Talk.Or),
		flag(p.sharing == 1 && s.exactWords == int16(len(p.words()))), s.coarse, s.coarseWord, s.span,
		flag(distance == 0 && e.By == m.Speaker && e.Seen == seenSpelled), quiet,
	}
	said := leanings(m, e, owner, called)
	copy(f[len(f)-len(said):], said[:])
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

// isOther reports whether a mention is certainly not a person.
func (p *pairing) isOther(people People, e *Person, s *spelling) bool {
	m, own := p.m, e.Owner != 0 && e.Owner == p.m.Speaker
	switch {
	case s.hasOtherInitial():
		return true
	case s.hasOtherLast() && !m.Spelled && !m.Talk.AboutName:
		return true
	case s.isRelative() && !m.Spelled && !m.Talk.Alias:
		return true // one last name, and first names that are nothing alike
	case own && p.meansOther(e, s), m.Source == SourceLabel && e.Source == SourceLabel && e.Owner != m.Speaker:
		return true // nor speaks as two
	}
	return p.isListedBeside(e, s) || p.isNamesake(people, e, own)
}

// isListedBeside reports whether the mention is joined to one of the person, and means somebody else: "Ida or Ines", but not "Hess or
// Hesse", nor "the last name Hess and the first name Ida" beside Ida Hess.
func (p *pairing) isListedBeside(e *Person, s *spelling) bool {
	m := p.m
	return m.Talk.Joined && !hasWords(e, p.words()) && !(m.Talk.Or && s.unmatched == 0) && m.Place > 0 && e.wasAt(m, m.Place-1)
}

// meansOther reports whether speakers mean somebody other than themselves, who are the person.
func (p *pairing) meansOther(e *Person, s *spelling) bool {
	m := p.m
	if m.Talk.Back && s.exactWords == int16(p.n) {
		return false // "call back, and ask for Ida"
	}
	return m.Talk.Kin || m.Other && !m.Self && m.Source == SourceSaid && (e.Source == SourceLabel || p.speakers > 1)
}

// isNamesake reports whether a mention is another one of two people with one name: the one who talks is not the one
// whose last name is given now.
func (p *pairing) isNamesake(people People, e *Person, own bool) bool {
	m := p.m
	return !m.Self && e.Owner != 0 && !own && len(m.Words) > 1 && extends(e, m) > 0 && hasNamesake(people, m)
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
