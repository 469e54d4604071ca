package wordhash

import (
	"hash/fnv"
	"testing"

	"pgregory.net/rapid"
)

func TestHashIsFNV1a(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.String().Draw(t, "word")
		cut := rapid.IntRange(0, len(word)).Draw(t, "cut")
		h := fnv.New64a()
		h.Write([]byte(word))
		want := h.Sum64()
		if String(word) != want || Bytes([]byte(word)) != want {
			t.Fatalf("String %x, Bytes %x, want %x", String(word), Bytes([]byte(word)), want)
		}
		if got := AddBytes(String(word[:cut]), []byte(word[cut:])); got != want {
			t.Fatalf("extended %x, want %x", got, want)
		}
	})
}

// A key must depend on the order of the words and on where one word ends.
func TestChainDistinguishesPhrases(t *testing.T) {
	key := func(words ...string) (h uint64) {
		for _, w := range words {
			h = Chain(h, String(w))
		}
		return h
	}
	seen := map[uint64][]string{}
	for _, p := range [][]string{{"a"}, {"a", "b"}, {"b", "a"}, {"ab"}, {"a", "a"}, {"a", "a", "a"}, {"a", "b", "c"}, {"ab", "c"}} {
		if other, ok := seen[key(p...)]; ok {
			t.Errorf("%v and %v have the same key", p, other)
		}
		seen[key(p...)] = p
	}
}
