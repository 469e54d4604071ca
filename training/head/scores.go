package head

import (
	"math"

	"sotto/detectors/encoder"
	"sotto/detectors/encoder/kernel"
)

// scores computes what a last layer says of a word.
type scores struct {
	head encoder.Head
	p    []float32 // of the labels
	// out are labels that are out of the question, because the calls never use them. nil: none.
	out []bool
	x   []float32 // memory for an unpacked word
}

func newScores(m *encoder.Model) scores {
	return scores{head: m.Head(), p: make([]float32, len(m.Labels())), x: make([]float32, m.Width())}
}

// unpack returns what the last layer sees of a word. It is valid until the next call.
func (s *scores) unpack(w *word) []float32 {
	for i, v := range w.x {
		s.x[i] = float32(v) * w.scale
	}
	return s.x
}

// least is the score of a label that is ruled out.
const least = -100

// of returns the probabilities of the labels. They are valid until the next call.
func (s *scores) of(x []float32) []float32 {
	top := float32(math.Inf(-1))
	for y := range s.p {
		if s.p[y] = least; s.out == nil || !s.out[y] {
			s.p[y] = s.row(y, x)
		}
		top = max(top, s.p[y])
	}
	sum := float32(0)
	for y, v := range s.p {
		s.p[y] = kernel.Exp2(float32((v - top) * math.Log2E))
		sum += s.p[y]
	}
	for y := range s.p {
		s.p[y] /= sum
	}
	return s.p
}

// begins returns how probable it is that a value begins at the word.
func (s *scores) begins(x []float32) float32 {
	v := s.row(len(s.p), x)
	if e := kernel.Exp2(float32(-max(v, -v) * math.Log2E)); v < 0 {
		return e / (1 + e)
	} else {
		return 1 / (1 + e)
	}
}

// row is the product of a row with x, and its bias. Four sums are added up side by side.
func (s *scores) row(y int, x []float32) float32 {
	weights := s.head.Weights[y*len(x):][:len(x)]
	var sums [4]float32
	for i := 0; i+4 <= len(x); i += 4 {
		a, b := weights[i:i+4:i+4], x[i:i+4:i+4]
		sums[0] += float32(a[0] * b[0])
		sums[1] += float32(a[1] * b[1])
		sums[2] += float32(a[2] * b[2])
		sums[3] += float32(a[3] * b[3])
	}
	return sums[0] + sums[1] + sums[2] + sums[3] + s.head.Bias[y]
}

// most returns the likeliest label.
func most(p []float32) int {
	best := 0
	for y, v := range p {
		if v > p[best] {
			best = y
		}
	}
	return best
}
