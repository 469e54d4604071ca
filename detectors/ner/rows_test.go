package ner

import (
	"math/rand/v2"
	"testing"

	"sotto/detectors/ner/internal/sequence"
)

// Rows add up to the same bits on every processor, also where buckets are full and a feature has the hash
// of free places.
func TestRowsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, 2, 30, 3000} {
		x := newTable(rows)
		if rows == 30 { // only one free place
			x.buckets = x.buckets[:rows/3+1]
		}
		hashes := []uint32{0}
		for len(hashes) < rows {
			hashes = append(hashes, rng.Uint32())
		}
		m := &Model{asked: make([]row, 64), askedShift: 32 - 6, askedScale: 0.03}
		for i := range m.asked {
			m.asked[i] = anyRow(rng)
		}
		for _, h := range hashes[:rows] {
			x.add(h, anyRow(rng))
		}
		for n := range maxAdded + 1 {
			features := make([]uint32, n)
			for i := range features {
				if features[i] = rng.Uint32(); rng.IntN(4) > 0 {
					features[i] = hashes[rng.IntN(len(hashes))]
				}
			}
			var got, want sequence.Vector
			for y := 1; y < sequence.NumLabels; y++ {
				got[y] = rng.Float32() - 0.5
			}
			want = got
			x.fetch(features)
			x.addRows(features, 0.02, &got)
			addRowsPortable(&x, features, 0.02, &want)
			m.fetchAsked(features)
			m.addAsked(features, &got)
			addAskedPortable(m.asked, m.askedShift, features, m.askedScale, &want)
			if got != want {
				t.Fatalf("%d features of %d rows: %v, want %v", n, rows, got, want)
			}
		}
	}
}

// anyRow is a row of any weights, the largest ones included.
func anyRow(rng *rand.Rand) row {
	r := noWeights
	for y := 1; y < sequence.NumLabels; y++ {
		r.setWeight(y, byte(128-128*rng.IntN(2)+rng.IntN(128)))
	}
	return r
}
