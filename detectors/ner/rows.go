package ner

import "sotto/detectors/ner/sequence"

// row holds the weights of one feature: a byte for each label, with 128 for 0. That of Outside is always
// 0, so that its byte counts rows.
type row [2]uint64

// noWeights is a row whose weights are all 0, less those of the labels that are set with setWeight.
var noWeights = row{128, 0}

// setWeight sets the byte of a label that was not set.
func (r *row) setWeight(label int, b byte) { r[label/8] |= uint64(b) << (label % 8 * 8) }

// weight returns the byte of a label.
func (r *row) weight(label int) byte { return byte(r[label/8] >> (label % 8 * 8)) }

// Adding rows takes most of the time of a Tagger, since they are scattered over several megabytes.
// rows_amd64.s does the same on amd64, where fetch also asks for the memory of rows that are needed
// soon; rows_other.go is used elsewhere.

// maxAdded is how many rows may be added up: four labels are added in each number, in lanes of 16 bits,
// so that a sum of more rows may be wrong. No word or question has so many features.
const maxAdded = 1<<15/128 - 1

// addRowsPortable adds the rows of the features, at most maxAdded, to v. A step of a byte weighs scale.
func addRowsPortable(t *table, features []uint32, scale float32, v *sequence.Vector) {
	var s lanes
	for _, f := range features {
		r, found := t.find(f)
		s.add(r[0]&found, r[1]&found)
	}
	s.spread(scale, v)
}

// addAskedPortable adds the rows at the highest bits of the features, at most maxAdded, to v.
func addAskedPortable(rows []row, shift uint8, features []uint32, scale float32, v *sequence.Vector) {
	var s lanes
	for _, f := range features {
		r := &rows[f>>shift]
		s.add(r[0], r[1])
	}
	s.spread(scale, v)
}

// lanes are sums of rows, four labels in each number. The lowest lane has 128 for each row, which is the
// sum of weights that are all 0.
type lanes struct{ a, b, c, d uint64 }

// mask takes every other byte of a word.
const mask = 0x00ff00ff00ff00ff

func (s *lanes) add(low, high uint64) {
	s.a += low & mask
	s.b += low >> 8 & mask
	s.c += high & mask
	s.d += high >> 8 & mask
}

// spread adds the sums to v.
func (s *lanes) spread(scale float32, v *sequence.Vector) {
	zero := int32(s.a & 0xffff)
	for k := range 4 {
		v[2*k] += float32(float32(int32(s.a>>(16*k)&0xffff)-zero) * scale)
		v[2*k+1] += float32(float32(int32(s.b>>(16*k)&0xffff)-zero) * scale)
		v[2*k+8] += float32(float32(int32(s.c>>(16*k)&0xffff)-zero) * scale)
		v[2*k+9] += float32(float32(int32(s.d>>(16*k)&0xffff)-zero) * scale)
	}
}
