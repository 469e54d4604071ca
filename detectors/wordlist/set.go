package wordlist

import (
	"iter"

	"sotto/internal/wordhash"
)

// Set is an immutable set of words. The zero Set is empty.
//
// A word is found by the hash of its folded text, which is detectors.Token.Hash. Numbers and
// punctuation marks have no Hash there, so a set never contains them.
type Set struct {
	// slots is an open-addressing table of which at least three quarters are free (0).
	slots []uint64
}

// NewSet makes a set of folded words.
func NewSet(words ...string) Set {
	if len(words) == 0 {
		return Set{}
	}
	size := 4
	for size < 4*len(words) {
		size *= 2
	}
	s := Set{make([]uint64, size)}
	for _, w := range words {
		h := wordhash.String(w)
		i := h & uint64(size-1)
		for s.slots[i] != 0 && s.slots[i] != h {
			i = (i + 1) & uint64(size-1)
		}
		s.slots[i] = h
	}
	return s
}

// All returns the hashes of the words, in no particular order.
func (s Set) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, h := range s.slots {
			if h != 0 && !yield(h) {
				return
			}
		}
	}
}

// Has reports whether the word with this hash is in the set. The hash 0, of a token that is not a
// word, never is.
func (s Set) Has(hash uint64) bool {
	if len(s.slots) == 0 {
		return false
	}
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; s.slots[i&mask] != 0; i++ {
		if s.slots[i&mask] == hash {
			return true
		}
	}
	return false
}
