package tagger

import (
	"fmt"

	"sotto/detectors/ner"
	"sotto/detectors/ner/sequence"
	"sotto/internal/gold"
)

// coarse learns which words may be part of a value: a logistic regression with hashed features.
type coarse struct {
	weights, squares []float32
	bias             float32
}

func newCoarse() *coarse {
	return &coarse{weights: make([]float32, 1<<sequence.CoarseBits), squares: make([]float32, 1<<sequence.CoarseBits)}
}

const coarsePasses = 3

// coarseMargin is how much lower than in use the threshold is in training, where words that the
// model has nearly ruled out teach it more about those that it has not.
const coarseMargin = 1

// logOdds are the log odds that element i is part of a value.
func (q *coarse) logOdds(features []uint32) float32 {
	sum := q.bias
	for _, x := range features {
		sum += q.weights[x>>(32-sequence.CoarseBits)]
	}
	return sum
}

func (q *coarse) step(features []uint32, value bool, rate float32) {
	g := sequence.Sigmoid(q.logOdds(features))
	if value {
		g--
	}
	if g > -1e-4 && g < 1e-4 {
		return
	}
	q.bias -= float32(rate * 0.1 * g)
	for _, x := range features {
		k := x >> (32 - sequence.CoarseBits)
		q.squares[k] += float32(g * g)
		q.weights[k] -= rate * g / (0.01 + sqrt(q.squares[k]))
	}
}

// coarseFeatures returns the coarse features of element i, valid until the next call.
func (t *trainer) coarseFeatures(i int) []uint32 {
	t.scratch = t.reader.CoarseFeatures(i, t.scratch[:0])
	t.scratch = t.reader.CoarseContext(i, t.scratch)
	return t.scratch
}

// learnCoarse teaches the coarse models the turn that was read.
func (t *trainer) learnCoarse(half int) {
	rate := float32(0.1 / (1 + float64(t.coarsePass)))
	for i, set := range t.allowed {
		k, known := single(set)
		if !known {
			continue
		}
		f := t.coarseFeatures(i)
		value := k != sequence.None && k != sequence.Quantity
		t.coarse[whole].step(f, value, rate)
		t.coarse[half].step(f, value, rate)
	}
}

// narrow restricts the words that the coarse model rules out to the label that says so, if that is
// right.
func (t *trainer) narrow(half int) {
	t.open, t.fixed = t.open[:0], t.fixed[:0]
	for i, set := range t.allowed {
		open := !set.Has(sequence.Outside) || t.reader.IsOpen(i) ||
			t.coarse[1-half].logOdds(t.coarseFeatures(i)) >= ner.CoarseThreshold-coarseMargin
		t.open = append(t.open, open)
		labels := sequence.AnyLabel
		if !open {
			labels = 1 << sequence.Outside
		}
		t.fixed = append(t.fixed, labels)
	}
}

// reportCoarse writes how many words of held-out conversations the coarse model leaves open, and how
// many words of values it loses.
func (t *trainer) reportCoarse() {
	var words, open, values, lost int
	for _, s := range t.sets {
		for i := range s.check {
			t.eachTurn(&s.check[i], s.namesOnly, func(context *sequence.Context, _ *sequence.Turn) {
				t.reader.SetContext(context, &t.doc)
				for i, set := range t.allowed {
					kind, known := single(set)
					if !known {
						continue
					}
					isOpen := t.reader.IsOpen(i) || t.coarse[whole].logOdds(t.coarseFeatures(i)) >= ner.CoarseThreshold
					words++
					if isOpen {
						open++
					}
					if kind != sequence.None && kind != sequence.Quantity {
						values++
						if !isOpen {
							lost++
						}
					}
				}
			})
		}
	}
	fmt.Fprintf(t.Progress, "the coarse model leaves %.1f %% of the words open and loses %.2f %% of those of values\n",
		100*float64(open)/float64(max(words, 1)), 100*float64(lost)/float64(max(values, 1)))
}

// eachTurn reads the turns of a conversation, with its labels as their memory, and calls f after each.
func (t *trainer) eachTurn(c *gold.Conversation, namesOnly bool, f func(*sequence.Context, *sequence.Turn)) {
	m := newMemory()
	for i := range c.Utterances {
		u := &c.Utterances[i]
		t.read(u)
		t.allow(u, namesOnly)
		context := m.context(u.Speaker, i)
		turn := t.turnOf(c, u, m, i)
		f(&context, &turn)
		m.add(turn, t)
	}
}
