package ner

import "sotto/detectors/ner/sequence"

// Model is a trained tagger. It is immutable and safe for concurrent use.
type Model struct {
	table table
	// scale is the weight of one step of a byte.
	scale   float32
	factors *sequence.Factors

	asked      []row
	askedShift uint8
	askedScale float32
	// askedBase is how often any turn is answered with each kind.
	askedBias, askedBase [sequence.NumKinds]float32
	coarse               *coarse

	vocabulary sequence.Vocabulary
	curves     [sequence.NumKinds]Curve
	digest     []byte
}

// Digest is a hash of the model file.
func (m *Model) Digest() []byte { return m.digest }

// Weights are the parts of a model as training makes them.
type Weights struct {
	// Rows and Asked have a power of two of rows: the weights of the labels 1 to 15, and of the
	// kinds 1 to 14 that a turn asks for.
	Rows, Asked [][sequence.NumLabels]float32
	// Keys are the hashes of the features of Rows.
	Keys      []uint32
	AskedBias [sequence.NumKinds]float32
	// AskedBase is the share of turns that are answered with each kind.
	AskedBase [sequence.NumKinds]float32
	// Coarse are the 1<<CoarseBits weights of the coarse model, CoarseBias its bias.
	Coarse      []float32
	CoarseBias  float32
	Transitions sequence.Transitions
	Vocabulary  sequence.Vocabulary
	Curves      [sequence.NumKinds]Curve
}

func log2(n int) (bits uint8) {
	for 1<<bits < n {
		bits++
	}
	return bits
}

// maxWeight is the largest weight; larger ones are stored as this one.
const maxWeight = 4

func quantize(weights [][sequence.NumLabels]float32) ([]row, float32) {
	top := float32(0)
	for i := range weights {
		for _, x := range weights[i][1:] {
			top = max(top, x, -x)
		}
	}
	scale := min(max(top, 1e-3), maxWeight) / 127
	rows := make([]row, len(weights))
	for i := range weights {
		rows[i] = noWeights
		for y := 1; y < sequence.NumLabels; y++ {
			x := weights[i][y] / scale
			rows[i].setWeight(y, byte(min(max(x, -127), 127)+128.5))
		}
	}
	return rows, scale
}
