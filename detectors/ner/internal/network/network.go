// Package network runs small networks of dilated convolutions over the words of a text (Strubell and others,
// "Fast and Accurate Entity Recognition with Iterated Dilated Convolutions", 2017).
//
// A word is what is known of it, its facts. Each fact has a table of vectors; the vectors of a word are added
// up. Each layer adds to a word what it makes of that word and of one on either side, some words away.
//
// The arithmetic is that of integers, and that of probabilities is rounded in each step, so that every processor
// computes the same.
package network

import (
	"math"
	"slices"

	"sotto/detectors/ner/internal/sequence"
)

// The fixed-point numbers: an activation of 1 is 1 << activationBits, a weight of 1 is 1 << weightBits.
const (
	activationBits = 8
	weightBits     = 10
)

// A lane of a vector is above 0 and below 2*laneZero, so that maxRows of them can be added up.
const (
	laneZero = 1 << 10
	maxRows  = 1<<16/(2*laneZero) - 1
)

// paddedKinds is NumKinds rounded up to a multiple of four, which dots wants.
const paddedKinds = (sequence.NumKinds + 3) / 4 * 4

// Network is a network that was trained. It is immutable.
type Network struct {
	// width is the number of activations of a word, a multiple of sixteen.
	width int
	// words are the high halves of the hashes of the words that the network knows, sorted. Their rows begin
	// at 1 in table 0, that of words; row 0 is that of all others.
	words []uint32
	// tables are the numbers of rows of the tables, firstRow is where each begins in vectors.
	tables, firstRow []int
	// vectors have four activations in each number, in lanes of 16 bits, each with laneZero added, so that
	// the sum of a lane needs no bit of the next one.
	vectors []uint64
	bias    []int16
	layers  []layer
	// last has the weights of the kinds, one row each.
	last     []int16
	lastBias [paddedKinds]int32
}

// layer adds to each word what its convolution of three words, distance apart, gives.
type layer struct {
	distance int
	weights  []int16 // width rows of 3 * width
	bias     []int32
}

// Reach is how many words to either side bear on one.
func (n *Network) Reach() (words int) {
	for _, l := range n.layers {
		words += l.distance
	}
	return words
}

// Row is a row of one of the tables.
type Row uint16

// Row returns the row of a fact in a table, the last one for values that are too large. In table 0, the fact
// is the hash of a word.
func (n *Network) Row(table int, value uint32) Row {
	if table == 0 {
		value = n.word(value)
	}
	return Row(n.firstRow[table] + int(min(value, uint32(n.tables[table]-1))))
}

// word returns the row of a word in the table of words.
func (n *Network) word(hash uint32) uint32 {
	if i, ok := slices.BinarySearch(n.words, hash); ok {
		return uint32(i + 1)
	}
	return 0
}

// Reader reads texts. It keeps its memory between them and is not safe for concurrent use.
type Reader struct {
	network  *Network
	in, out  []int16
	gathered []int16
	sums     []int32
	// needed has for the facts, and then for each layer, which words bear on those that are wanted.
	needed [][]bool
}

// NewReader makes a reader of a network.
func NewReader(n *Network) *Reader {
	return &Reader{
		network: n, gathered: make([]int16, 3*n.width), sums: make([]int32, max(n.width, paddedKinds)),
		needed: make([][]bool, len(n.layers)+1),
	}
}

// Read reads n words, of which those that are wanted get probabilities; rows returns those of word i, at most
// maxRows, valid until the next call.
func (r *Reader) Read(n int, rows func(i int) []Row, wanted func(i int) bool) {
	width := r.network.width
	r.in, r.out = resized(r.in, n*width), resized(r.out, n*width)
	r.markNeeded(n, wanted)
	for i, needed := range r.needed[0] {
		if needed {
			r.network.embed(rows(i), r.in[i*width:(i+1)*width])
		}
	}
	for k := range r.network.layers {
		l := &r.network.layers[k]
		for i, needed := range r.needed[k+1] {
			if needed {
				l.apply(r.in, r.out[i*width:(i+1)*width], i, n, width, r.gathered, r.sums[:width])
			}
		}
		r.in, r.out = r.out, r.in
	}
}

// markNeeded marks for each layer the words whose activations bear on a wanted word.
func (r *Reader) markNeeded(n int, wanted func(i int) bool) {
	last := len(r.network.layers)
	for k := range r.needed {
		r.needed[k] = resized(r.needed[k], n)
		clear(r.needed[k])
	}
	for i := range n {
		r.needed[last][i] = wanted(i)
	}
	for k := last; k > 0; k-- {
		d := r.network.layers[k-1].distance
		for i, needed := range r.needed[k] {
			if needed {
				r.needed[k-1][max(0, i-d)], r.needed[k-1][i], r.needed[k-1][min(n-1, i+d)] = true, true, true
			}
		}
	}
}

// resized returns a slice of n elements, in the same memory if there is enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// Probabilities returns the probabilities of the kinds of word i: in proportion to the exponential of the last
// layer's output, times the weight of the kind. Weights are not negative, and not all are 0.
func (r *Reader) Probabilities(i int, weights *[sequence.NumKinds]float32) (p [sequence.NumKinds]float32) {
	m := r.network
	dots(r.sums[:paddedKinds], m.last, r.in[i*m.width:(i+1)*m.width])
	var e [sequence.NumKinds]float32
	top := float32(math.Inf(-1))
	for k := range e {
		e[k] = float32(r.sums[k]+m.lastBias[k]) / (1 << (activationBits + weightBits))
		top = max(top, e[k])
	}
	sum := float32(0)
	for k := range e {
		e[k] = float32(weights[k] * sequence.Exp(e[k]-top)) // converted, so that it is not fused with the sum
		sum += e[k]
	}
	for k := range e {
		p[k] = e[k] / sum
	}
	return p
}

// embed adds up the vectors of a word.
func (n *Network) embed(rows []Row, out []int16) {
	zero, lanes := int32(len(rows))*laneZero, n.width/4
	for first := 0; first < lanes; first += 4 {
		var sums [4]uint64
		for _, r := range rows {
			v := n.vectors[int(r)*lanes+first:][:4]
			sums[0] += v[0]
			sums[1] += v[1]
			sums[2] += v[2]
			sums[3] += v[3]
		}
		out, bias := out[4*first:][:16], n.bias[4*first:][:16]
		for i := range out {
			sum := int32(sums[i/4]>>(i%4*16)&math.MaxUint16) - zero + int32(bias[i])
			out[i] = int16(min(max(sum, 0), math.MaxInt16))
		}
	}
}

// apply computes the new activations of word i of n.
func (l *layer) apply(in, out []int16, i, n, width int, gathered []int16, sums []int32) {
	for k := range 3 {
		at, to := i+(k-1)*l.distance, gathered[k*width:(k+1)*width]
		if at < 0 || at >= n {
			clear(to)
			continue
		}
		copy(to, in[at*width:(at+1)*width])
	}
	dots(sums, l.weights, gathered)
	bias, out := l.bias[:len(sums)], out[:len(sums)] // so that the loop checks no bounds
	for k, old := range in[i*width:][:len(sums)] {
		out[k] = int16(min(int32(old)+max((sums[k]+bias[k])>>weightBits, 0), math.MaxInt16))
	}
}

// dotsPortable computes the products of x with rows of weights. The sums wrap around.
func dotsPortable(sums []int32, weights, x []int16) {
	for k := range sums {
		row := weights[k*len(x):][:len(x)]
		s := int32(0)
		for i, v := range x {
			s += int32(v) * int32(row[i])
		}
		sums[k] = s
	}
}
