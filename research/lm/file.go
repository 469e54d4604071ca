package lm

import (
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"
)

// entry is an n-gram while a model is made.
type entry struct {
	key     uint64
	p, rest float64
}

// builder gathers a model.
type builder struct {
	list                                  []string
	unigrams, bigrams, trigrams, contexts []entry
}

// addContexts adds contexts that are no bigrams of their own.
func (b *builder) addContexts() {
	b.bigrams = append(b.bigrams, b.contexts...)
	slices.SortFunc(b.bigrams, func(x, y entry) int { return cmp.Compare(x.key, y.key) })
	for i := range b.bigrams {
		if b.bigrams[i].rest == 0 {
			b.bigrams[i].rest = 1 // nothing was seen after it
		}
	}
}

func (b *builder) bigram(u, v uint32) int {
	key := uint64(u)<<32 | uint64(v)
	i, ok := slices.BinarySearchFunc(b.bigrams, key, func(e entry, k uint64) int { return cmp.Compare(e.key, k) })
	if !ok {
		return -1
	}
	return i
}

// lower is the probability of the second word after the first.
func (b *builder) lower(g bigram) float64 {
	if i := b.bigram(g[0], g[1]); i >= 0 {
		return b.bigrams[i].p
	}
	return b.unigrams[g[0]].rest * b.unigrams[g[1]].p
}

// table has the n-grams of one length. A rest is the share that a context leaves to shorter contexts.
type table struct {
	Keys    []uint64 // in order; none for words, which are numbered
	P, Rest []float32
}

func newTable(entries []entry) (t table) {
	for _, e := range entries {
		t.Keys = append(t.Keys, e.key)
		t.P = append(t.P, float32(e.p))
		t.Rest = append(t.Rest, float32(e.rest))
	}
	return t
}

// find returns the position of a key, -1 if there is none.
func (t *table) find(key uint64) int {
	if i, ok := slices.BinarySearch(t.Keys, key); ok {
		return i
	}
	return -1
}

// valid reports whether a table of n entries can be looked up and has probabilities only.
func (t *table) valid(n int) bool {
	outside := func(p float32) bool { return !(p >= 0 && p <= 1) }
	return len(t.P) == n && len(t.Rest) == n && !slices.ContainsFunc(t.P, outside) && !slices.ContainsFunc(t.Rest, outside)
}

// stored is a model as its file has it.
type stored struct {
	Words []string
	// Calls are hashes of the IDs of the calls that the model was trained on.
	Calls                       []uint64
	Unigrams, Bigrams, Trigrams table // a key has both words, or the position of a bigram and a word
}

// Model is a language model. It is immutable and safe for concurrent use.
type Model struct {
	stored
	ids      map[string]uint32
	reverse  []uint64 // bigrams by their second word
	frequent []uint32
}

func newModel(s stored) *Model {
	m := &Model{stored: s, ids: make(map[string]uint32, len(s.Words))}
	for i, w := range s.Words {
		m.ids[w] = uint32(i)
	}
	for _, k := range s.Bigrams.Keys {
		m.reverse = append(m.reverse, k<<32|k>>32)
	}
	slices.Sort(m.reverse)
	m.frequent = m.mostFrequent(maxFrequent)
	return m
}

// Write writes the model as a file.
func (m *Model) Write(w io.Writer) error { return gob.NewEncoder(w).Encode(&m.stored) }

// Read reads a model that Write has written.
func Read(r io.Reader) (*Model, error) {
	var s stored
	if gob.NewDecoder(r).Decode(&s) != nil || len(s.Words) <= len(special) || !slices.Equal(s.Words[:len(special)], special) ||
		!s.Unigrams.valid(len(s.Words)) || !s.Bigrams.valid(len(s.Bigrams.Keys)) || !s.Trigrams.valid(len(s.Trigrams.Keys)) {
		return nil, errors.New("not a language model of 'sotto-research lm', or a damaged one")
	}
	return newModel(s), nil
}

// Open reads the model in a file.
func Open(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s is %w", path, err)
	}
	return m, nil
}

// Remember notes the IDs of the calls that the model was trained on.
func (m *Model) Remember(callIDs []string) {
	for _, id := range callIDs {
		m.Calls = append(m.Calls, hashOf(id))
	}
	slices.Sort(m.Calls)
}

// TrainedOn reports whether Remember has noted a call.
func (m *Model) TrainedOn(callID string) bool {
	_, ok := slices.BinarySearch(m.Calls, hashOf(callID))
	return ok
}

func hashOf(callID string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(callID))
	return h.Sum64()
}

// Vocabulary returns the words, special ones included.
func (m *Model) Vocabulary() []string { return slices.Clone(m.Words) }

// id returns the number of a word, unknown if it is not in the vocabulary.
func (m *Model) id(word string) uint32 { return m.ids[word] }
