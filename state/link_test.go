package state

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/state/linking"
)

// What the choice of a person hands over is what the model says when it is asked again.
func TestDoubtsAreThoseOfTheModelAskedAgain(t *testing.T) {
	// LinkAs joins nobody.
	linking.TryModels("", linking.NobodyIsOne, func() { rapid.Check(t, modelIsAskedOnce) })
}

func modelIsAskedOnce(t *rapid.T) {
	a, b := NewCall(), NewCall()
	for _, c := range []*Call{a, b} {
		c.NumberSpeaker(c.Speaker("a"))
		c.NumberSpeaker(c.Speaker("b"))
	}
	for seq := range rapid.IntRange(1, 20).Draw(t, "mentions") {
		m := mentions().Draw(t, "mention")
		m.Seq, m.Guessed = int64(seq), rapid.Bool().Draw(t, "guessed")
		m.Source = linking.Source(rapid.IntRange(0, 2).Draw(t, "source"))
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
