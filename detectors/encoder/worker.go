package encoder

import (
	"sotto/detectors/encoder/kernel"
)

// worker computes for one goroutine at a time.
type worker struct {
	model *Model
	whole *cache // for finished readings
	scratch
}

func (m *Model) newWorker() worker { return worker{model: m, scratch: newScratch(&m.header)} }

// callBytes is how much memory the keys and values of a call take.
func (m *Model) callBytes() int {
	return 2 * m.header.Layers * m.header.Window * (m.header.width() + 4*m.header.Heads)
}

// blockRows is how many pieces go through a layer at once: what is computed between its products stays
// in the second cache of a processor.
const blockRows = 36

// scratch is the memory of a computation.
type scratch struct {
	x           []float32 // of all pieces of a window
	q           []int16   // their queries
	queryScales []float32
	sums        []int32
	a           []int16 // what a product reads
	y           []float32
	scales      []float32
	attention   []int32 // scores, and what they weigh
	weights     []int16
	powers      []float32
	heads       []float32
	ones, zeros []float32
	words       []float32 // what roles read of the pieces
	pieces      []piece
	product     kernel.Product // not on the stack, because its form is called by address
}

func newScratch(h *header) scratch {
	w, widest := h.width(), max(3*h.width(), h.Inner)
	s := scratch{
		x: make([]float32, h.Window*w), q: make([]int16, h.Window*w), queryScales: make([]float32, h.Window*h.Heads),
		sums: make([]int32, blockRows*widest), a: make([]int16, blockRows*widest), y: make([]float32, blockRows*widest),
		scales: make([]float32, blockRows), attention: make([]int32, blockRows*max(h.Window, headWidth)),
		weights: make([]int16, blockRows*h.Window), powers: make([]float32, blockRows*(h.Window+1)), heads: make([]float32, 3*h.Heads),
		words: make([]float32, h.Window*rolesRows),
		ones:  make([]float32, headWidth), zeros: make([]float32, headWidth),
	}
	for i := range s.ones {
		s.ones[i] = 1
	}
	return s
}

// compute reads the pieces of a window from a place on, of which the keys and values before that place are
// in the cache. A piece sees all pieces up to the end of its turn, or the whole window. The rows of x have
// the states of the pieces from that place on behind so many layers; those before the place asked may be unfinished.
func (k *worker) compute(c *cache, window []piece, from, asked int, whole bool, layers int) {
	n, w, last := len(window)-from, k.model.header.width(), layers-1
	for i, p := range window[from:] {
		k.embed(k.x[i*w:(i+1)*w], p, from+i)
	}
	for i := range layers {
		for row := 0; row < n; row += blockRows {
			k.project(c, i, row, min(row+blockRows, n), from)
		}
		row := 0
		if i == last { // of others, the keys and values are enough
			row = max(0, asked-from)
		}
		for row < n {
			end, seen := min(row+blockRows, n), len(window)
			if !whole {
				seen = turnEnd(window, from+row)
				end = min(end, seen-from)
			}
			k.attend(c, i, row, end, seen)
			row = end
		}
	}
}

// turnStart returns where the turn of a piece begins in a window.
func turnStart(window []piece, at int) int {
	for at > 0 && window[at-1].turn == window[at].turn {
		at--
	}
	return at
}

// turnEnd returns where the turn of a piece ends.
func turnEnd(window []piece, at int) int {
	end := at + 1
	for end < len(window) && window[end].turn == window[at].turn {
		end++
	}
	return end
}

// embed sets x to the sum of what a piece is known by.
func (k *worker) embed(x []float32, p piece, position int) {
	m, w := k.model, len(x)
	word, place := m.words.values[int(p.id)*w:][:w], m.positions.values[position*w:][:w]
	shape, speaker := m.shape[int(p.shape)*w:][:w], m.speaker[int(p.speaker)*w:][:w]
	wordScale, placeScale := m.words.scales[p.id], m.positions.scales[position]
	for i := range x {
		x[i] = float32(float32(int8(word[i]))*wordScale) + float32(float32(int8(place[i]))*placeScale) + shape[i] + speaker[i]
	}
	kernel.Norm(x, m.gain, m.shift)
}

// rows sets a to integers that stand for rows of x, each n numbers, and scales to what a step is.
func (k *worker) rows(x []float32, n int) {
	kernel.Quantize(k.a, k.scales[:len(x)/n], x)
}

// multiply sets sums to the products of so many rows of a with a matrix.
func (k *worker) multiply(l *linear, rows int) {
	k.product = kernel.Product{Rows: rows, Depth: l.depth, Panels: len(l.scales) / kernel.Panel, A: k.a, Step: l.depth,
		B: l.columns, Sums: k.sums}
	k.product.Mul()
}

// project computes the queries, keys and values of rows of x.
func (k *worker) project(c *cache, layer, row, end, from int) {
	l, w := &k.model.layers[layer], k.model.header.width()
	k.rows(k.x[row*w:end*w], w)
	if r := k.model.roles; r != nil && r.Layers == layer {
		k.readWords(row, end)
	}
	k.multiply(&l.in, end-row)
	heads := k.model.header.Heads
	y, q := k.y[:3*w], k.a[:3*w] // the products have read a
	for i := row; i < end; i++ {
		kernel.Scale(y, k.sums[(i-row)*3*w:], l.in.scales, k.scales[i-row], l.in.bias)
		kernel.Quantize(q, k.heads, y)
		copy(k.q[i*w:], q[:w])
		copy(k.queryScales[i*heads:], k.heads[:heads])
		c.put(layer, from+i, q[w:2*w], q[2*w:], k.heads[heads:2*heads], k.heads[2*heads:])
	}
}

// attend computes what is behind the keys and values for rows of x that see the same positions.
func (k *worker) attend(c *cache, layer, row, end, seen int) {
	l, w, n := &k.model.layers[layer], k.model.header.width(), end-row
	y := k.y[:n*w]
	for head := range k.model.header.Heads {
		k.attendHead(c, layer, head, row, end, seen, y)
	}
	x := k.x[row*w : end*w]
	k.rows(y, w)
	k.multiply(&l.out, n)
	k.addRows(x, &l.out, l.gain, l.shift)

	k.rows(x, w)
	k.multiply(&l.inner, n)
	inner := k.model.header.Inner
	y = k.y[:n*inner]
	for i := range n {
		kernel.Gelu(y[i*inner:(i+1)*inner], k.sums[i*inner:], l.inner.scales, k.scales[i], l.inner.bias)
	}
	k.rows(y, inner)
	k.multiply(&l.outer, n)
	k.addRows(x, &l.outer, l.innerGain, l.innerShift)
}

// addRows adds what the sums stand for to rows of x, and normalizes them.
func (k *worker) addRows(x []float32, l *linear, gain, shift []float32) {
	w := len(gain)
	for i := range len(x) / w {
		row := x[i*w : (i+1)*w]
		kernel.Add(row, k.sums[i*w:], l.scales, k.scales[i], l.bias)
		kernel.Norm(row, gain, shift)
	}
}

// attendHead sets the part of a head in rows of y to the values of the positions that they see, weighed.
func (k *worker) attendHead(c *cache, layer, head, row, end, seen int, y []float32) {
	n, w, heads := end-row, k.model.header.width(), k.model.header.Heads
	keys, values, keyScales, valueScales := c.of(layer, head)
	padded := (seen + kernel.Panel - 1) / kernel.Panel * kernel.Panel
	k.product = kernel.Product{Rows: n, Depth: headWidth, Panels: padded / kernel.Panel, A: k.q[row*w+head*headWidth:], Step: w,
		B: keys, Sums: k.attention}
	k.product.Mul()
	scales := k.scales[:n]
	for i := range scales {
		scales[i] = k.queryScales[(row+i)*heads+head]
	}
	kernel.Softmax(k.weights, scales, k.powers, k.attention, keyScales, valueScales, seen)
	k.product = kernel.Product{Rows: n, Depth: padded, Panels: headWidth / kernel.Panel, A: k.weights, Step: padded,
		B: values, Sums: k.attention}
	k.product.MulWide()
	for i := range n {
		kernel.Scale(y[i*w+head*headWidth:][:headWidth], k.attention[i*headWidth:], k.ones, k.scales[i], k.zeros)
	}
}
