//go:build !purego

package ner

import "sotto/detectors/ner/sequence"

// The functions in rows_amd64.s use SSE2, which every amd64 processor has. Their sums are integers, so
// that they return the same bits as those in rows.go.

//go:noescape
func fetchRows(buckets *bucket, n int, features []uint32)

//go:noescape
func addRows(buckets *bucket, n int, features []uint32, scale float32, v *sequence.Vector)

//go:noescape
func fetchAsked(rows *row, shift uint64, features []uint32)

//go:noescape
func addAsked(rows *row, shift uint64, features []uint32, scale float32, v *sequence.Vector)

// fetch asks for the buckets of the features, and does not wait for them.
func (t *table) fetch(features []uint32) { fetchRows(&t.buckets[0], len(t.buckets), features) }

// addRows adds the rows of the features, at most maxAdded, to v. A step of a byte weighs scale.
func (t *table) addRows(features []uint32, scale float32, v *sequence.Vector) {
	addRows(&t.buckets[0], len(t.buckets), features, scale, v)
}

// fetchAsked asks for the rows of the features of a question, and does not wait for them.
func (m *Model) fetchAsked(features []uint32) {
	fetchAsked(&m.asked[0], uint64(m.askedShift), features)
}

// addAsked adds the rows of the features of a question, at most maxAdded, to v.
func (m *Model) addAsked(features []uint32, v *sequence.Vector) {
	addAsked(&m.asked[0], uint64(m.askedShift), features, m.askedScale, v)
}
