package estimate

import (
	"errors"
	"slices"

	"sotto/detectors"
	"sotto/risk"
	"sotto/schemas"
)

// CandidateSet is what a call's texts have shown so far: the different candidates. The zero
// CandidateSet is that of a new call. It is a value: Observe returns another one and never
// changes the one that it was called on.
//
// It only grows, and with it the estimate. It contains hashes of words that may be personal, and
// belongs in a sealed state.
type CandidateSet struct {
	// keys are the hashes of the candidates, in the order of their
	// appearance, with the kind in the lowest bits.
	keys []uint32
}

const (
	kindMask = 1<<5 - 1
	// maxKeys bounds the candidates that are remembered. With so many the
	// estimate is far above any limit.
	maxKeys = 64
)

// KindOf is the kind of candidate that a sub-threshold finding is.
func KindOf(d *detectors.SubthresholdFinding) Kind {
	switch {
	case d.Score < 0.1:
		return WeakName
	case d.Score < 0.2:
		return MiddlingName
	}
	return StrongName
}

// Observe looks at one anonymized text, of which masks are the masked spans and subthreshold the
// sub-threshold findings, with d as working memory. changed reports whether it contains a
// candidate that is new in the call. It takes time linear in the length of the text, and
// allocates only when there is something new.
func (l CandidateSet) Observe(d *detectors.Document, text string, masks []schemas.Entity, subthreshold []detectors.SubthresholdFinding) (next CandidateSet, changed bool) {
	next = l
	for i := range subthreshold {
		k := KindOf(&subthreshold[i])
		d.Reset(subthreshold[i].Text)
		for w := range d.Tokens {
			if d.Tokens[w].Hash == 0 || d.Tokens[w].Class == detectors.Clitic {
				continue
			}
			if next.add(keyOf(d.Tokens[w].Hash, k)) {
				changed = true
			} else if k != RestOfName {
				break // known already
			}
			k = RestOfName
		}
	}
	Scan(d, text, masks, func(c Candidate) bool {
		if next.add(c.key) {
			changed = true
		}
		return len(next.keys) < maxKeys
	})
	return next, changed
}

// add remembers a candidate unless its word is known or there are too many.
func (l *CandidateSet) add(key uint32) bool {
	if len(l.keys) >= maxKeys || l.has(key) {
		return false
	}
	l.keys = append(l.keys[:len(l.keys):len(l.keys)], key)
	return true
}

func keyOf(hash uint64, k Kind) uint32 { return uint32(hash>>32)&^kindMask | uint32(k) }

// has compares the hashes alone: a word counts once, whatever it looked like.
func (l *CandidateSet) has(key uint32) bool {
	return slices.ContainsFunc(l.keys, func(k uint32) bool { return (k^key)&^kindMask == 0 })
}

// Len is the number of different candidates.
func (l CandidateSet) Len() int { return len(l.keys) }

// Found is what was masked in a call: how many different pieces of information have a number, in
// all; of them, direct identifiers and, apart from those, ages and dates of birth, which are often
// those of relatives and followed by more that is missed.
type Found struct{ All, Direct, Birth int64 }

// Add counts n pieces of an infoType.
func (f *Found) Add(infoType string, n int64) {
	f.All += n
	if infoType == string(detectors.Age) || infoType == string(detectors.DateOfBirth) {
		f.Birth += n
		return
	}
	if e, ok := table.Lookup(infoType); !ok || e.Direct() {
		f.Direct += n
	}
}

var table = risk.Table6()

// Keys are the encoded form of the set. The slice must not be changed.
func (l CandidateSet) Keys() []uint32 { return l.keys }

var errKeys = errors.New("estimate: the encoded candidate set is not valid")

// FromKeys returns the set with these Keys.
func FromKeys(keys []uint32) (CandidateSet, error) {
	wrong := func(k uint32) bool { return Kind(k&kindMask) == none || Kind(k&kindMask) >= kinds }
	if len(keys) > maxKeys || slices.ContainsFunc(keys, wrong) {
		return CandidateSet{}, errKeys
	}
	return CandidateSet{keys: keys}, nil
}
