package sequence

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// sequences calls f with every allowed sequence of labels and its weight.
func sequences(scores []Vector, t *Transitions, allowed []LabelSet, f func(labels []Label, weight float64)) {
	labels := make([]Label, len(scores))
	var walk func(i int, last Label, sum float64)
	walk = func(i int, last Label, sum float64) {
		if i == len(scores) {
			f(labels, math.Exp(sum))
			return
		}
		for y := range Label(NumLabels) {
			if mayFollow(last, y) && allowed[i].Has(y) {
				labels[i] = y
				walk(i+1, y, sum+float64(scores[i][y])+float64(t[last][y]))
			}
		}
	}
	walk(0, Outside, 0)
}

// The code for this processor returns the same bits as the portable one.
func TestKernelsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vector := func(name string, low, high float32) (v Vector) {
			for i := range v {
				v[i] = rapid.Float32Range(low, high).Draw(t, name)
			}
			return v
		}
		var transitions Transitions
		for a := range transitions {
			transitions[a] = vector("transition", -30, 30)
		}
		f := NewFactors(&transitions)
		v, scores := vector("weight", 0, 1), vector("score", -60, 60)
		var got, want Vector
		f.into(&v, &got)
		intoPortable(f, &v, &want)
		if got != want {
			t.Fatalf("into: %v, portable %v", got, want)
		}
		f.from(&v, &got)
		fromPortable(f, &v, &want)
		if got != want {
			t.Fatalf("from: %v, portable %v", got, want)
		}
		if top, portable := emit(&scores, &got), emitPortable(&scores, &want); top != portable || got != want {
			t.Fatalf("emit: %v %v, portable %v %v", top, got, portable, want)
		}
	})
}

// The chain agrees with adding up all sequences.
func TestChainAgreesWithEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "n")
		weight := rapid.Float32Range(-4, 4)
		var transitions Transitions
		for a := range transitions {
			for b := range transitions[a] {
				transitions[a][b] = weight.Draw(t, "transition")
			}
		}
		var c Chain
		c.Reset(n)
		allowed := make([]LabelSet, n)
		for i := range n {
			// Outside is always allowed, so that some sequence is.
			allowed[i] = LabelSet(rapid.Uint16().Draw(t, "allowed")) | 1<<Outside
			for y := range c.Scores[i] {
				c.Scores[i][y] = weight.Draw(t, "score")
			}
		}
		sum := 0.0
		want := make([][NumLabels]float64, n)
		var wantEdges [NumLabels][NumLabels]float64
		sequences(c.Scores, &transitions, allowed, func(labels []Label, w float64) {
			sum += w
			last := Outside
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
					t.Fatalf("element %d, label %d: %v, want %v", i, y, c.Marginals[i][y], want[i][y]/sum)
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
	for x := float32(-39); x <= 0; x += 0.13 {
		if got, want := float64(Exp(x)), math.Exp(float64(x)); math.Abs(got-want) > 1e-4*want {
			t.Errorf("Exp(%v) is %v, want %v", x, got, want)
		}
	}
}

func TestLog(t *testing.T) {
	for x := float32(1e-30); x < 1e30; x *= 1.37 {
		if got, want := float64(Log(x)), math.Log(float64(x)); math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("Log(%v) is %v, want %v", x, got, want)
		}
	}
}

// An index finds exactly what was added.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.SliceOfDistinct(rapid.Uint32(), func(h uint32) uint32 { return h }).Draw(t, "hashes")
		x := NewIndex(len(hashes))
		model := map[uint32]int32{}
		for i, h := range hashes {
			model[h] = int32(i)
			if got := x.Add(h); got != int32(i) {
				t.Fatalf("feature %d has number %d", i, got)
			}
		}
		for _, h := range append(hashes, rapid.SliceOf(rapid.Uint32()).Draw(t, "others")...) {
			want, ok := model[h]
			if !ok {
				want = -1
			}
			if got := x.Get(h); got != want {
				t.Fatalf("feature %d: %d, want %d", h, got, want)
			}
		}
	})
}
