package tagger

import (
	"fmt"
	"math"

	"sotto/detectors/ner/sequence"
)

const (
	// leastFeature is how often a feature must occur to be trained, leastWeight how much it must
	// speak for some label, against Outside, to be part of the model.
	leastFeature, leastWeight = 3, 0.25
	// smallModel is the number of features up to which all are kept.
	smallModel = 400_000
	// maxFeatures bounds the features that are trained; sketchBits is the logarithm of the
	// counters of the first pass.
	maxFeatures = 12_000_000
	sketchBits  = 28
)

// numberFeatures numbers the features that occur often enough in one pass.
func (t *trainer) numberFeatures() {
	t.index, t.sketch = sequence.NewIndex(maxFeatures), make([]uint8, 1<<sketchBits)
	t.pass()
	t.sketch, t.steps = nil, 0
	t.rows = make([]vector, len(t.keys))
}

// countFeatures counts the features of a text, and numbers those that were seen often enough.
func (t *trainer) countFeatures() {
	for i, open := range t.open {
		if !open {
			continue
		}
		for _, x := range t.featuresOf(i) {
			n := &t.sketch[x>>(32-sketchBits)]
			if *n == math.MaxUint8 {
				continue
			}
			if *n++; *n == leastFeature && t.index.Len < maxFeatures {
				if t.index.Add(x) == int32(len(t.keys)) {
					t.keys = append(t.keys, x)
				}
			}
		}
	}
}

// prune leaves out the features whose weights hardly matter, unless there are few, and reports whether
// it did. The others must then make up for what is missing.
func (t *trainer) prune() bool {
	if len(t.rows) <= smallModel {
		return false
	}
	n := 0
	for i := range t.rows {
		top, outside := float32(0), t.rows[i][sequence.Outside]
		for _, w := range t.rows[i] {
			top = max(top, w-outside, outside-w)
		}
		if top >= leastWeight {
			t.rows[n], t.squares[n], t.keys[n] = t.rows[i], t.squares[i], t.keys[i]
			n++
		}
	}
	fmt.Fprintf(t.Progress, "%d of %d features are kept\n", n, len(t.rows))
	t.rows, t.squares, t.keys = t.rows[:n], t.squares[:n], t.keys[:n]
	t.index = sequence.NewIndex(n)
	for _, k := range t.keys {
		t.index.Add(k)
	}
	return true
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
