//go:build !amd64 || purego

package ner

import "sotto/detectors/ner/sequence"

func (t *table) fetch([]uint32) {}

func (t *table) addRows(features []uint32, scale float32, v *sequence.Vector) {
	addRowsPortable(t, features, scale, v)
}

func (m *Model) fetchAsked([]uint32) {}

func (m *Model) addAsked(features []uint32, v *sequence.Vector) {
	addAskedPortable(m.asked, m.askedShift, features, m.askedScale, v)
}
