package linking

import (
	"cmp"
	_ "embed"
	"slices"

	"sotto/internal/ruledata"
)

//go:embed couples.model
var couplesText string

// couples is the model that decides whether two persons of a call are one; training/who trains it on calls that are over.
var couples = mustForest(ruledata.Text("state/couples.model", couplesText))

const (
	// likenesses is how many features say how alike a name and a person are. Of the first of them, as many as closest says,
	// the maximum over all names of the person is a feature, too.
	likenesses, closest = 29, 11
	// bearings is how many further features two persons have.
	bearings = 40
)

// Couple is the feature vector of two persons of a call, as Pair is that of a mention and a person. couples.model names a feature
// by its position, so each keeps its own.
type Couple [2*likenesses + closest + bearings]int16

// manyPersons is up to how many persons of a call each two are compared. Of more, only those are that the model of pairs
// thought of, so that the time stays in proportion.
const manyPersons = 60

// EachCouple calls do with the positions and the feature vector of each two persons of a call who have numbers of one infoType
// and may be one.
func EachCouple(people People, do func(i, k int, f *Couple)) {
	n, counts := countNumbered(people), make([]int16, people.Len())
	for i := range counts {
		if isNumbered(people.Person(i)) {
			counts[i] = namesakes(people, i)
		}
	}
	for i := range counts {
		for k := i + 1; k < len(counts); k++ {
			if areCompared(people, i, k, n) {
				if f, ok := couple(people, i, k, n, counts[i], counts[k]); ok {
					do(i, k, &f)
				}
			}
		}
	}
}

func isNumbered(p *Person) bool { return p != nil && p.Num > 0 }

func countNumbered(people People) (n int) {
	for i := range people.Len() {
		n += int(flag(isNumbered(people.Person(i))))
	}
	return n
}

// areCompared reports whether the persons at two positions, of n who have numbers, may be one.
func areCompared(people People, i, k, n int) bool {
	a, b := people.Person(i), people.Person(k)
	return isNumbered(a) && isNumbered(b) && a.Type == b.Type && (n <= manyPersons || int(a.Maybe) == k+1 || int(b.Maybe) == i+1)
}

// couple returns the feature vector of the persons at two positions, the lower one first, of n who have numbers, and how many
// namesakes each of the two has. ok is false if their full names say that they are two.
func couple(people People, i, k, n int, ofFirst, ofSecond int16) (f Couple, ok bool) {
	a, b := people.Person(i), people.Person(k)
	if f, ok = compared(people, a, b); !ok {
		return f, false
	}
	copy(f[len(f)-6:], []int16{
		doubtOf(a, k), doubtOf(b, i), ofFirst, ofSecond, int16(min(n, 30)), int16(min(k-i, 30)),
	})
	return f, true
}

// compared returns the feature vector of two persons, without the last six features, which depend on the others of the call. ok is
// false if their full names say that they are two.
func compared(people People, a, b *Person) (f Couple, ok bool) {
	var top [closest]int16
	forth, back := compareNames(a, b, &top), compareNames(b, a, &top)
	if forth.tellsApart() || back.tellsApart() {
		return f, false
	}
	there, here := forth.likenesses(), back.likenesses()
	at := copy(f[:], there[:])
	at += copy(f[at:], here[:])
	at += copy(f[at:], top[:])
	away := min(a.apart(&b.Facts), 60)
	at += copy(f[at:], []int16{
		int16(relation(a.Owner, b.Owner)), flag(a.Owner != 0), flag(b.Owner != 0),
		int16(relation(a.Owner, b.Called)), int16(relation(b.Owner, a.Called)), int16(relation(a.Owner, b.By)), int16(relation(b.Owner, a.By)),
		int16(relation(a.By, b.By)), int16(relation(a.Called, b.Called)), int16(genders(a.Gender, b.Gender)), int16(a.Part), int16(b.Part),
		flag(a.Source == SourceLabel), flag(b.Source == SourceLabel), int16(a.Seen), int16(b.Seen), int16(min(a.Said, 20)), int16(min(b.Said, 20)),
		int16(away), flag(b.Last > a.Last), int16(a.Names >> 4), int16(a.Names & 15), int16(b.Names >> 4), int16(b.Names & 15),
		int16(a.Doubt), int16(b.Doubt), int16(a.Aliases.Len()), int16(b.Aliases.Len()), int16(min(people.Speakers(), 4)),
	})
	said := leaningsOfBoth(a.Leaning, b.Leaning)
	copy(f[at:], said[:])
	return f, true
}

// areRelatives reports whether full names have the last one alone in common. The model learns from such couples, but they are never one.
func areRelatives(a, b *Person) bool {
	var top [closest]int16
	forth, back := compareNames(a, b, &top), compareNames(b, a, &top)
	return forth.isRelative() && back.isRelative()
}

// compareNames compares the longest name of one person with another person. It raises each likeness in top to the maximum over all
// names of the one.
func compareNames(a, b *Person, top *[closest]int16) (longest spelling) {
	long := a.Aliases.Longest()
	for n := range a.Aliases.Len() {
		name := a.Aliases.At(n)
		words, count := wordsOf(name)
		p := newPairing(&Mention{Alias: name, Words: words[:count], Speaker: a.By, Spelled: a.Seen == seenSpelled})
		s := p.spelling(b)
		s.compareSounds(&p, b)
		all := s.likenesses()
		for i := range top {
			top[i] = max(top[i], all[i])
		}
		if name == long {
			longest = s
		}
	}
	return longest
}

// likenesses are the features of a spelling. Those of which a couple has the maximum come first.
func (s *spelling) likenesses() [likenesses]int16 {
	return [...]int16{
		s.exact, s.letters, s.all, s.allSound, s.bestWord, s.bestSound, s.exactWords, s.nick, s.divided, s.coarse, s.span,
		s.firstFirst, s.lastLast, s.firstLast, s.lastFirst, s.soundFirst, s.restLike, s.knownWords, s.restKnown, s.suffix, s.middle,
		s.coarseWord, s.prefix, s.initial, s.conflict, s.begun, s.unmatched, s.unmatchedKnown, int16(min(s.apart, 12)),
	}
}

// doubtOf returns the doubt whether a person is the one at a position.
func doubtOf(e *Person, i int) int16 {
	if int(e.Maybe) == i+1 {
		return int16(e.Doubt)
	}
	return -noDoubt
}

// namesakes counts up to four other persons whose longest name has a word of a name of the one at a position.
func namesakes(people People, i int) (count int16) {
	const most = 4
	p := people.Person(i)
	for k := 0; k < people.Len() && count < most; k++ {
		if o := people.Person(k); k != i && isNumbered(o) {
			words, n := wordsOf(o.Aliases.Longest())
			count += flag(sharesWord(p, words[:n]))
		}
	}
	return count
}

// From the score surelyOne of the model of couples on, two persons of a call that goes on are one. likelyOne is enough if one of them
// is a speaker with a label, since most talk is about the speakers. Settle asks for less: the model learned from calls that were over,
// and while a call goes on, less is known of its persons.
const surelyOne, likelyOne = 3000, 2500

// OneWith returns the position of another person who surely is the same as the one at position i, among those that mayBe accepts; -1 if
// there is none.
func OneWith(people People, i int, mayBe func(k int) bool) int {
	at, top, n, own := -1, int32(0), countNumbered(people), namesakes(people, i)
	for k := range people.Len() {
		if k == i || !areCompared(people, i, k, n) {
			continue
		}
		first, second := own, namesakes(people, k)
		if k < i {
			first, second = second, first
		}
		f, ok := couple(people, min(i, k), max(i, k), n, first, second)
		if !ok {
			continue
		}
		least := int32(surelyOne)
		if people.Person(i).Source == SourceLabel || people.Person(k).Source == SourceLabel {
			least = likelyOne
		}
		a, b := people.Person(i), people.Person(k)
		if s := couples.score(f[:]); s > max(top, least) && mayBe(k) && isOwnOrAlike(a, b) && !areRelatives(a, b) {
			at, top = k, s
		}
	}
	return at
}

// isOwnOrAlike reports whether one of two persons is a speaker, or a name of one may be a form of a name of the other. Others have
// time until the call is over: what is said of two third persons is often alike.
func isOwnOrAlike(a, b *Person) bool {
	if a.Owner != 0 || b.Owner != 0 {
		return true
	}
	var top [closest]int16
	forth, back := compareNames(a, b, &top), compareNames(b, a, &top)
	return forth.isLike() || back.isLike()
}

// Alike returns the positions of each two persons that the model of couples takes for one, the surest first.
func Alike(people People) [][2]int {
	type scored struct {
		persons [2]int
		score   int32
	}
	var all []scored
	EachCouple(people, func(i, k int, f *Couple) {
		if s := couples.score(f[:]); s > couples.threshold && !areRelatives(people.Person(i), people.Person(k)) {
			all = append(all, scored{[2]int{i, k}, s})
		}
	})
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	persons := make([][2]int, len(all))
	for i := range all {
		persons[i] = all[i].persons
	}
	return persons
}
