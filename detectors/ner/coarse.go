package ner

import "sotto/detectors/ner/sequence"

// coarse is the coarse model: a weight for each hashed feature.
type coarse struct {
	weights [1 << sequence.CoarseBits]int8
	scale   float32
	bias    float32
}

// sum adds up the weights of features.
func (c *coarse) sum(features []uint32) float32 {
	n := int32(0)
	for _, f := range features {
		n += int32(c.weights[f>>(32-sequence.CoarseBits)])
	}
	return float32(float32(n) * c.scale)
}

// coarseStep divides all weights: 63 values find as much as 255 and take a third less room in the file.
const coarseStep = 4

// newCoarse quantizes weights.
func newCoarse(weights []float32, bias float32) *coarse {
	c := &coarse{bias: bias}
	top := float32(0)
	for _, x := range weights {
		top = max(top, x, -x)
	}
	c.scale = max(top, 1e-3) / 127
	for i, x := range weights {
		q := int(x/c.scale+127.5) - 127
		c.weights[i] = int8(min((q+coarseStep/2)&^(coarseStep-1), 128-coarseStep))
	}
	return c
}
