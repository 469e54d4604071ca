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
			if r := x.find(h); r == nil || r[0] != uint64(i)+1 {
				t.Fatalf("feature %d has row %v, want %d", h, r, i+1)
			}
		}
		if known := x.known(slices.Clone(hashes)); !slices.Equal(known, hashes) {
			t.Fatalf("%d of %d features may be known", len(known), len(hashes))
		}
		for _, h := range rapid.SliceOf(rapid.Uint32Min(2)).Draw(t, "others") {
			if r := x.find(h); r != nil && !slices.Contains(hashes, h) {
				t.Fatalf("feature %d was not added and has row %v", h, r)
			}
		}
	})
}
