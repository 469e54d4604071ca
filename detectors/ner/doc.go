// Package ner is the learned detector of every infoType: a linear-chain conditional random field over
// the words of a turn. It also sees what the rules found, what the other party asked for, what the
// previous turns contained and what the call's memory knows. A small network corrects it where it is unsure.
// docs/tagger.md describes the model, how it was chosen and how it does.
package ner

import (
	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// Context is what the conversation so far says about a turn; Turn is what it needs to know of an
// earlier turn. Asked, Kinds and Kind are the parts of a turn.
type (
	Context = sequence.Context
	Turn    = sequence.Turn
	Asked   = sequence.Asked
	Kinds   = sequence.Kinds
	Kind    = sequence.Kind
)

// None is the kind of words that are not personal.
const None = sequence.None

// NumKinds counts the kinds, None included; kinds are 0 to NumKinds-1.
const NumKinds = sequence.NumKinds

// MaxTurns is how many turns the context of a turn considers.
const MaxTurns = sequence.MaxTurns

// NewContext returns what earlier turns, oldest first, say about a turn of a speaker. Turns that
// asked for nothing and contained nothing may be left out.
func NewContext(turns []Turn, speaker int, seq, startMS int64) Context {
	return sequence.NewContext(turns, speaker, seq, startMS)
}

// KindOfType returns the kind of an infoType.
func KindOfType(t detectors.InfoType) Kind { return sequence.KindOfType(t) }

// Memorable reports whether words of a kind are recognized where they are mentioned again.
func Memorable(k Kind) bool { return sequence.Memorable[k] }
