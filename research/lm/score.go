package lm

import (
	"cmp"
	"math"
	"slices"

	"sotto/corpus/words"
)

func bigramKey(u, v uint32) uint64 { return uint64(u)<<32 | uint64(v) }

// prob is the probability of w after u and v.
func (m *Model) prob(u, v, w uint32) float64 {
	context := m.Bigrams.find(bigramKey(u, v))
	if context >= 0 {
		if i := m.Trigrams.find(bigramKey(uint32(context), w)); i >= 0 {
			return float64(m.Trigrams.P[i])
		}
	}
	p := float64(m.Unigrams.Rest[v]) * float64(m.Unigrams.P[w])
	if i := m.Bigrams.find(bigramKey(v, w)); i >= 0 {
		p = float64(m.Bigrams.P[i])
	}
	if context >= 0 {
		p *= float64(m.Bigrams.Rest[context])
	}
	return p
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
		out = append(out, Candidate{m.Words[w], score})
	}
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
	collect := func(keys []uint64, prefix uint32) {
		first, _ := slices.BinarySearch(keys, bigramKey(prefix, 0))
		for _, k := range keys[first:min(first+maxPerSide, len(keys))] {
			if uint32(k>>32) != prefix {
				return
			}
			ids = append(ids, uint32(k))
		}
	}
	if context := m.Bigrams.find(bigramKey(l2, l1)); context >= 0 {
		collect(m.Trigrams.Keys, uint32(context))
	}
	collect(m.Bigrams.Keys, l1)
	collect(m.reverse, r1)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	mask := m.id(words.Mask)
	return slices.DeleteFunc(ids, func(id uint32) bool {
		return int(id) < len(special) || id == mask || int(id) >= len(m.Words) || words.IsMarker(m.Words[id])
	})
}

func (m *Model) mostFrequent(n int) []uint32 {
	ids := make([]uint32, len(m.Words))
	for i := range ids {
		ids[i] = uint32(i)
	}
	slices.SortFunc(ids, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(m.Unigrams.P[y], m.Unigrams.P[x]), cmp.Compare(x, y))
	})
	return slices.Clone(ids[:min(n, len(ids))])
}
