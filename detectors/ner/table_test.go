package ner

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A table finds the row of every feature that was added, and of no other.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.SliceOfDistinct(rapid.Uint32Min(2), func(h uint32) uint32 { return h }).Draw(t, "hashes")
		x := newTable(len(hashes))
		for i, h := range hashes {
			x.add(h, row{uint64(i) + 1})
		}
		for i, h := range hashes {
			if r, found := x.find(h); found == 0 || r[0] != uint64(i)+1 {
				t.Fatalf("feature %d has row %d (%x), want %d", h, r[0], found, i+1)
			}
		}
		for _, h := range rapid.SliceOf(rapid.Uint32Min(2)).Draw(t, "others") {
			if _, found := x.find(h); found != 0 && !slices.Contains(hashes, h) {
				t.Fatalf("feature %d was not added and has a row", h)
			}
		}
	})
}
