package reread

import "math"

// The fixed-point numbers: an activation of 1 is 1 << activationBits, a weight of 1 is 1 << weightBits.
const (
	activationBits = 8
	weightBits     = 10
)

// paddedKinds is NumKinds rounded up to a multiple of four, which dots wants.
const paddedKinds = (NumKinds + 3) / 4 * 4

// Model is the network. It is immutable.
type Model struct {
	// width is the number of activations of an element, a multiple of eight.
	width int
	// words are the high halves of the hashes of the words that the model knows, sorted. Their rows begin at 1
	// in the table of words; row 0 is that of all others.
	words []uint32
	// firstRow has the first row of each fact's table in vectors, shifts by how many bits its numbers are
	// shifted left to be activations.
	firstRow [NumFacts]int
	shifts   [NumFacts]uint8
	vectors  []int8
	bias     []int16
	layers   []layer
	// last has the weights of the kinds, one row each.
	last     []int16
	lastBias [paddedKinds]int32
}

// layer adds to each element what its convolution of three elements, distance apart, gives.
type layer struct {
	distance int
	weights  []int16 // width rows of 3 * width
	bias     []int32
}

// margin is how many elements to either side bear on one.
func (m *Model) margin() (n int) {
	for _, l := range m.layers {
		n += l.distance
	}
	return n
}

// rowsOf looks up the rows of the facts.
func (m *Model) rowsOf(f *Facts, rows *[NumFacts]uint16) {
	for k := range f {
		row := f[k]
		if k == factWord {
			row = m.word(row)
		}
		rows[k] = uint16(m.firstRow[k] + int(min(row, uint32(m.size(k)-1))))
	}
}

// word returns the row of a word in the table of words.
func (m *Model) word(hash uint32) uint32 {
	lo, hi := 0, len(m.words)
	for lo < hi {
		if mid := (lo + hi) / 2; m.words[mid] < hash {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(m.words) && m.words[lo] == hash {
		return uint32(lo + 1)
	}
	return 0
}

// size is the number of rows of a fact's table.
func (m *Model) size(fact int) int {
	if fact == factWord {
		return len(m.words) + 1
	}
	return tableSizes[fact]
}

// embed adds up the vectors of an element's facts.
func (m *Model) embed(e *element, sums []int32, out []int16) {
	for i := range sums {
		sums[i] = int32(m.bias[i])
	}
	from := 0
	if e.masked {
		from = factMask
	}
	for k := from; k < NumFacts; k++ {
		row, shift := m.vectors[int(e.rows[k])*m.width:][:m.width], m.shifts[k]
		for i, v := range row {
			sums[i] += int32(v) << shift
		}
	}
	for i, s := range sums {
		out[i] = int16(min(max(s, 0), math.MaxInt16))
	}
}

// apply computes the new activations of element i of n.
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
	for k, old := range in[i*width : (i+1)*width] {
		added := max((sums[k]+l.bias[k])>>weightBits, 0)
		out[k] = int16(min(int32(old)+added, math.MaxInt16))
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
