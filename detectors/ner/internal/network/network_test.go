package network

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestDotsAreThoseOfThePortableCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rows := 8*rapid.IntRange(1, 40).Draw(t, "n"), 4*rapid.IntRange(1, 20).Draw(t, "rows")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x, w := make([]int16, n), make([]int16, n*rows)
		for i := range x {
			x[i] = int16(r.IntN(1<<16-1) - 1<<15 + 1)
		}
		for i := range w {
			w[i] = int16(r.IntN(1<<16-1) - 1<<15 + 1)
		}
		got, want := make([]int32, rows), make([]int32, rows)
		dots(got, w, x)
		dotsPortable(want, w, x)
		if !slices.Equal(got, want) {
			t.Fatalf("%d rows of %d: other products", rows, n)
		}
	})
}
