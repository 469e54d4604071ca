package wordlist

import "sotto/internal/wordhash"

// Set is an immutable set of words, by the hash of their folded text, which is detectors.Token.Hash.
// Numbers and punctuation marks have no Hash there, so a set never contains them.
type Set struct{ words wordhash.Table[struct{}] }

// NewSet makes a set of folded words.
func NewSet(words ...string) Set {
	hashes := make(map[uint64]struct{}, len(words))
	for _, w := range words {
		hashes[wordhash.String(w)] = struct{}{}
	}
	return Set{wordhash.NewTable(hashes)}
}

// Has reports whether the word with this hash is in the set. The hash 0, of a token that is not a
// word, never is.
func (s Set) Has(hash uint64) bool { return s.words.Get(hash) != nil }
