package tagger

import "sotto/detectors/ner/sequence"

const meanEvery = 2000

// mean is a mean of weights: of several runs, or over the pass after pruning, which does better on new
// calls than the last weights do (Polyak, Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992).
type mean struct {
	n           float32
	rows        []vector
	transitions sequence.Transitions
}

func newMean(rows int) *mean { return &mean{rows: make([]vector, rows)} }

func (m *mean) add(t *trainer) {
	m.n++
	for i := range m.rows {
		addTo(&m.rows[i], &t.rows[i])
	}
	for i := range m.transitions {
		addTo((*vector)(&m.transitions[i]), (*vector)(&t.transitions[i]))
	}
}

// store makes the mean of the weights that were added the weights of the trainer.
func (m *mean) store(t *trainer) {
	for i := range m.rows {
		divide(&t.rows[i], &m.rows[i], m.n)
	}
	for i := range m.transitions {
		divide((*vector)(&t.transitions[i]), (*vector)(&m.transitions[i]), m.n)
	}
	t.factors = sequence.NewFactors(&t.transitions)
}

func addTo(sum, x *vector) {
	for k := range sum {
		sum[k] += x[k]
	}
}

func divide(to, sum *vector, n float32) {
	for k := range to {
		to[k] = sum[k] / n
	}
}
