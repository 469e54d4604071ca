// Package roles trains the network that tells which part in the talk a name has, encoder.Roles, on the marked calls.
package roles

import (
	"context"
	"math"

	"sotto/detectors/encoder"
	"sotto/internal/gold"
	"sotto/training/head"
)

// layers is how many layers of the encoder read the words before the network does. By cross-validation, four tell more than all six,
// whose last two have learned to tell labels.
const layers = 4

// Place is where a name begins: a turn of a call, and bytes of its text.
type Place struct{ Turn, Start, End int }

// Name is what the network reads of a name: its first word, and the words at encoder.RolesAround, nil beyond the turn.
type Name struct {
	own    *word
	around [len(encoder.RolesAround)]*word
}

// IsRead reports whether the encoder has a word at the place. Only such names can be learned from.
func (n *Name) IsRead() bool { return n.own != nil }

// word is what the encoder's lower layers have made of a word, as bytes with a scale.
type word struct {
	x     []int8
	scale float32
}

func pack(x []float32) *word {
	top := float32(1e-6)
	for _, v := range x {
		top = max(top, v, -v)
	}
	w := &word{make([]int8, len(x)), top / 127}
	for i, v := range x {
		w.x[i] = int8(math.RoundToEven(float64(v / w.scale)))
	}
	return w
}

func (w *word) unpack(to []float32) {
	for i, v := range w.x {
		to[i] = float32(v) * w.scale
	}
}

// Read reads a call as one that goes on, and returns the names at places of it. The error is that of ctx.
func Read(ctx context.Context, reader *encoder.Reader, c *gold.Conversation, places []Place) ([]Name, error) {
	type at struct{ turn, word int }
	turns, words := head.Turns(reader.Model(), c), map[at]*word{}
	first := make([]at, len(places))
	for i, p := range places {
		first[i] = at{p.Turn, firstWord(&turns[p.Turn], p)}
		words[first[i]] = nil
		for _, d := range encoder.RolesAround {
			words[at{p.Turn, first[i].word + d}] = nil
		}
	}
	err := reader.Vectors(ctx, turns, false, layers, func(turn, number int, x []float32) {
		if _, ok := words[at{turn, number}]; ok {
			words[at{turn, number}] = pack(x)
		}
	})
	names := make([]Name, len(places))
	for i, f := range first {
		names[i].own = words[f]
		for k, d := range encoder.RolesAround {
			names[i].around[k] = words[at{f.turn, f.word + d}]
		}
	}
	return names, err
}

// firstWord returns the first word of a turn that has a part of a place, -1 if there is none.
func firstWord(t *encoder.Turn, p Place) int {
	for i, w := range t.Words {
		if w.Start < p.End && w.End > p.Start {
			return i
		}
	}
	return -1
}
