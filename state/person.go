package state

import (
	"math"
	"strings"

	"sotto/detectors"
)

// namesSpeaker reports whether speakers name themselves.
func (m *Mention) namesSpeaker() bool {
	return m.Self || m.Kind == detectors.KindName && m.Talk.Role == RoleOwn
}

// linkPerson returns the position of the person that a mention names, or of the code as which the name was first
// found; else -1.
func (c *Call) linkPerson(m *Mention) int {
	if i := c.personOf(m); i >= 0 {
		return i
	}
	return c.linkSpelledBefore(m)
}

// personOf returns the position of the person that a mention names, or -1.
func (c *Call) personOf(m *Mention) int {
	if m.Speaker == 0 {
		return c.linkByWords(m)
	}
	// The model did not learn what was given in advance.
	if i := c.best(detectors.KindName, func(e *entity) int {
		if e.Source != SourceParticipant {
			return 0
		}
		return c.adjusted(e, m, m.alias(), personScore(e, m, m.alias()))
	}); i >= 0 {
		return i
	}
	if i := c.choose(m); i >= 0 {
		return i
	}
	return c.otherPart(m)
}

// choose returns the position of the person that the model of pairs says a mention names, or -1.
func (c *Call) choose(m *Mention) int {
	at, top := -1, pairs.threshold
	if m.Known {
		top = math.MinInt32
	}
	var buf [8]candidate
	same, only := 0, -1 // persons that are known by exactly this name
	all := c.scored(m, buf[:0])
	fits := countFits(all)
	for k := range all {
		x := &all[k]
		if x.pair[0] > 0 {
			same, only = same+1, x.i
		}
		s := x.score
		if e := &c.entities[x.i]; m.introducesSpeaker() && e.Owner == m.Speaker {
			s += ownBonus
			if e.Source == SourceLabel {
				s += ownBonus
			}
		}
		if t := s + allowance(m, &x.pair, fits); t > top {
			at, top = x.i, t
		}
	}
	if own := c.personOfSpeaker(m.Speaker); m.Talk.Also && same == 0 && own >= 0 {
		return own
	}
	if at < 0 && same == 1 { // the model asks for more where it knows nothing else
		return only
	}
	return at
}

// countFits counts the candidates of whom a mention has a word, or a short form of one.
func countFits(all []candidate) (n int) {
	for i := range all {
		if p := &all[i].pair; p[exactWords] > 0 || p[nickname] > 0 {
			n++
		}
	}
	return n
}

// allowance is by how much less, on the scale of the model, is asked for a pair than for others: a wrong number is less likely
// to be one of two people where the only person of whose names, or of a short form of one, the words are is meant, or where nothing
// but the talk speaks for one. fits is the count of countFits.
func allowance(m *Mention, p *Pair, fits int) int32 {
	const within, byTalk, like = 3000, 2000, 65
	isOther := m.Talk.Another || m.Talk.Relative && !m.introducesSpeaker()
	switch {
	case !isOther && (p[onlyBearer] > 0 || fits == 1 && p[nickname] > 0):
		return within
	case max(p[2], p[3], p[4], p[5]) < like && p[nickname] == 0 && p[15] == 0: // the likenesses, nicknames and initials
		return byTalk
	}
	return 0
}

// onlyBearer is the feature that says that all words are of the person, and none is of anybody else, exactWords how many words are,
// and nickname that one is a short form of one.
const onlyBearer, exactWords, nickname = 94, 6, 13

// personOfSpeaker returns the position of the person who is a speaker, the one mentioned last of several, or -1.
func (c *Call) personOfSpeaker(s SpeakerID) int {
	at := -1
	for i := range c.entities {
		if e := &c.entities[i]; s != 0 && e.Kind == detectors.KindName && e.Owner == s && (at < 0 || e.Last >= c.entities[at].Last) {
			at = i
		}
	}
	return at
}

// ownBonus is what speaks for the speaker's own person where speakers say who they are, on the scale of the model, and
// once more if it is known from the label: hardly anybody talks under the label of another one.
const ownBonus = 5000

// introducesSpeaker reports whether speakers surely say who they are: "my name is Ida".
func (m *Mention) introducesSpeaker() bool { return m.Self && m.Talk.Role == RoleOwn }

// asName returns a mention with the words of a name, which a spelled code may be.
func (m *Mention) asName() Mention {
	name := *m
	if m.Kind == detectors.KindCode {
		name.Kind, name.Code = detectors.KindName, ""
		name.Words = []string{strings.ToLower(m.Code)}
		name.form = name.Words[0]
	}
	return name
}

// linkSpelledBefore returns the position of the spelled word or the user name as which a name was first found, or -1.
func (c *Call) linkSpelledBefore(m *Mention) int {
	whole := m.alias()
	joined := strings.ReplaceAll(whole, " ", "")
	return c.best(detectors.KindCode, func(e *entity) int {
		if (e.Weak || len(whole) >= minGuess) && strings.EqualFold(e.aliases.at(0), joined) {
			return 1
		}
		return 0
	})
}

// candidate is a person that a mention may be.
type candidate struct {
	i    int
	pair Pair
	// score is what the model of pairs says of it, where it was asked.
	score int32
}

// likeliest are the two persons whom the model of pairs finds likeliest, whatever is added for who speaks: of equal ones, those
// who were known last.
type likeliest struct {
	// isKnown: the model was asked.
	isKnown bool
	// at are their positions plus 1, 0 for nobody.
	at     [2]uint16
	scores [2]int32
}

// add adds a person. One at a position beyond what at holds does not count.
func (l *likeliest) add(i int, score int32) {
	at := uint16(i + 1)
	switch {
	case i >= math.MaxUint16:
	case score > l.scores[0]:
		l.at, l.scores = [...]uint16{at, l.at[0]}, [...]int32{score, l.scores[0]}
	case score > l.scores[1]:
		l.at[1], l.scores[1] = at, score
	}
}

// but returns the likeliest person who is not at a position, and the score.
func (l *likeliest) but(i int) (at uint16, score int32) {
	if n := flag(int(l.at[0]) == i+1); l.at[n] > 0 {
		return l.at[n], l.scores[n]
	}
	return 0, math.MinInt32
}

// scored is candidates, each with its score. It notes in the mention who is likeliest.
func (c *Call) scored(m *Mention, all []candidate) []candidate {
	all = c.candidates(m, all)
	m.likely = likeliest{isKnown: true, scores: [...]int32{math.MinInt32, math.MinInt32}}
	for k := range all {
		x := &all[k]
		x.score = pairs.score(x.pair[:])
		m.likely.add(x.i, x.score)
	}
	return all
}

// EachPair describes the mention of a person beside each person of the call, newest first, whom it may be.
func (c *Call) EachPair(m *Mention, do func(i int, pair *Pair)) {
	name := m.asName()
	for _, x := range c.candidates(&name, nil) {
		do(x.i, &x.pair)
	}
}

// pairing returns what compares a mention with the persons of the call.
func (c *Call) pairing(m *Mention) pairing {
	p := pairing{call: c, m: m, whole: m.alias(), last: -1}
	var memory [maxAlias]byte
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

// candidates appends the persons that a mention may be to all, which is empty, newest first.
func (c *Call) candidates(m *Mention, all []candidate) []candidate {
	p := c.pairing(m)
	p.count(c)
	if p.whole == "" || p.persons == 0 {
		return nil
	}
	var best [len(rivals)]int16
	for i := len(c.entities) - 1; i >= 0; i-- {
		if c.entities[i].Kind != detectors.KindName {
			continue
		}
		if pair, ok := p.pair(i); ok {
			all = append(all, candidate{i: i, pair: pair})
			for k, f := range rivals {
				best[k] = max(best[k], pair[f])
			}
		}
	}
	for n := range all {
		for k, f := range rivals {
			all[n].pair[firstRival+k] = best[k] - all[n].pair[f]
		}
	}
	return all
}

// rivals are the features of which the model knows, too, how much more the best person has.
var rivals = [...]int{2, 4, 5, 49, 75}

// firstRival is the first of the features that say so.
const firstRival = 70

// LinkAs links a mention to entity i, or to a new one if i is -1, whatever the model of pairs says, and returns its position.
func (c *Call) LinkAs(m Mention, i, limit int) int {
	m.form = m.alias()
	if i < 0 {
		i = c.create(m, limit)
	} else {
		c.merge(i, m)
	}
	if i >= 0 {
		if m.Whole != "" && len(m.Whole) <= maxAlias && m.Kind == c.entities[i].Kind {
			c.addAlias(i, m.Whole)
		}
		c.assignNumber(i)
	}
	return i
}

// KnowsAsTwo reports whether two words are each known as the name of a person, of two people, and not
// together as the name of one.
func (c *Call) KnowsAsTwo(a, b string) bool {
	first, second := false, false
	for i := range c.entities {
		e := &c.entities[i]
		if e.Kind != detectors.KindName || e.Num == 0 {
			continue
		}
		isFirst, isSecond := e.aliases.contains(a), e.aliases.contains(b) && !e.hasSurname(b)
		if isFirst && isSecond || e.aliases.contains(a+" "+b) {
			return false
		}
		first, second = first || isFirst, second || isSecond
	}
	return first && second
}

// MayBearName reports whether the person at position i is known by a first name alone, to which the last name of the one at
// position k may belong.
func (c *Call) MayBearName(i, k int) bool {
	a, b := &c.entities[i], &c.entities[k]
	return a.Kind == detectors.KindName && b.Kind == detectors.KindName && a.Part != PartSurname && !strings.Contains(longestAlias(a), " ")
}

// hasSurname reports whether a word is the last name of a person: "lucinda quimby" beside a Mr. Quimby is one person.
func (e *entity) hasSurname(word string) bool {
	return e.Part == PartSurname && e.aliases.len() == 1 || strings.HasSuffix(longestAlias(e), " "+word)
}

// addFullName adds the alias "given surname" to entity i when the surname of a person becomes
// known of whom only the given name was.
func (c *Call) addFullName(i int, surname string) {
	e := &c.entities[i]
	if e.Part != PartSurname && !strings.Contains(longestAlias(e), " ") && e.aliases.first != surname {
		c.addAlias(i, e.aliases.first+" "+surname)
	}
}

func longestAlias(e *entity) string {
	at, n := "", 0
	for k := range e.aliases.len() {
		f := e.aliases.at(k)
		if k := countWords(f); k > n {
			at, n = f, k
		}
	}
	return at
}

func countWords(s string) int { return strings.Count(s, " ") + 1 }

// maxWords bounds the words of an alias that are compared.
const maxWords = 8

// wordsOf returns the first words of an alias, and how many they are.
func wordsOf(alias string) (words [maxWords]string, n int) {
	for ; alias != "" && n < maxWords; n++ {
		words[n], alias, _ = strings.Cut(alias, " ")
	}
	return words, n
}

// sameLetters reports whether two aliases differ only in spaces.
func sameLetters(a, b string) bool {
	for {
		a, b = strings.TrimLeft(a, " "), strings.TrimLeft(b, " ")
		if a == "" || b == "" || a[0] != b[0] {
			return a == b
		}
		a, b = a[1:], b[1:]
	}
}
