// Package reread reads a finished call once more, as a whole, and finds values that the live reading left.
//
// It sees the call as it was published: masked values are there as their kinds only. A small network of
// dilated convolutions reads all turns as one sequence, so that a word is judged by what was said before
// and after it, the answers and read-backs of others among it. It only adds findings.
//
// Every processor finds the same.
package reread

import (
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/ner/internal/network"
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
	network  *network.Network
	reader   *network.Reader
	elements elements
	odds     [][sequence.NumKinds]float32
}

// NewReader makes a reader of a network.
func NewReader(n *network.Network) *Reader { return &Reader{network: n, reader: network.NewReader(n)} }

// chunk is how many elements are read at a time, beside those around them that bear on them. It bounds the
// memory, and changes no result.
const chunk = 8192

// Find calls found for each value that should be masked and is not, in the order of the call. Words are
// masked from a mean probability on. The offsets of a finding are those in the text of its turn.
func (r *Reader) Find(turns []Turn, least float32, found func(turn int, f detectors.Finding)) {
	r.elements.read(turns, r.network)
	n := len(r.elements.all)
	margin := r.network.Reach()
	for from := 0; from < n; from += chunk {
		to := min(n, from+chunk)
		first, last := max(0, from-margin), min(n, to+margin)
		r.run(first, last, from, to)
		r.collect(from, to, least, found)
	}
}

// run computes the probabilities of the elements from from to to, by reading those from first to last.
func (r *Reader) run(first, last, from, to int) {
	r.reader.Read(last-first, func(i int) []network.Row { return r.elements.all[first+i].facts() },
		func(i int) bool { return first+i >= from && first+i < to })
	r.odds = r.odds[:0]
	for i := from; i < to; i++ {
		r.odds = append(r.odds, r.reader.Probabilities(i-first, &even))
	}
}

// even gives every kind the same weight.
var even = func() (w [sequence.NumKinds]float32) {
	for k := range w {
		w[k] = 1
	}
	return w
}()

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

// kindOf returns the kind of a masked infoType.
func kindOf(t detectors.InfoType) sequence.Kind {
	if k := sequence.KindOfType(t); k < sequence.Quantity {
		return k
	}
	return sequence.Code
}

// NumKinds is the number of kinds that the reader tells apart.
const NumKinds = ner.NumKinds
