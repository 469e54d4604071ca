package crf

import "math"

// Transitions are the weights of label b after label a. Those that may not
// follow each other do not count.
type Transitions [NumLabels][NumLabels]float32

// Start is the label that what comes before a text has.
const Start = Outside

// Vector has a value for each label.
type Vector [NumLabels]float32

// ForwardBackward computes the probabilities of the labels of a text. It keeps its
// memory between texts and is not safe for concurrent use.
type ForwardBackward struct {
	// Scores are the weights of the labels of each word, before Run.
	Scores []Vector
	// Marginals are their probabilities, after Run.
	Marginals []Vector
	// LogZ is the logarithm of the sum over all that was allowed.
	LogZ float64

	emit, alpha []Vector
	norm        []float32
}

// Factors are exponentials of transitions, by the later label: Factors[b][a].
type Factors [NumLabels]Vector

// NewFactors takes the exponentials of t; what may not follow is 0.
func NewFactors(t *Transitions) *Factors {
	f := new(Factors)
	for a := range Label(NumLabels) {
		for b := range Label(NumLabels) {
			if CanFollow(a, b) {
				f[b][a] = float32(math.Exp(float64(t[a][b])))
			}
		}
	}
	return f
}

// Reset makes room for n words.
func (c *ForwardBackward) Reset(n int) {
	if cap(c.Scores) < n {
		room := max(n, 2*cap(c.Scores), 64)
		c.Scores, c.Marginals = make([]Vector, room), make([]Vector, room)
		c.emit, c.alpha, c.norm = make([]Vector, room), make([]Vector, room), make([]float32, room)
	}
	c.Scores, c.Marginals = c.Scores[:n], c.Marginals[:n]
	c.emit, c.alpha, c.norm = c.emit[:n], c.alpha[:n], c.norm[:n]
}

// Run computes Marginals and LogZ from Scores. allowed, if not nil, has the
// labels that each word may have; edges, if not nil, takes the sum of the
// probabilities of each pair of labels, the start's included.
func (c *ForwardBackward) Run(f *Factors, allowed []Set, edges *Transitions) {
	c.LogZ = 0
	previous := Vector{Start: 1}
	for i := range c.Scores {
		top := c.Scores[i][0]
		for _, s := range c.Scores[i][1:] {
			top = max(top, s)
		}
		e := &c.emit[i]
		for y := range e {
			e[y] = exp(c.Scores[i][y] - top)
			if allowed != nil && !allowed[i].Has(Label(y)) {
				e[y] = 0
			}
		}
		a := &c.alpha[i]
		sum := float32(0)
		for b := range a {
			a[b] = e[b] * dot(&f[b], &previous)
			sum += a[b]
		}
		if sum < math.SmallestNonzeroFloat32*1e8 {
			// Nothing allowed has any weight left: take all as equal.
			for b := range a {
				a[b] = 1
			}
			sum = NumLabels
		}
		scale := 1 / sum
		for b := range a {
			a[b] *= scale
		}
		c.norm[i] = scale
		if allowed != nil || edges != nil {
			c.LogZ += math.Log(float64(sum)) + float64(top)
		}
		previous = *a
	}
	c.backward(f, edges)
}

func (c *ForwardBackward) backward(f *Factors, edges *Transitions) {
	beta := Vector{}
	for y := range beta {
		beta[y] = 1
	}
	for i := len(c.Scores) - 1; i >= 0; i-- {
		a, m := &c.alpha[i], &c.Marginals[i]
		sum := float32(0)
		for y := range m {
			m[y] = a[y] * beta[y]
			sum += m[y]
		}
		if sum > 0 {
			scale := 1 / sum
			for y := range m {
				m[y] *= scale
			}
		}
		before := Vector{Start: 1}
		if i > 0 {
			before = c.alpha[i-1]
		}
		next := Vector{}
		e, scale := &c.emit[i], c.norm[i]
		for b := range beta {
			w := e[b] * beta[b] * scale
			if w == 0 {
				continue
			}
			for a, x := range &f[b] {
				p := x * w
				next[a] += p
				if edges != nil {
					edges[a][b] += p * before[a]
				}
			}
		}
		beta = next
	}
}

func dot(a, b *Vector) float32 {
	s := float32(0)
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// exp is e to the x for x not above 0, to some four digits: 2 to the whole part
// by the exponent bits, 2 to the fraction by a polynomial.
func exp(x float32) float32 {
	if x < -80 {
		return 0
	}
	y := x * math.Log2E
	n := float32(int32(y))
	if n > y {
		n--
	}
	r := y - n
	p := 1 + r*(0.6931472+r*(0.2402265+r*(0.05550411+r*(0.009618129+r*0.0013333558))))
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}
