package encoder

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// trained cuts a call into windows as the training does, step by step as it is written there. Windows are
// lists of numbers of pieces; context is negative.
func trained(turns [][]int, size int) [][]int {
	var out [][]int
	var cur []int
	for _, t := range turns {
		for len(t) > size {
			if len(cur) > 0 {
				out = append(out, cur)
			}
			out, cur, t = append(out, t[:size]), nil, t[size:]
		}
		if len(cur)+len(t) > size {
			out = append(out, cur)
			var kept []int
			for i := len(cur) - 1; i >= 0 && len(kept) < size/3; i-- {
				kept = append(kept, -max(cur[i], -cur[i]))
			}
			slices.Reverse(kept)
			if cur = kept; len(cur)+len(t) > size {
				cur = nil
			}
		}
		cur = append(slices.Clip(cur), t...)
	}
	if len(cur) > 0 {
		out = append(out, cur)
	}
	return out
}

func TestWindowsAreThoseOfTheTraining(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		size, next := 48, 0
		var turns [][]int
		var got [][]int
		var window []piece
		keep := func(window []piece) {
			var numbers []int
			for _, p := range window {
				n := int(p.id)
				if p.word == none {
					n = -n
				}
				numbers = append(numbers, n)
			}
			got = append(got, numbers)
		}
		for i := range 1 + r.IntN(30) {
			var turn []int
			var pieces []piece
			n := 1 + r.IntN(20)
			if r.IntN(6) == 0 {
				n = 1 + r.IntN(150)
			}
			for range n {
				next++
				turn = append(turn, next)
				pieces = append(pieces, piece{id: uint16(next), turn: int32(i)})
			}
			turns = append(turns, turn)
			window = lay(window, pieces, size, keep)
		}
		keep(window)
		want := trained(turns, size)
		if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Fatalf("windows are %v, want %v", got, want)
		}
	}
}
