package estimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// One call in twenty is over the upper bound, if the missed pieces of calls are Poisson distributed.
func TestUpper(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, estimated := range []float64{2, 4, 9} {
		over := 0
		const calls = 20_000
		for range calls {
			// Pieces come at a constant rate over a time of one.
			score := 0.0
			for at := rng.ExpFloat64(); at < estimated/pieceScore; at += rng.ExpFloat64() {
				score += pieceScore
			}
			if score > Upper(estimated) {
				over++
			}
		}
		if share := float64(over) / calls; share < 0.01 || share > 0.09 {
			t.Errorf("estimate %v: %.2f of the calls are over %v", estimated, share, Upper(estimated))
		}
	}
	if Upper(0) != 0 {
		t.Errorf("the upper bound of nothing is %v", Upper(0))
	}
	const held, limit = 1.2, 5 // docs/residual-risk.md says so
	if upper := Upper(held); math.Abs(upper-limit) > 0.05 {
		t.Errorf("the upper bound of %v is %v", held, upper)
	}
}
