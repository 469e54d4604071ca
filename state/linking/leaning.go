package linking

// Chances are how probable it is, in hundredths, that the person of a mention speaks, listens, or does neither, as the encoder reads it. All
// are 0 where it has not read the name.
type Chances struct{ Speaks, Listens, Third uint8 }

// Leaning is who a person may be by the Chances of all mentions so far: the highest probability, in hundredths, that the person is each of
// the first seven speakers, in the order in which they began to talk, and behind them, that the person is no speaker. Each takes a byte.
type Leaning uint64

// leaningTo is how many speakers have a byte.
const leaningTo = 7

// IsValid reports whether no probability is over 1.
func (l Leaning) IsValid() bool {
	for i := range leaningTo + 1 {
		if l.at(i) > 100 {
			return false
		}
	}
	return true
}

// to is how probable it was at most that the person is a speaker, by the place in the order of talk.
func (l Leaning) to(talker int) int16 {
	if talker < 1 || talker > leaningTo {
		return 0
	}
	return l.at(talker - 1)
}

// third is how probable it was at most that the person is no speaker.
func (l Leaning) third() int16 { return l.at(leaningTo) }

// toOthers is how probable it was at most that the person is another speaker.
func (l Leaning) toOthers(talker int) (most int16) {
	for o := 1; o <= leaningTo; o++ {
		if o != talker {
			most = max(most, l.to(o))
		}
	}
	return most
}

func (l Leaning) at(i int) int16 { return int16(l >> (8 * i) & 0xff) }

func (l *Leaning) raise(i int, p uint8) {
	if int16(p) > l.at(i) {
		*l = *l&^(0xff<<(8*i)) | Leaning(p)<<(8*i)
	}
}

// learn adds the chances of a mention. Of the first two who talk, the other one listens; to whom further ones talk is not known.
func (l *Leaning) learn(m *Mention) {
	c, t := m.Talk.Chances, m.Talker
	l.raise(leaningTo, c.Third)
	if t < 1 || t > leaningTo {
		return
	}
	l.raise(t-1, c.Speaks)
	if t <= 2 {
		l.raise(2-t, c.Listens)
	}
}

// leanings are what the chances of a mention and the leaning of a person say of both.
func leanings(m *Mention, e *Person, owner, called int) [8]int16 {
	c := m.Talk.Chances
	speaks, listens, third := int16(c.Speaks), int16(c.Listens), int16(c.Third)
	fits := third
	switch {
	case speaks|listens|third == 0:
		fits = -1
	case owner == 1, owner == 0 && called == 2:
		fits = speaks
	case owner == 2, owner == 0 && called == 1:
		fits = listens
	}
	own, other, none := e.Leaning.to(m.Talker), e.Leaning.toOthers(m.Talker), e.Leaning.third()
	return [...]int16{
		speaks, listens, third, fits, own, other, none, max(min(speaks, own), min(listens, other), min(third, none)),
	}
}

// leaningsOfBoth are what the leanings of two persons have in common, and in what they differ.
func leaningsOfBoth(a, b Leaning) [4]int16 {
	var same, apart int16
	for s := 1; s <= leaningTo; s++ {
		same = max(same, min(a.to(s), b.to(s)))
		apart = max(apart, min(a.to(s), b.toOthers(s)))
	}
	return [...]int16{same, apart, min(a.third(), b.third()), max(a.third(), b.third())}
}
