package linking

import "math"

// Choose returns the position of the person that the model of pairs says a mention names, or -1, and whom else it may be.
func Choose(m *Mention, people People) (at int, likely Likely) {
	at, top := -1, pairs.threshold
	if m.Known {
		top = math.MinInt32
	}
	var buf [8]candidate
	same, only := 0, -1 // persons that are known by exactly this name
	all := candidates(m, people, buf[:0])
	fits := countFits(all)
	likely = Likely{isKnown: true, scores: [...]int32{math.MinInt32, math.MinInt32}}
	for k := range all {
		x := &all[k]
		if x.pair[0] > 0 {
			same, only = same+1, x.i
		}
		s := pairs.score(x.pair[:])
		likely.add(x.i, s)
		if p := people.Person(x.i); m.introducesSpeaker() && p.Owner == m.Speaker {
			s += ownBonus
			if p.Source == SourceLabel {
				s += ownBonus
			}
		}
		if t := s + allowance(m, &x.pair, fits); t > top {
			at, top = x.i, t
		}
	}
	if own := OfSpeaker(people, m.Speaker); m.Talk.Also && same == 0 && own >= 0 {
		return own, likely
	}
	if at < 0 && same == 1 && !m.meansAnother() { // the model asks for more where it knows nothing else
		return only, likely
	}
	return at, likely
}

// ownBonus is what speaks for the speaker's own person where speakers say who they are, on the scale of the model, and
// once more if it is known from the label: hardly anybody talks under the label of another one.
const ownBonus = 5000

// Likely are the two persons to whom the model of pairs gives the highest scores, without what Choose adds to them; of equal ones,
// those who became known last. The zero value means that the model was not asked.
type Likely struct {
	isKnown bool
	// at are their positions plus 1, 0 for nobody.
	at     [2]uint16
	scores [2]int32
}

// add adds a person, unless the position is too large for at.
func (l *Likely) add(i int, score int32) {
	at := uint16(i + 1)
	switch {
	case i >= math.MaxUint16:
	case score > l.scores[0]:
		l.at, l.scores = [...]uint16{at, l.at[0]}, [...]int32{score, l.scores[0]}
	case score > l.scores[1]:
		l.at[1], l.scores[1] = at, score
	}
}

// IsKnown reports whether the model was asked.
func (l *Likely) IsKnown() bool { return l.isKnown }

const (
	// doubtStep is how much on the scale of the model of pairs one step of a Doubt is.
	doubtStep = 256
	// noDoubt is a Doubt, when negative, that no model gives.
	noDoubt = 127
)

// But returns whom the mention may be beside the person at a position, as Facts.Maybe and Facts.Doubt have it.
func (l *Likely) But(i int) (maybe uint16, doubt int8) {
	score := int32(math.MinInt32)
	if n := flag(int(l.at[0]) == i+1); l.at[n] > 0 {
		maybe, score = l.at[n], l.scores[n]
	}
	return maybe, int8(min(max(score/doubtStep, 1-noDoubt), noDoubt-1))
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

// allowance lowers the threshold of the model for a pair, on the scale of the model. A wrong link is less likely if the words fit one
// person only, as names or as a short form of one. fits is the count of countFits.
func allowance(m *Mention, p *Pair, fits int) int32 {
	const within = 3000
	if !m.meansAnother() && (p[onlyBearer] > 0 || fits == 1 && p[nickname] > 0) {
		return within
	}
	return 0
}

// These features say that the person has all words of the mention and nobody else has any of them, how many of the words the person
// has, and that one of the words is a short form of a name of the person.
const onlyBearer, exactWords, nickname = 94, 6, 13

// candidate is a person that a mention may be.
type candidate struct {
	i    int
	pair Pair
}

// EachPair calls do with the position and the feature vector of each person of the call whom the mention may mean, newest first.
func EachPair(m *Mention, people People, do func(i int, pair *Pair)) {
	for _, x := range candidates(m, people, nil) {
		do(x.i, &x.pair)
	}
}

// candidates appends the persons that a mention may be to all, which is empty, newest first.
func candidates(m *Mention, people People, all []candidate) []candidate {
	p := newPairing(m)
	p.count(people)
	if p.whole == "" || p.persons == 0 {
		return nil
	}
	var best [len(rivals)]int16
	for i := people.Len() - 1; i >= 0; i-- {
		if people.Person(i) == nil {
			continue
		}
		if pair, ok := p.pair(people, i); ok {
			all = append(all, candidate{i, pair})
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
