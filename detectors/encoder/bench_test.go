package encoder

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// large is as large as the model that is trained from MiniLM.
var large = header{Layers: 6, Heads: 12, Inner: 1536, Window: 256, Labels: make([]string, 14), Masked: make([]bool, 14)}

func largeModel(b *testing.B) *Model {
	m, err := Load(fileOf(large, smallPieces, 1))
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// turnOf returns a turn of so many pieces, of which the first one separates it from others.
func turnOf(m *Model, n int) *Turn {
	var turn Turn
	text := ""
	r := rand.New(rand.NewPCG(1, 1))
	for range n - 1 {
		text += " " + string(rune('a'+r.IntN(5)))
	}
	m.Split(&turn, text, 1)
	return &turn
}

// BenchmarkRead is turns of a live call, each computed once.
func BenchmarkRead(b *testing.B) {
	m := largeModel(b)
	for _, n := range []int{4, 13, 40} {
		turn := turnOf(m, n)
		b.Run(fmt.Sprintf("%d-pieces", n), func(b *testing.B) {
			call := live{reader: m.NewReader()}
			var reading Reading
			for b.Loop() {
				call.read(turn, &reading)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "pieces/s")
		})
	}
}

// BenchmarkFull is the reading of a finished call of one window.
func BenchmarkFull(b *testing.B) {
	m := largeModel(b)
	turns := make([]Turn, 16)
	for i := range turns {
		turns[i] = *turnOf(m, 16)
	}
	readings := make([]Reading, len(turns))
	r := m.NewReader()
	for b.Loop() {
		if err := r.ReadFull(b.Context(), turns, readings); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds(), "pieces/s")
}
