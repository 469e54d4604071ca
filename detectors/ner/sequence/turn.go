package sequence

import (
	"iter"
	"math/bits"
)

// Asked is how likely a turn asks for each kind: a level from 0 to 3 in two bits for each kind.
type Asked uint32

// Level returns the level of a kind.
func (a Asked) Level(k Kind) uint8 { return uint8(a >> (2 * k) & 3) }

// kinds returns the kinds whose level is not 0, in order.
func (a Asked) kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for a &= 1<<(2*NumKinds) - 1<<2; a != 0; {
			k := Kind(bits.TrailingZeros32(uint32(a)) / 2)
			if !yield(k) {
				return
			}
			a &^= 3 << (2 * k)
		}
	}
}

func (a *Asked) raise(k Kind, level uint8) {
	if level > a.Level(k) {
		*a = *a&^(3<<(2*k)) | Asked(level)<<(2*k)
	}
}

// Kinds is a set of kinds: bit k stands for kind k.
type Kinds uint16

// Has reports whether a kind is in the set.
func (s Kinds) Has(k Kind) bool { return s>>k&1 != 0 }

// Turn is what later turns of a call need to know of an earlier one.
type Turn struct {
	// Speaker identifies the speaker within the call.
	Speaker int
	// Seq and TimeMS are the turn's sequence number and end time; TimeMS is negative if unknown.
	Seq, TimeMS int64
	// Asked is what the turn asks for, Kinds what it contains, End the kind at its end.
	Asked Asked
	Kinds Kinds
	End   Kind
}

const (
	// MaxTurns is how many turns the context of a turn considers.
	MaxTurns = 8
	// reach is how many sequence numbers back a turn counts. If sequence numbers jump, because they are made from times or because
	// the producer numbers hypotheses too, it counts for reachMS, and turnMS is what a turn takes with the pause behind it.
	reach, reachMS, turnMS = 7, 20_000, 4_000
)

// Ago returns how many turns before one with a sequence number and a start a turn was, false if it no longer counts. Where sequence
// numbers jump, it is an estimate from the times; speakers may interrupt each other.
func (t *Turn) Ago(seq, startMS int64) (int64, bool) {
	d := seq - t.Seq
	switch {
	case d <= 0:
		return 0, false
	case d <= reach:
		return d, true
	}
	since := startMS - t.TimeMS
	return 1 + max(since, 0)/turnMS, startMS >= 0 && t.TimeMS >= 0 && since >= -turnMS && since <= reachMS
}

// NewContext returns what earlier turns, oldest first, say about a turn of a speaker. Turns that
// asked for nothing and contained nothing may be left out.
func NewContext(turns []Turn, speaker int, seq, startMS int64) Context {
	var c Context
	own, other := false, false
	for i := len(turns) - 1; i >= 0; i-- {
		t := &turns[i]
		d, ok := t.Ago(seq, startMS)
		if !ok {
			continue
		}
		if t.Speaker == speaker {
			if !own && d <= 4 {
				c.Own, c.Near = t.End, d <= 2
			}
			own = true
			continue
		}
		if !other && d <= 2 {
			c.Other, c.OtherLast = t.Kinds, t.End
		}
		other = true
		if d == 1 {
			c.Asked = t.Asked
			continue
		}
		for k := range t.Asked.kinds() {
			level := t.Asked.Level(k)
			if d > 5 {
				level--
			}
			c.Pending.raise(k, level)
		}
	}
	return c
}

// Matters reports whether later turns need to know of a turn: it contains a value, or it is at least
// likely that it asks for one. Most turns do neither, so that a call need not be written for them.
func (t *Turn) Matters() bool {
	const likely = 0xaaaaaaaa // the higher bit of each level
	return t.Kinds != 0 || t.Asked&likely != 0
}

// AddTurn appends a turn if it matters, and forgets the oldest of more than MaxTurns.
func AddTurn(turns []Turn, t Turn) []Turn {
	if !t.Matters() {
		return turns
	}
	if turns = append(turns, t); len(turns) > MaxTurns {
		turns = turns[1:]
	}
	return turns
}
