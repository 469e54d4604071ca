package ner

import "sotto/detectors/ner/internal/sequence"

// row holds the weights of one feature: a byte for each label but Outside, whose weights are 0,
// with 128 for 0; the last byte is unused.
type row [2]uint64

// Model is a trained tagger. It is immutable and safe for concurrent use.
type Model struct {
	table table
	// scale is the weight of one step of a byte.
	scale   float32
	factors *sequence.Factors

	asked      []row
	askedShift uint8
	askedScale float32
	// askedBase is how often any turn is answered with each kind.
	askedBias, askedBase [sequence.NumKinds]float32
	coarse               *coarse

	vocabulary sequence.Vocabulary
	curves     [sequence.NumKinds]Curve
	digest     []byte
}

// Digest is a hash of the model file.
func (m *Model) Digest() []byte { return m.digest }

// Weights are the parts of a model as training makes them.
type Weights struct {
	// Rows and Asked have a power of two of rows: the weights of the labels 1 to 15, and of the
	// kinds 1 to 14 that a turn asks for.
	Rows, Asked [][sequence.NumLabels]float32
	// Keys are the hashes of the features of Rows.
	Keys      []uint32
	AskedBias [sequence.NumKinds]float32
	// AskedBase is the share of turns that are answered with each kind.
	AskedBase [sequence.NumKinds]float32
	// Coarse are the 1<<CoarseBits weights of the coarse model, CoarseBias its bias.
	Coarse      []float32
	CoarseBias  float32
	Transitions sequence.Transitions
	Vocabulary  sequence.Vocabulary
	Curves      [sequence.NumKinds]Curve
}

func log2(n int) (bits uint8) {
	for 1<<bits < n {
		bits++
	}
	return bits
}

// maxWeight is the largest weight; larger ones are stored as this one.
const maxWeight = 4

func quantize(weights [][sequence.NumLabels]float32) ([]row, float32) {
	top := float32(0)
	for i := range weights {
		for _, x := range weights[i][1:] {
			top = max(top, x, -x)
		}
	}
	scale := min(max(top, 1e-3), maxWeight) / 127
	rows := make([]row, len(weights))
	for i := range weights {
		for y := 1; y < sequence.NumLabels; y++ {
			x := weights[i][y] / scale
			q := int(min(max(x, -127), 127) + 128.5)
			rows[i][(y-1)/8] |= uint64(q) << ((y - 1) % 8 * 8)
		}
		rows[i][1] |= 128 << 56
	}
	return rows, scale
}

// mask takes every other byte of a word.
const mask = 0x00ff00ff00ff00ff

// weigh adds the weights of the features that the model knows to v. It changes the slice.
func (m *Model) weigh(features []uint32, v *sequence.Vector) {
	var s lanes
	for keys := m.table.known(features); len(keys) > 0; {
		n := min(len(keys), atOnce)
		s.add(&m.table, keys[:n])
		keys = keys[n:]
	}
	s.spread(m.scale, v)
}

// lanes are sums of rows, four labels in each number in lanes of 16 bits. The last lane has 128 for
// each row, which is the sum of weights that are all 0.
type lanes struct{ a, b, c, d uint64 }

// add adds the rows of the keys, at most atOnce, that the table has.
func (s *lanes) add(t *table, keys []uint32) {
	var buckets [atOnce]*bucket
	none := t.touch(keys, &buckets)
	a, b, c, d := s.a+none, s.b, s.c, s.d
	for i, key := range keys {
		r, found := buckets[i%atOnce].find(key)
		if found|uint64(1-buckets[i%atOnce].more) == 0 {
			r, found = t.findBehind(key)
		}
		x, y := r[0]&found, r[1]&found
		a += x & mask
		b += x >> 8 & mask
		c += y & mask
		d += y >> 8 & mask
	}
	*s = lanes{a, b, c, d}
}

// spread adds the sums to v.
func (s *lanes) spread(scale float32, v *sequence.Vector) {
	spread(s.a, s.b, s.c, s.d, int32(s.d>>48), scale, v)
}

// weighAsked adds the weights of the features to v, four labels at a time in lanes of 16 bits.
func (m *Model) weighAsked(features []uint32, v *sequence.Vector) {
	var a, b, c, d uint64
	for _, f := range features {
		r := &m.asked[f>>m.askedShift]
		a += r[0] & mask
		b += r[0] >> 8 & mask
		c += r[1] & mask
		d += r[1] >> 8 & mask
	}
	spread(a, b, c, d, int32(128*len(features)), m.askedScale, v)
}

// spread adds the sums in the lanes to v; zero is the sum of weights that are all 0.
func spread(a, b, c, d uint64, zero int32, scale float32, v *sequence.Vector) {
	for k := range 4 {
		v[1+2*k] += float32(float32(int32(a>>(16*k)&0xffff)-zero) * scale)
		v[2+2*k] += float32(float32(int32(b>>(16*k)&0xffff)-zero) * scale)
		v[9+2*k] += float32(float32(int32(c>>(16*k)&0xffff)-zero) * scale)
		if k < 3 {
			v[10+2*k] += float32(float32(int32(d>>(16*k)&0xffff)-zero) * scale)
		}
	}
}
