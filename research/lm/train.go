// Package lm has an n-gram language model: interpolated Kneser-Ney of order 3, with scores from both
// sides of a word. It is small, deterministic and fast, and needs no accelerator; it is no match for
// a neural model.
package lm

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"sotto/corpus/words"
)

// Words that are in every model.
const (
	unknown = 0 // a word that is not in the vocabulary
	begin   = 1
	end     = 2
)

var special = []string{unknown: "<unk>", begin: "<s>", end: "</s>"}

// Options configure Train.
type Options struct {
	// Vocabulary are words that the model knows even if no text has them; nil means those of the
	// texts alone. Models are comparable by perplexity if they have the same vocabulary.
	Vocabulary []string
	// Closed leaves out words that Vocabulary lacks.
	Closed bool
}

type (
	bigram  [2]uint32
	trigram [3]uint32
)

// trainer counts.
type trainer struct {
	opts Options
	ids  map[string]uint32
	list []string
	tri  map[trigram]uint32
}

// Train learns a model of texts, each of which is a list of words.
func Train(texts iter.Seq[[]string], o Options) *Model {
	t := &trainer{opts: o, ids: map[string]uint32{}, tri: map[trigram]uint32{}}
	for _, w := range special {
		t.id(w, true)
	}
	t.id(words.Mask, true)
	for _, w := range o.Vocabulary {
		t.id(w, true)
	}
	for text := range texts {
		t.count(text)
	}
	return t.model()
}

func (t *trainer) id(w string, add bool) uint32 {
	if id, ok := t.ids[w]; ok {
		return id
	}
	if !add {
		return unknown
	}
	id := uint32(len(t.list))
	t.ids[w] = id
	t.list = append(t.list, w)
	return id
}

func (t *trainer) count(text []string) {
	u, v := uint32(begin), uint32(begin)
	for i := range len(text) + 1 {
		w := uint32(end)
		if i < len(text) {
			w = t.id(text[i], !t.opts.Closed)
		}
		t.tri[trigram{u, v, w}]++
		u, v = v, w
	}
}

// sums are what a context adds up to.
type sums struct {
	total    float64 // of the counts of the words that follow
	distinct float64 // different words that follow
}

// discount is that of absolute discounting, from how many counts are one and two.
func discount(counts iter.Seq[uint32]) float64 {
	var n1, n2 float64
	for c := range counts {
		switch c {
		case 1:
			n1++
		case 2:
			n2++
		}
	}
	if n1 == 0 {
		return 0.5
	}
	return n1 / (n1 + 2*n2)
}

// model computes the probabilities. Those of trigrams use counts; those of bigrams and words use in
// how many contexts they occur, which is what makes the model a Kneser-Ney one.
func (t *trainer) model() *Model {
	bi, uni := map[bigram]uint32{}, make([]uint32, len(t.list))
	afterTri, afterBi := map[bigram]sums{}, map[uint32]sums{}
	for g, c := range t.tri {
		bi[bigram{g[1], g[2]}]++
		s := afterTri[bigram{g[0], g[1]}]
		afterTri[bigram{g[0], g[1]}] = sums{s.total + float64(c), s.distinct + 1}
	}
	var contexts, distinct float64
	for g, c := range bi {
		uni[g[1]]++
		s := afterBi[g[0]]
		afterBi[g[0]] = sums{s.total + float64(c), s.distinct + 1}
	}
	for _, c := range uni {
		contexts += float64(c)
		if c > 0 {
			distinct++
		}
	}
	d1, d2, d3 := discount(slices.Values(uni)), discount(maps.Values(bi)), discount(maps.Values(t.tri))

	b := builder{list: t.list}
	base := 1 / float64(len(t.list)-1) // nothing is followed by the begin of a text
	for w, c := range uni {
		p := base
		if contexts > 0 {
			p = max(float64(c)-d1, 0)/contexts + d1*distinct/contexts*base
		}
		if w == begin {
			p = 0
		}
		s := afterBi[uint32(w)]
		b.unigrams = append(b.unigrams, entry{p: p, rest: rest(s, d2)})
	}
	for _, g := range slices.SortedFunc(maps.Keys(bi), func(x, y bigram) int { return slices.Compare(x[:], y[:]) }) {
		s := afterBi[g[0]]
		p := max(float64(bi[g])-d2, 0)/s.total + rest(s, d2)*b.unigrams[g[1]].p
		b.bigrams = append(b.bigrams, entry{key: uint64(g[0])<<32 | uint64(g[1]), p: p})
	}
	// Contexts that nothing comes before have no entry among the bigrams: begin, begin.
	for g, s := range afterTri {
		key := uint64(g[0])<<32 | uint64(g[1])
		i, ok := slices.BinarySearchFunc(b.bigrams, key, func(e entry, k uint64) int { return cmp.Compare(e.key, k) })
		if ok {
			b.bigrams[i].rest = rest(s, d3)
			continue
		}
		b.contexts = append(b.contexts, entry{key: key, rest: rest(s, d3), p: b.lower(g)})
	}
	b.addContexts()
	for _, g := range slices.SortedFunc(maps.Keys(t.tri), func(x, y trigram) int { return slices.Compare(x[:], y[:]) }) {
		s := afterTri[bigram{g[0], g[1]}]
		i := b.bigram(g[0], g[1])
		p := max(float64(t.tri[g])-d3, 0)/s.total + rest(s, d3)*b.lower(bigram{g[1], g[2]})
		b.trigrams = append(b.trigrams, entry{key: uint64(i)<<32 | uint64(g[2]), p: p})
	}
	return newModel(stored{b.list, nil, newTable(b.unigrams), newTable(b.bigrams), newTable(b.trigrams)})
}

// rest is the share of probability that a context leaves to shorter contexts; all of it if nothing
// was seen after it.
func rest(s sums, d float64) float64 {
	if s.total == 0 {
		return 1
	}
	return d * s.distinct / s.total
}
