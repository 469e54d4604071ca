// Package crf is the arithmetic of a linear-chain conditional random field over
// the labels of names: Lafferty, McCallum, Pereira, "Conditional Random Fields"
// (2001), with the forward-backward algorithm of Rabiner, "A Tutorial on Hidden
// Markov Models" (1989), scaled at every step.
package crf

import "sotto/detectors"

// Kinds are the infoTypes of the model, in the order of their labels.
var Kinds = [NumKinds]detectors.InfoType{detectors.PersonName, detectors.OrganizationName, detectors.Location, detectors.Product}

const (
	// NumKinds counts the kinds of names, NumLabels the labels: outside, and for
	// each kind the first and a later word of a name.
	NumKinds  = 4
	NumLabels = 1 + 2*NumKinds
)

// Label is Outside (0), or Begin or Inside of a kind.
type Label = uint8

// Outside is the label of what is no name.
const Outside Label = 0

// Begin is the label of the first word of a name of kind k.
func Begin(k int) Label { return Label(1 + 2*k) }

// Inside is the label of a later word of a name of kind k.
func Inside(k int) Label { return Label(2 + 2*k) }

// KindOf is the kind of a label, -1 for Outside.
func KindOf(y Label) int { return (int(y)+1)/2 - 1 }

// IsInside reports whether a label continues a name.
func IsInside(y Label) bool { return y > 0 && y%2 == 0 }

// CanFollow reports whether label b may follow label a: a name continues only one of
// its own kind.
func CanFollow(a, b Label) bool { return !IsInside(b) || KindOf(a) == KindOf(b) }

// Set is a set of labels: bit y stands for label y.
type Set uint16

// All holds every label.
const All Set = 1<<NumLabels - 1

// Has reports whether y is in the set.
func (s Set) Has(y Label) bool { return s>>y&1 != 0 }
