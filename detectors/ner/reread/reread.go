// Package reread reads a finished call once more, as a whole, and finds values that the live reading left.
//
// It sees the call as it was published: masked values are there as their kinds only. A small network of
// dilated convolutions reads all turns as one sequence, so that a word is judged by what was said before
// and after it, the answers and read-backs of others among it. It only adds findings.
//
// The arithmetic is that of integers, so that every processor finds the same.
package reread

import (
	"math"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/ner/internal/sequence"
)

// Turn is an utterance of a finished call as it was published.
type Turn struct {
	Text string
	// Masks are the masked spans in the order of the text, disjoint.
	Masks []Mask
	// Speaker tells the speakers of the call apart, Role says which part one has.
	Speaker int
	Role    detectors.Role
}

// Mask is a masked span: its byte offsets, end exclusive, and what was masked.
type Mask struct {
	Start, End int
	Type       detectors.InfoType
}

// Reader reads calls. It keeps its memory between calls and is not safe for concurrent use.
type Reader struct {
	model    *Model
	elements elements
	in, out  []int16
	gathered []int16
	sums     []int32
	odds     [][sequence.NumKinds]float32
}

// NewReader makes a reader of a model.
func NewReader(m *Model) *Reader { return &Reader{model: m} }

// chunk is how many elements are read at a time, beside those around them that bear on them. It bounds the
// memory, and changes no result.
const chunk = 8192

// Find calls found for each value that should be masked and is not, in the order of the call. Words are
// masked from a mean probability on. The offsets of a finding are those in the text of its turn.
func (r *Reader) Find(turns []Turn, least float32, found func(turn int, f detectors.Finding)) {
	r.elements.read(turns, r.model)
	n := len(r.elements.all)
	margin := r.model.margin()
	for from := 0; from < n; from += chunk {
		to := min(n, from+chunk)
		first, last := max(0, from-margin), min(n, to+margin)
		r.run(first, last, from, to)
		r.collect(from, to, least, found)
	}
}

// run computes the probabilities of the elements from from to to, by reading those from first to last.
func (r *Reader) run(first, last, from, to int) {
	m, width := r.model, r.model.width
	n := last - first
	r.in, r.out = resized(r.in, n*width), resized(r.out, n*width)
	r.gathered, r.sums = resized(r.gathered, 3*width), resized(r.sums, max(width, paddedKinds))
	for i := range n {
		m.embed(&r.elements.all[first+i], r.sums[:width], r.in[i*width:(i+1)*width])
	}
	for k := range m.layers {
		l := &m.layers[k]
		for i := range n {
			l.apply(r.in, r.out[i*width:(i+1)*width], i, n, width, r.gathered, r.sums[:width])
		}
		r.in, r.out = r.out, r.in
	}
	r.odds = resized(r.odds, to-from)
	for i := from; i < to; i++ {
		at := (i - first) * width
		dots(r.sums[:paddedKinds], m.last, r.in[at:at+width])
		r.odds[i-from] = m.probabilities(r.sums)
	}
}

// resized returns a slice of n elements, in the same memory if there is enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// collect joins the elements from from to to that should be masked to values.
func (r *Reader) collect(from, to int, least float32, found func(turn int, f detectors.Finding)) {
	for i := from; i < to; {
		e := &r.elements.all[i]
		k, p := best(&r.odds[i-from])
		j := i + 1
		if e.masked || p < least {
			i = j
			continue
		}
		f := detectors.Finding{Start: int(e.start), End: int(e.end), Type: sequence.Types[k], Score: p}
		grammar := e.grammar
		for ; j < to; j++ {
			next := &r.elements.all[j]
			kind, q := best(&r.odds[j-from])
			if next.masked || next.turn != e.turn || kind != k || q < least || next.breaks {
				break
			}
			f.End, f.Score, grammar = int(next.end), min(f.Score, q), grammar && next.grammar
		}
		if grammar && isThing[k] { // "the" alone is none
			i = j
			continue
		}
		f.Likelihood, f.Detector, f.Evidence = detectors.LikelihoodOf(f.Score), "reread", detectors.ByModel
		found(int(e.turn), f)
		i = j
	}
}

// isThing has the kinds of which no value consists of words of grammar alone. Of numbers and names, some do,
// as they are misheard: "to for".
var isThing = [sequence.NumKinds]bool{sequence.Organization: true, sequence.Location: true, sequence.Product: true, sequence.Medical: true}

// best returns the most likely kind that is masked, and the probability that an element is masked at all.
func best(odds *[sequence.NumKinds]float32) (k sequence.Kind, p float32) {
	k = sequence.Person
	for y := sequence.Person; y < sequence.Quantity; y++ {
		p += odds[y]
		if odds[y] > odds[k] {
			k = y
		}
	}
	return k, p
}

// probabilities makes probabilities of the sums of the last layer.
func (m *Model) probabilities(sums []int32) (p [sequence.NumKinds]float32) {
	var e [sequence.NumKinds]float64
	top := math.Inf(-1)
	for k := range e {
		e[k] = float64(sums[k]+m.lastBias[k]) / (1 << (activationBits + weightBits))
		top = max(top, e[k])
	}
	sum := 0.0
	for k := range e {
		e[k] = math.Exp(e[k] - top)
		sum += e[k]
	}
	for k := range e {
		p[k] = float32(e[k] / sum)
	}
	return p
}

// kindOf returns the kind of a masked infoType.
func kindOf(t detectors.InfoType) sequence.Kind {
	if k := sequence.KindOfType(t); k < sequence.Quantity {
		return k
	}
	return sequence.Code
}

// NumKinds is the number of kinds that the reader tells apart.
const NumKinds = ner.NumKinds
