package crf

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// sequences calls f with every sequence of n labels and its weight.
func sequences(scores []Vector, t *Transitions, allowed []Set, f func(labels []Label, weight float64)) {
	labels := make([]Label, len(scores))
	var walk func(i int, last Label, sum float64)
	walk = func(i int, last Label, sum float64) {
		if i == len(scores) {
			f(labels, math.Exp(sum))
			return
		}
		for y := range Label(NumLabels) {
			if CanFollow(last, y) && allowed[i].Has(y) {
				labels[i] = y
				walk(i+1, y, sum+float64(scores[i][y])+float64(t[last][y]))
			}
		}
	}
	walk(0, Start, 0)
}

// The algorithm agrees with adding up all sequences.
func TestForwardBackwardAgreesWithEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		weight := rapid.Float32Range(-4, 4)
		var c ForwardBackward
		var transitions Transitions
		for a := range transitions {
			for b := range transitions[a] {
				transitions[a][b] = weight.Draw(t, "transition")
			}
		}
		c.Reset(n)
		allowed := make([]Set, n)
		for i := range n {
			// Outside is always allowed, so that some sequence is.
			allowed[i] = Set(rapid.Uint16Range(0, uint16(All)).Draw(t, "allowed")) | 1<<Outside
			for y := range c.Scores[i] {
				c.Scores[i][y] = weight.Draw(t, "score")
			}
		}
		sum := 0.0
		want := make([][NumLabels]float64, n)
		var wantEdges [NumLabels][NumLabels]float64
		sequences(c.Scores, &transitions, allowed, func(labels []Label, w float64) {
			sum += w
			last := Start
			for i, y := range labels {
				want[i][y] += w
				wantEdges[last][y] += w
				last = y
			}
		})
		var edges Transitions
		c.Run(NewFactors(&transitions), allowed, &edges)
		if math.Abs(c.LogZ-math.Log(sum)) > 1e-2 {
			t.Fatalf("LogZ is %v, want %v", c.LogZ, math.Log(sum))
		}
		for i := range n {
			for y := range want[i] {
				if math.Abs(float64(c.Marginals[i][y])-want[i][y]/sum) > 2e-3 {
					t.Fatalf("word %d, label %d: %v, want %v", i, y, c.Marginals[i][y], want[i][y]/sum)
				}
			}
		}
		for a := range edges {
			for b := range edges[a] {
				if math.Abs(float64(edges[a][b])-wantEdges[a][b]/sum) > 5e-3 {
					t.Fatalf("labels %d, %d: %v, want %v", a, b, edges[a][b], wantEdges[a][b]/sum)
				}
			}
		}
	})
}

func TestExp(t *testing.T) {
	for x := float32(-79); x <= 0; x += 0.13 {
		if got, want := float64(exp(x)), math.Exp(float64(x)); math.Abs(got-want) > 1e-4*want {
			t.Errorf("exp(%v) is %v, want %v", x, got, want)
		}
	}
}
