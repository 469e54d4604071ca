package sequence

import (
	"math"

	"sotto/detectors"
)

// AskedFeatures appends the features of a turn from which the model reads what it asks for: words,
// pairs and triples of words, more precisely the nearer they are to the end.
func (r *Reader) AskedFeatures(d *detectors.Document, f []uint32) []uint32 {
	n := len(r.Elements)
	from := max(0, n-maxAsked)
	for i := from; i < n; i++ {
		w, n1, n2 := r.Elements[i].Word, r.at(i+1).Word, r.at(i+2).Word
		zone := uint64(0)
		switch {
		case n-i <= 4:
			zone = 2
		case n-i <= 12:
			zone = 1
		}
		f = append(f, hash1(200, w), hash2(201, w, n1), hash(202, w, n1, n2), hash2(203, zone, w), hash(204, zone, w, n1))
		if e := r.Elements[i].Rule; e != 0 {
			f = append(f, hash2(205, uint64(e), zone))
		}
	}
	last := uint64(0)
	if k := len(d.Tokens); k > 0 && d.Tokens[k-1].Class == detectors.Punct {
		last = uint64(d.Tokens[k-1].Ch)
	}
	return append(f, hash1(206, last), hash1(207, uint64(r.length)), hash2(208, uint64(r.role), last))
}

// maxAsked bounds the elements, from the end, from which a question is read.
const maxAsked = 40

// Sigmoid is the logistic function.
func Sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// Levels quantizes the probability that each kind is asked for, beyond base, which is how often any turn
// is answered with it: nearly every turn may be answered with somebody's name or with a number.
func Levels(p, base *[NumKinds]float32) (a Asked) {
	for k := Kind(1); k < Kind(NumKinds); k++ {
		if p[k] > base[k] { // few are
			a.raise(k, uint8(reached((p[k]-base[k])/(1-base[k]), 0.2, 0.4, 0.7)))
		}
	}
	return a
}
