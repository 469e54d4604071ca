package encoder

import (
	"context"

	"sotto/detectors/encoder/kernel"
)

// windows computes the windows of a call, one after the other: each piece sees the whole window, or its own turn and earlier ones as
// in a call that goes on. each is called with a window when so many layers have computed its rows of x. The error is that of ctx, which is asked at
// each window.
func (k *worker) windows(ctx context.Context, turns []Turn, whole bool, layers int, each func(window []piece)) error {
	if k.whole == nil {
		k.whole = newCache(&k.model.header)
	}
	read := func(window []piece) {
		if ctx.Err() == nil {
			k.compute(k.whole, window, 0, 0, whole, layers)
			each(window)
		}
	}
	var window []piece
	for i := range turns {
		k.pieces = k.model.appendTurn(k.pieces[:0], &turns[i], int32(i))
		window = lay(window, k.pieces, k.model.header.Window, read)
	}
	if len(window) > 0 {
		read(window)
	}
	return ctx.Err()
}

// full sets a reading for each turn of a finished call.
func (k *worker) full(ctx context.Context, turns []Turn, readings []Reading) error {
	for i := range turns {
		readings[i].reset(k.model, len(turns[i].Words), nil)
	}
	return k.windows(ctx, turns, true, k.model.Layers(), func(window []piece) {
		for at := 0; at < len(window); at = turnEnd(window, at) {
			turn := window[at].turn
			k.label(window, 0, turn, &readings[turn])
		}
	})
}

// Reading has the probabilities of the labels of the words of a turn.
type Reading struct {
	labels int
	words  []float32
	begins []float32
	roles  *Roles // nil if the model does not tell them
	// seen has, for each word, what roles read of it.
	seen []float32
}

// Len is how many words a reading has.
func (r *Reading) Len() int { return len(r.begins) }

// Word returns the probabilities of the labels of a word. They add up to 1.
func (r *Reading) Word(i int) []float32 { return r.words[i*r.labels : (i+1)*r.labels] }

// Begins returns how probable it is that a word begins a value, if it belongs to one.
func (r *Reading) Begins(i int) float32 { return r.begins[i] }

func (r *Reading) reset(m *Model, words int, roles *roleReader) {
	r.labels = len(m.header.Labels)
	r.words = grown(r.words, words*r.labels)
	r.begins = grown(r.begins, words)
	if r.roles = nil; roles != nil {
		r.roles, r.seen = roles.Roles, grown(r.seen, words*rolesRows)
	}
}

// grown returns a slice of n zeros in the memory of another one, if they fit.
func grown(x []float32, n int) []float32 {
	if n > cap(x) {
		return make([]float32, n)
	}
	x = x[:n]
	clear(x)
	return x
}

// label computes the labels of the words of a turn in a window that was computed from a place on.
func (k *worker) label(window []piece, from int, turn int32, reading *Reading) {
	m, w := k.model, k.model.header.width()
	for i, p := range window[from:] {
		if p.turn != turn || p.word == none {
			continue
		}
		if reading.roles != nil {
			copy(reading.seen[int(p.word)*rolesRows:], k.words[i*rolesRows:(i+1)*rolesRows])
		}
		x, labels := k.x[i*w:(i+1)*w], reading.Word(int(p.word))
		for j := range labels {
			labels[j] = kernel.Dot(x, m.head.Weights[j*w:(j+1)*w]) + m.head.Bias[j]
		}
		softmax(labels)
		n := len(labels)
		reading.begins[p.word] = logistic(kernel.Dot(x, m.head.Weights[n*w:(n+1)*w]) + m.head.Bias[n])
	}
}

// log2e is the logarithm of e to base 2.
const log2e = 1.44269504

func softmax(x []float32) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	total := float32(0)
	for i, v := range x {
		x[i] = kernel.Exp2(float32((v - most) * log2e))
		total += x[i]
	}
	for i := range x {
		x[i] /= total
	}
}

func logistic(x float32) float32 {
	if x > 0 {
		return 1 / (1 + kernel.Exp2(float32(-x*log2e)))
	}
	e := kernel.Exp2(float32(x * log2e))
	return e / (1 + e)
}
