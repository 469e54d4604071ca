package train

import (
	"fmt"
	"math"

	"sotto/detectors/ner/internal/sequence"
)

const (
	// leastFeature is how often a feature must occur to be trained, leastWeight how large a weight
	// it must get to be part of the model.
	leastFeature, leastWeight = 3, 0.3
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
	t.rows, t.squares = make([]vector, len(t.keys)), make([]vector, len(t.keys))
}

// countFeatures counts the features of a text, and numbers those that were seen often enough.
func (t *trainer) countFeatures(c *sequence.Context) {
	for i := range t.reader.Elements {
		for _, x := range t.featuresOf(i, c) {
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

// prune leaves out the features whose weights hardly matter, unless there are few.
func (t *trainer) prune() {
	if len(t.rows) <= smallModel {
		return
	}
	n := 0
	for i := range t.rows {
		top := float32(0)
		for _, w := range t.rows[i][1:] {
			top = max(top, w, -w)
		}
		if top >= leastWeight {
			t.rows[n], t.keys[n] = t.rows[i], t.keys[i]
			n++
		}
	}
	fmt.Fprintf(t.Progress, "%d of %d features are kept\n", n, len(t.rows))
	t.rows, t.keys = t.rows[:n], t.keys[:n]
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
