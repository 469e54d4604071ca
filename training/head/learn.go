package head

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"sotto/detectors/encoder"
	"sotto/internal/gold"
)

// Options say how the last layer is trained.
type Options struct {
	// Passes is how often the calls are learned from at most.
	Passes int
	// Seed is that of the order of words.
	Seed uint64
	// Progress takes a line for each step.
	Progress io.Writer
}

// DefaultPasses are seldom all made: learning ends with the pass after which the calls that were held out are predicted worse.
const DefaultPasses = 12

const (
	// batch is how many words a step learns from.
	batch = 32
	// rate is the size of steps at the beginning; it falls to zero with the passes.
	rate = 3e-4
	// heldOut is which of so many calls only decides when to stop.
	heldOut = 8
	// decay is how strongly weights are drawn towards those of the model, so that what it knows of other calls stays.
	decay = 20
	// beginning is the weight of the loss for where a value begins, as in the training of the whole encoder.
	beginning = 0.1
)

// Report says how well the words of the calls that were held out are predicted: the mean loss of a word, in nats.
type Report struct {
	Learned, HeldOut int // calls
	Before, After    float64
}

// Train returns another last layer for a model: that of the model, moved by stochastic gradient descent (Adam; Kingma and Ba 2015) towards what the
// calls say, up to the pass that predicts the calls held out best. Every eighth call is held out. Where no pass is better than none,
// the layer is that of the model. Equal calls, in the same order, and equal options give an equal layer on every machine.
func Train(ctx context.Context, m *encoder.Model, calls []gold.Conversation, o Options) (encoder.Head, *Report, error) {
	var learn, check []gold.Conversation
	for i, c := range calls {
		if i%heldOut == heldOut-1 {
			check = append(check, c)
		} else {
			learn = append(learn, c)
		}
	}
	if len(check) == 0 {
		return encoder.Head{}, nil, fmt.Errorf("there are %d calls, and one of %d is held out; label more", len(calls), heldOut)
	}
	fmt.Fprintf(o.Progress, "reading %d calls\n", len(calls))
	labels := newLabels(m, learn)
	words, err := read(ctx, m, labels, learn)
	if err != nil {
		return encoder.Head{}, nil, err
	}
	held, err := read(ctx, m, labels, check)
	if err != nil {
		return encoder.Head{}, nil, err
	}
	if !hasValue(words) || !hasValue(held) {
		return encoder.Head{}, nil, errors.New("the calls have no labelled values to learn from, or those that are held out have none")
	}
	l := newLearner(m, labels, len(words), o)
	report := &Report{Learned: len(learn), HeldOut: len(check), Before: l.loss(held)}
	report.After = report.Before
	best := m.Head()
	fmt.Fprintf(o.Progress, "before: loss %.4f a word of the calls held out\n", report.Before)
	for pass := 1; pass <= o.Passes; pass++ {
		l.pass(words)
		loss := l.loss(held)
		fmt.Fprintf(o.Progress, "pass %d of %d: loss %.4f\n", pass, o.Passes, loss)
		if ctx.Err() != nil || loss >= report.After {
			break
		}
		report.After, best = loss, l.copied()
	}
	return best, report, ctx.Err()
}

func hasValue(words []word) bool {
	for i := range words {
		if words[i].label != 0 {
			return true
		}
	}
	return false
}

// learner has the layer that is learned, and the state of Adam.
type learner struct {
	scores
	start          encoder.Head
	order          *rand.Rand
	step, steps    float64
	gradient       []float32 // of the weights and, behind them, of the biases
	mean, variance []float32
}

func newLearner(m *encoder.Model, labels *labels, words int, o Options) *learner {
	l := &learner{scores: newScores(m), start: m.Head(), order: rand.New(rand.NewPCG(o.Seed, 1)), steps: float64(o.Passes) * math.Ceil(float64(words)/batch)}
	l.out = labels.unused
	n := len(l.head.Weights) + len(l.head.Bias)
	l.gradient, l.mean, l.variance = make([]float32, n), make([]float32, n), make([]float32, n)
	return l
}

func (l *learner) copied() encoder.Head {
	return encoder.Head{Weights: append([]float32(nil), l.head.Weights...), Bias: append([]float32(nil), l.head.Bias...)}
}

func (l *learner) pass(words []word) {
	order := l.order.Perm(len(words))
	for at := 0; at < len(order); at += batch {
		clear(l.gradient)
		total := float32(0)
		for _, i := range order[at:min(at+batch, len(order))] {
			l.learn(&words[i])
			total += words[i].weight
		}
		l.move(1 / total)
	}
}

// learn adds the gradient of the loss of a word.
func (l *learner) learn(w *word) {
	x := l.unpack(w)
	p := l.of(x)
	for y := range p {
		g := p[y]
		if y == int(w.label) {
			g--
		}
		l.add(y, float32(g*w.weight), x)
	}
	if w.label != 0 {
		l.add(len(p), float32((l.begins(x)-float32(w.begins))*beginning), x)
	}
}

// add adds the gradient of one row. Most labels are out of the question for most words.
func (l *learner) add(row int, g float32, x []float32) {
	if g > -1e-5 && g < 1e-5 {
		return
	}
	to := l.gradient[row*len(x):][:len(x)]
	for i, v := range x {
		to[i] += float32(g * v)
	}
	l.gradient[len(l.head.Weights)+row] += g
}

// move makes a step of Adam with the mean of the gradients of a batch.
func (l *learner) move(share float32) {
	const mean, variance, least = 0.9, 0.999, 1e-8
	l.step++
	size := rate * (1 - (l.step-1)/l.steps) * math.Sqrt(1-math.Pow(variance, l.step)) / (1 - math.Pow(mean, l.step))
	for i, sum := range l.gradient {
		g := float32(sum * share)
		l.mean[i] = float32(mean*l.mean[i]) + float32((1-mean)*g)
		l.variance[i] = float32(variance*l.variance[i]) + float32(float32((1-variance)*g)*g)
		by := float32(size) * l.mean[i] / (float32(math.Sqrt(float64(l.variance[i]))) + least)
		if n := len(l.head.Weights); i < n {
			l.head.Weights[i] = l.drawn(l.head.Weights[i]-by, l.start.Weights[i], float32(size))
		} else {
			l.head.Bias[i-n] = l.drawn(l.head.Bias[i-n]-by, l.start.Bias[i-n], float32(size))
		}
	}
}

// drawn draws a number towards what it was at the start (decoupled decay; Loshchilov and Hutter 2019).
func (l *learner) drawn(to, start, size float32) float32 {
	return to - float32(size*float32(decay*(to-start)))
}

// loss is the mean loss of words.
func (l *learner) loss(words []word) float64 {
	sum, total := 0.0, 0.0
	for i := range words {
		w := &words[i]
		p := l.of(l.unpack(w))
		sum -= float64(float64(w.weight) * math.Log(max(float64(p[w.label]), 1e-9)))
		total += float64(w.weight)
	}
	return sum / total
}
