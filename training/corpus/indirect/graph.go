// Package indirect finds indirect identifiers: words and n-grams that fewer than k individuals use.
// A word that occurs in the calls of one person only identifies that person as a name does.
//
// It follows "Towards the Anonymization of the Language Modeling" (Boutet et al.): a bipartite graph
// links individuals to the n-grams that they use. The graph is exact up to k. For each n-gram it
// keeps keyed digests of fewer than k individuals; with the kth, the n-gram is safe, and the digests
// are dropped. A pass over the corpus needs no second one.
package indirect

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Limits of Options.
const (
	MaxK = 16
	MaxN = 3
)

// Options configure a Graph.
type Options struct {
	// K is how many individuals must use an n-gram for it to be safe; 2 to MaxK.
	K int
	// N is the length of the longest n-grams; 1 to MaxN.
	N int
	// Common, unless nil, says which words everybody uses, so that they identify nobody, however few use them in a small corpus.
	Common func(word string) bool
	// MaxGrams bounds the different n-grams, which are held in memory.
	MaxGrams int
}

// Graph links individuals to the n-grams of their words. It is not safe for concurrent use.
type Graph struct {
	opts Options
	key  []byte

	// index has the position of each n-gram. The entry at a position is spread
	// over three slices, because a struct of them would be padded.
	index   map[string]uint32
	counts  []uint32
	users   []uint8  // at most K, which means safe
	digests []uint64 // K-1 for each position
	gram    []byte

	who    string // of digest
	digest uint64
	people map[uint64]struct{}
	words  uint64
}

// New makes an empty graph. Its digests have a random key that nothing keeps, so that nobody can
// test them against a list of customers.
func New(o Options) (*Graph, error) {
	switch {
	case o.K < 2 || o.K > MaxK:
		return nil, fmt.Errorf("k is %d and must be 2 to %d", o.K, MaxK)
	case o.N < 1 || o.N > MaxN:
		return nil, fmt.Errorf("n is %d and must be 1 to %d", o.N, MaxN)
	case o.MaxGrams < 1 || o.MaxGrams > math.MaxUint32:
		return nil, fmt.Errorf("the limit of %d n-grams must be 1 to %d", o.MaxGrams, uint32(math.MaxUint32))
	}
	g := &Graph{opts: o, key: make([]byte, 32), index: map[string]uint32{}, people: map[uint64]struct{}{}}
	rand.Read(g.key) // never fails since Go 1.24
	return g, nil
}

// Add links an individual to all n-grams of the words of a turn. Words that mark, as in
// [PERSON_NAME_1], must not be among them: call it for what is before and after one. It fails if there
// are more different n-grams than MaxGrams.
func (g *Graph) Add(individual string, list []string) error {
	d := g.digestOf(individual)
	g.words += uint64(len(list))
	for i := range list {
		g.gram = g.gram[:0]
		for n := 0; n < g.opts.N && i+n < len(list); n++ {
			if n > 0 {
				g.gram = append(g.gram, ' ')
			}
			g.gram = append(g.gram, list[i+n]...)
			at := g.link(d)
			if n == 0 && g.opts.Common != nil && !g.safe(at) && g.opts.Common(list[i]) {
				clear(g.slots(at))
				g.users[at] = uint8(g.opts.K)
			}
		}
	}
	if len(g.index) > g.opts.MaxGrams {
		return fmt.Errorf("there are more than %d different n-grams: allow more, if the memory suffices, or look for shorter n-grams", g.opts.MaxGrams)
	}
	return nil
}

// digestOf is a keyed digest of an individual. Two individuals of one digest would count as one,
// which marks too much and never too little.
func (g *Graph) digestOf(individual string) uint64 {
	if individual != g.who || len(g.people) == 0 {
		mac := hmac.New(sha256.New, g.key)
		mac.Write([]byte(individual))
		g.who, g.digest = individual, binary.BigEndian.Uint64(mac.Sum(nil))
		g.people[g.digest] = struct{}{}
	}
	return g.digest
}

// link links an individual to the n-gram of g.gram, and returns its position.
func (g *Graph) link(digest uint64) uint32 {
	i, ok := g.index[string(g.gram)]
	if !ok {
		i = uint32(len(g.counts))
		g.index[string(g.gram)] = i
		g.counts = append(g.counts, 0)
		g.users = append(g.users, 0)
		for range g.opts.K - 1 {
			g.digests = append(g.digests, 0)
		}
	}
	if g.counts[i] < math.MaxUint32 {
		g.counts[i]++
	}
	digests, n := g.slots(i), g.users[i]
	if g.safe(i) || slices.Contains(digests[:n], digest) {
		return i
	}
	if int(n) < len(digests) {
		digests[n] = digest
	} else {
		clear(digests)
	}
	g.users[i]++
	return i
}

// safe reports whether K individuals use an n-gram.
func (g *Graph) safe(i uint32) bool { return int(g.users[i]) >= g.opts.K }

func (g *Graph) slots(i uint32) []uint64 {
	w := uint32(g.opts.K - 1)
	return g.digests[i*w : (i+1)*w]
}
