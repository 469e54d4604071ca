// Package wordhash hashes folded words with FNV-1a (64 bits). Every table that is keyed by a word
// uses it, so that the hash that the tokenizer computes while it reads a word finds the word in all
// of them.
//
// The hash only spreads words over tables. It offers no protection against a reader who wants to
// recover the word, so it must not appear in any output.
package wordhash

const (
	// Offset is the hash of the empty word, from which Add continues.
	Offset uint64 = 14695981039346656037
	prime  uint64 = 1099511628211
)

// String returns the hash of a folded word.
func String(word string) uint64 {
	h := Offset
	for i := range len(word) {
		h = Add(h, word[i])
	}
	return h
}

// Bytes returns the hash of a folded word. It equals String(string(word)).
func Bytes(word []byte) uint64 { return AddBytes(Offset, word) }

// Add returns the hash of a word that was extended by one byte.
func Add(h uint64, c byte) uint64 { return (h ^ uint64(c)) * prime }

// AddBytes returns the hash of a word that was extended by more bytes.
func AddBytes(h uint64, more []byte) uint64 {
	for _, c := range more {
		h = Add(h, c)
	}
	return h
}

// Chain returns the key of a phrase: that of its words so far, extended by the hash of the next
// word. The key of no words is 0.
func Chain(phrase, word uint64) uint64 { return (phrase*prime ^ word) * 0x9e3779b97f4a7c15 }
