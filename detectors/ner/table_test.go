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
			x.add(h, row{uint64(i) + 1, 128 << 56})
		}
		look := func(h uint32) (value uint64, found bool) {
			var s lanes
			s.add(&x, []uint32{h})
			return s.a | s.b<<8, s.d>>48 == 128
		}
		for i, h := range hashes {
			if value, found := look(h); !found || value != uint64(i)+1 {
				t.Fatalf("feature %d has row %d (%v), want %d", h, value, found, i+1)
			}
		}
		if known := x.known(slices.Clone(hashes)); !slices.Equal(known, hashes) {
			t.Fatalf("of %d features with a row, %d pass the filter", len(hashes), len(known))
		}
		for _, h := range rapid.SliceOf(rapid.Uint32Min(2)).Draw(t, "others") {
			if _, found := look(h); found && !slices.Contains(hashes, h) {
				t.Fatalf("feature %d was not added and has a row", h)
			}
		}
	})
}
