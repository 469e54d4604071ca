package lm

import (
	"cmp"
	"math"
	"slices"

	"sotto/corpus/words"
)

// bigramAt returns the position of a bigram, -1 if there is none.
func (m *Model) bigramAt(u, v uint32) int {
	k := uint64(u)<<32 | uint64(v)
	if i := lowerBound(m.bigramKeys, m.bigrams, k); i < m.bigrams && key(m.bigramKeys, i) == k {
		return i
	}
	return -1
}

// prob is the probability of w after u and v.
func (m *Model) prob(u, v, w uint32) float64 {
	if int(max(u, v, w)) >= m.words {
		return 0
	}
	context := m.bigramAt(u, v)
	if context >= 0 {
		k := uint64(context)<<32 | uint64(w)
		if i := lowerBound(m.trigramKeys, m.trigrams, k); i < m.trigrams && key(m.trigramKeys, i) == k {
			return float(m.trigramValues, i)
		}
	}
	p := float(m.unigram, 2*int(v)+1) * float(m.unigram, 2*int(w))
	if i := m.bigramAt(v, w); i >= 0 {
		p = float(m.bigramValues, 2*i)
	}
	if context >= 0 {
		p *= float(m.bigramValues, 2*context+1)
	}
	return p
}

// Prob returns the probability of a word after two others; "<s>" stands for the begin of a text.
func (m *Model) Prob(before2, before1, word string) float64 {
	return m.prob(m.id(before2), m.id(before1), m.id(word))
}

// LogProb returns the natural logarithm of the probability of a text, its end included, and how many
// words that are. A word that the model does not know counts as one of an unknown word.
func (m *Model) LogProb(text []string) (logProb float64, n int) {
	u, v := uint32(begin), uint32(begin)
	for i := range len(text) + 1 {
		w := uint32(end)
		if i < len(text) {
			w = m.id(text[i])
		}
		logProb += math.Log(max(m.prob(u, v, w), 1e-12))
		u, v = v, w
	}
	return logProb, len(text) + 1
}

// Candidate is a word that may stand at a place.
type Candidate struct {
	Word  string
	Score float64
}

// How many words are looked at for one place.
const (
	maxFrequent = 100
	maxPerSide  = 500
)

// Fill returns the k best words between left and right by their score from both sides: how likely
// the word is after what is to its left, and what is to its right after it. The best comes first.
func (m *Model) Fill(left, right []string, k int) []Candidate {
	l2, l1 := m.before(left, 2), m.before(left, 1)
	r1, r2 := m.after(right, 0), m.after(right, 1)
	var out []Candidate
	for _, w := range m.candidates(l2, l1, r1) {
		score := math.Log(max(m.prob(l2, l1, w), 1e-30)) + math.Log(max(m.prob(l1, w, r1), 1e-30))
		if r1 != end {
			score += math.Log(max(m.prob(w, r1, r2), 1e-30))
		}
		out = append(out, Candidate{m.Word(w), score})
	}
	return best(out, k)
}

// Next returns the k most likely words after left.
func (m *Model) Next(left []string, k int) []Candidate {
	l2, l1 := m.before(left, 2), m.before(left, 1)
	var out []Candidate
	for _, w := range m.candidates(l2, l1, unknown) {
		out = append(out, Candidate{m.Word(w), math.Log(max(m.prob(l2, l1, w), 1e-30))})
	}
	return best(out, k)
}

func best(out []Candidate, k int) []Candidate {
	slices.SortFunc(out, func(x, y Candidate) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Word, y.Word))
	})
	return out[:min(k, len(out))]
}

func (m *Model) before(left []string, n int) uint32 {
	if len(left) < n {
		return begin
	}
	return m.id(left[len(left)-n])
}

func (m *Model) after(right []string, n int) uint32 {
	if len(right) <= n {
		return end
	}
	return m.id(right[n])
}

// candidates are the words that were seen after the left side or before the right one, and the most
// frequent ones.
func (m *Model) candidates(l2, l1, r1 uint32) []uint32 {
	ids := slices.Clone(m.frequent)
	collect := func(keys []byte, n int, prefix uint32) {
		first := lowerBound(keys, n, uint64(prefix)<<32)
		for i := first; i < n && i-first < maxPerSide; i++ {
			k := key(keys, i)
			if uint32(k>>32) != prefix {
				return
			}
			ids = append(ids, uint32(k))
		}
	}
	if context := m.bigramAt(l2, l1); context >= 0 {
		collect(m.trigramKeys, m.trigrams, uint32(context))
	}
	collect(m.bigramKeys, m.bigrams, l1)
	collect(m.reverse, m.bigrams, r1)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	mask := m.id(words.Mask)
	return slices.DeleteFunc(ids, func(id uint32) bool {
		return int(id) < len(special) || id == mask || int(id) >= m.words || words.IsMarker(m.Word(id))
	})
}

func (m *Model) mostFrequent(n int) []uint32 {
	ids := make([]uint32, 0, m.words)
	for i := range m.words {
		ids = append(ids, uint32(i))
	}
	slices.SortFunc(ids, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(float(m.unigram, 2*int(y)), float(m.unigram, 2*int(x))), cmp.Compare(x, y))
	})
	return slices.Clone(ids[:min(n, len(ids))])
}
