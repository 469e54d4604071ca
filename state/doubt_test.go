package state

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
)

// What the choice of a person hands over is what the model says when it is asked again.
func TestDoubtsAreThoseOfTheModelAskedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := NewCall(), NewCall()
		for _, c := range []*Call{a, b} {
			c.NumberSpeaker(c.Speaker("a"))
			c.NumberSpeaker(c.Speaker("b"))
		}
		for seq := range rapid.IntRange(1, 20).Draw(t, "mentions") {
			m := mentions().Draw(t, "mention")
			m.Seq, m.Guessed = int64(seq), rapid.Bool().Draw(t, "guessed")
			m.Source = Source(rapid.IntRange(0, 2).Draw(t, "source"))
			a.LinkOrCreate(m, 10)
			if m.Kind == detectors.KindName {
				b.LinkAs(m, b.Link(m), 10)
			} else {
				b.LinkOrCreate(m, 10)
			}
			one, _ := a.MarshalBinary()
			other, _ := b.MarshalBinary()
			if !bytes.Equal(one, other) {
				t.Fatalf("mention %d: the states differ", seq)
			}
		}
	})
}

// Of equal scores the first counts, also where the likeliest is the person whom the mention is.
func TestLikeliest(t *testing.T) {
	for _, c := range []struct {
		scores    []int32 // of the persons 9, 8, ...
		at, other uint16  // plus 1: the likeliest, and whoever is it beside that one
	}{
		{nil, 0, 0},
		{[]int32{-5}, 10, 0},
		{[]int32{1, 2, 3}, 8, 9},
		{[]int32{3, 2, 1}, 10, 9},
		{[]int32{3, 1, 2}, 10, 8},
		{[]int32{3, 3, 3}, 10, 9},
		{[]int32{1, 3, 1, 2}, 9, 7},
		{[]int32{1, 3, 1}, 9, 10},
	} {
		l := likeliest{scores: [...]int32{math.MinInt32, math.MinInt32}}
		for i, s := range c.scores {
			l.add(9-i, s)
		}
		at, _ := l.but(-1)
		other, score := l.but(int(at) - 1)
		if at != c.at || other != c.other || other > 0 && score != c.scores[10-other] {
			t.Errorf("%v: %d, then %d with %d", c.scores, at, other, score)
		}
	}
}

// BenchmarkLinkOrCreate links a mention in a call with ten persons: one that is known, and one that is new.
func BenchmarkLinkOrCreate(b *testing.B) {
	c := callOf(10)
	for _, name := range []string{"idaad quimbyda", "tobias merrow"} {
		b.Run(fmt.Sprintf("known=%t", c.Link(said(1, person(name))) >= 0), func(b *testing.B) {
			m := said(1, person(name))
			m.Seq = 11
			b.ReportAllocs()
			for b.Loop() {
				c.Clone().LinkOrCreate(m, 1000)
			}
		})
	}
}
