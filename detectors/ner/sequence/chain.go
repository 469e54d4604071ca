package sequence

import "math"

// Vector has a value for each label.
type Vector [NumLabels]float32

// Transitions are the weights of label b after label a. Element [Outside][b] also holds for the
// first element.
type Transitions [NumLabels]Vector

// Factors are exponentials of transitions.
type Factors struct {
	// before has them by the later label, before[b][a], after by the earlier one, after[a][b].
	before, after matrix
}

type matrix [NumLabels]Vector

// mayFollow reports whether label b may follow label a: a person's name is continued only by a
// further word of it.
func mayFollow(a, b Label) bool { return b != InsidePerson || a == BeginPerson || a == InsidePerson }

func NewFactors(t *Transitions) *Factors {
	f := new(Factors)
	for a := range Label(NumLabels) {
		for b := range Label(NumLabels) {
			if mayFollow(a, b) {
				x := float32(math.Exp(float64(t[a][b])))
				f.before[b][a], f.after[a][b] = x, x
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
	// closed reports that an element is certainly Outside, so that all but one of its numbers are 0.
	closed []bool
}

// Reset makes room for n elements.
func (c *Chain) Reset(n int) {
	if cap(c.Scores) < n {
		m := max(n, 2*cap(c.Scores), 64)
		c.Scores, c.Marginals = make([]Vector, m), make([]Vector, m)
		c.emit, c.alpha, c.norm = make([]Vector, m), make([]Vector, m), make([]float32, m)
		c.closed = make([]bool, m)
	}
	c.Scores, c.Marginals = c.Scores[:n], c.Marginals[:n]
	c.emit, c.alpha, c.norm = c.emit[:n], c.alpha[:n], c.norm[:n]
	c.closed = c.closed[:n]
}

// Run computes marginals and logZ from scores. allowed, if not nil, has the labels that each
// element may have; edges, if not nil, receives the summed probabilities of each pair of adjacent
// labels, the start included.
//
// Most elements of a text may only be Outside. What is 0 for them is not computed, which changes no
// bit of the result.
func (c *Chain) Run(f *Factors, allowed []LabelSet, edges *Transitions) {
	c.LogZ = 0
	start := Vector{Outside: 1}
	previous, lone := &start, true
	for i := range c.Scores {
		closed := allowed != nil && allowed[i] == 1<<Outside
		e, a := &c.emit[i], &c.alpha[i]
		var top float32
		if closed {
			*e = Vector{Outside: 1}
			top = c.Scores[i][Outside]
		} else {
			top = emit(&c.Scores[i], e)
			if allowed != nil {
				forbid(e, allowed[i])
			}
		}
		sum := float32(0)
		switch {
		case closed:
			*a = Vector{Outside: fromTo(f, previous, Outside, lone)}
			sum = a[Outside]
		case lone:
			for b := range a {
				a[b] = float32(e[b] * (f.before[b][Outside] * previous[Outside]))
				sum += a[b]
			}
		default:
			f.into(previous, a)
			for b := range a {
				a[b] = float32(a[b] * e[b])
				sum += a[b]
			}
		}
		if sum < math.SmallestNonzeroFloat32*1e8 {
			// No allowed sequence has any weight left: take all as equal.
			for b := range a {
				a[b] = 1
			}
			sum, closed = float32(NumLabels), false
		}
		scale := 1 / sum
		if closed {
			a[Outside] *= scale
		} else {
			for b := range a {
				a[b] *= scale
			}
		}
		c.norm[i], c.closed[i] = scale, closed
		if edges != nil {
			c.LogZ += math.Log(float64(sum)) + float64(top)
		}
		previous, lone = a, closed
	}
	c.backward(f, edges)
}

// fromTo is the weight of all transitions to label b. lone means that all came from Outside.
func fromTo(f *Factors, previous *Vector, b Label, lone bool) float32 {
	if lone {
		return f.before[b][Outside] * previous[Outside]
	}
	return dot(&f.before[b], previous)
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
		c.marginals(i, &beta)
		switch {
		case edges != nil:
			before := &Vector{Outside: 1}
			if i > 0 {
				before = &c.alpha[i-1]
			}
			c.countEdges(f, i, &beta, before, edges)
			c.stepBack(f, i, &beta, false)
		case i > 0:
			c.stepBack(f, i, &beta, c.closed[i-1])
		}
	}
}

// marginals sets the probabilities of the labels of element i.
func (c *Chain) marginals(i int, beta *Vector) {
	a, m := &c.alpha[i], &c.Marginals[i]
	if c.closed[i] {
		*m = Vector{Outside: a[Outside] * beta[Outside]}
		if m[Outside] > 0 {
			m[Outside] *= 1 / m[Outside]
		}
		return
	}
	sum := float32(0)
	for y := range m {
		m[y] = float32(a[y] * beta[y])
		sum += m[y]
	}
	if sum > 0 {
		scale := 1 / sum
		for y := range m {
			m[y] *= scale
		}
	}
}

// noWeight is the weight below which what comes after a label does not count.
const noWeight = 1e-12

// stepBack makes beta of element i that of the element before. lone means that only what comes from
// Outside is needed of it.
func (c *Chain) stepBack(f *Factors, i int, beta *Vector, lone bool) {
	var next Vector
	e, scale := &c.emit[i], c.norm[i]
	if c.closed[i] {
		if w := e[Outside] * beta[Outside] * scale; !(w < noWeight) {
			if lone {
				next[Outside] = f.before[Outside][Outside] * w
			} else {
				for a, x := range &f.before[Outside] {
					next[a] = x * w
				}
			}
		}
		*beta = next
		return
	}
	var weights Vector
	for b := range beta {
		if w := e[b] * beta[b] * scale; !(w < noWeight) {
			weights[b] = w
		}
	}
	if !lone {
		f.from(&weights, beta)
		return
	}
	for b, w := range weights {
		next[Outside] += float32(f.before[b][Outside] * w)
	}
	*beta = next
}

// countEdges adds the probabilities of the pairs of labels of element i and the one before.
func (c *Chain) countEdges(f *Factors, i int, beta, before *Vector, edges *Transitions) {
	for b := range beta {
		w := c.emit[i][b] * beta[b] * c.norm[i]
		if w < noWeight {
			continue
		}
		for a, x := range &f.before[b] {
			edges[a][b] += float32(x * w * before[a])
		}
	}
}
