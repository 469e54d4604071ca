package sequence

import "math"

// Vector has a value for each label.
type Vector [NumLabels]float32

// Transitions are the weights of label b after label a. Element [Outside][b] also holds for the
// first element.
type Transitions [NumLabels]Vector

// Factors are exponentials of transitions, by the later label: Factors[b][a].
type Factors [NumLabels]Vector

// mayFollow reports whether label b may follow label a: a person's name is continued only by a
// further word of it.
func mayFollow(a, b Label) bool { return b != InsidePerson || a == BeginPerson || a == InsidePerson }

func NewFactors(t *Transitions) *Factors {
	f := new(Factors)
	for a := range Label(NumLabels) {
		for b := range Label(NumLabels) {
			if mayFollow(a, b) {
				f[b][a] = float32(math.Exp(float64(t[a][b])))
			}
		}
	}
	return f
}

// Chain computes the probabilities of the labels of a text by the forward-backward algorithm,
// scaled at every step (Rabiner, "A Tutorial on Hidden Markov Models", 1989). It keeps its memory
// between texts and is not safe for concurrent use.
type Chain struct {
	// Scores are the weights of the labels of each element, before run.
	Scores []Vector
	// Marginals are their probabilities, after run.
	Marginals []Vector
	// LogZ is the logarithm of the sum over all allowed label sequences; it is computed only if
	// run is given edges.
	LogZ float64

	emit, alpha []Vector
	norm        []float32
}

// Reset makes room for n elements.
func (c *Chain) Reset(n int) {
	if cap(c.Scores) < n {
		m := max(n, 2*cap(c.Scores), 64)
		c.Scores, c.Marginals = make([]Vector, m), make([]Vector, m)
		c.emit, c.alpha, c.norm = make([]Vector, m), make([]Vector, m), make([]float32, m)
	}
	c.Scores, c.Marginals = c.Scores[:n], c.Marginals[:n]
	c.emit, c.alpha, c.norm = c.emit[:n], c.alpha[:n], c.norm[:n]
}

// Run computes marginals and logZ from scores. allowed, if not nil, has the labels that each
// element may have; edges, if not nil, receives the summed probabilities of each pair of adjacent
// labels, the start included.
func (c *Chain) Run(f *Factors, allowed []LabelSet, edges *Transitions) {
	c.LogZ = 0
	previous := Vector{Outside: 1}
	for i := range c.Scores {
		e := &c.emit[i]
		var top float32
		if allowed != nil && allowed[i] == 1<<Outside {
			*e = Vector{Outside: 1}
			top = c.Scores[i][Outside]
		} else {
			top = emit(&c.Scores[i], e)
			if allowed != nil {
				forbid(e, allowed[i])
			}
		}
		a := &c.alpha[i]
		sum := float32(0)
		for b := range a {
			if e[b] == 0 {
				a[b] = 0
				continue
			}
			a[b] = e[b] * dot(&f[b], &previous)
			sum += a[b]
		}
		if sum < math.SmallestNonzeroFloat32*1e8 {
			// No allowed sequence has any weight left: take all as equal.
			for b := range a {
				a[b] = 1
			}
			sum = float32(NumLabels)
		}
		scale := 1 / sum
		for b := range a {
			a[b] *= scale
		}
		c.norm[i] = scale
		if edges != nil {
			c.LogZ += math.Log(float64(sum)) + float64(top)
		}
		previous = *a
	}
	c.backward(f, edges)
}

// emit sets e to the exponentials of the scores less the largest one, and returns that.
func emit(scores, e *Vector) float32 {
	top := scores[0]
	for _, s := range scores[1:] {
		top = max(top, s)
	}
	for y := range e {
		e[y] = exp(scores[y] - top)
	}
	return top
}

// forbid removes the labels that are not allowed.
func forbid(e *Vector, allowed LabelSet) {
	for y := range e {
		if !allowed.Has(Label(y)) {
			e[y] = 0
		}
	}
}

func (c *Chain) backward(f *Factors, edges *Transitions) {
	var beta Vector
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
		if i == 0 && edges == nil {
			return
		}
		before := Vector{Outside: 1}
		if i > 0 {
			before = c.alpha[i-1]
		}
		var next Vector
		e, scale := &c.emit[i], c.norm[i]
		for b := range beta {
			w := e[b] * beta[b] * scale
			if w < 1e-12 {
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
	s, t := float32(0), float32(0)
	for i := 0; i < NumLabels; i += 2 {
		s += a[i] * b[i]
		t += a[i+1] * b[i+1]
	}
	return s + t
}

// exp is e to the x for x not above 0, to four digits: two to the whole part by the exponent bits,
// two to the fraction by a polynomial.
func exp(x float32) float32 {
	if x < -40 {
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
