package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

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

// shortest calls f until the benchmark is over, and reports how many pieces a second the shortest call makes: on a machine that does
// other things, only the best of many counts.
func shortest(b *testing.B, pieces int, f func()) {
	least := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	b.ReportMetric(float64(least.Microseconds()), "us-at-best")
	b.ReportMetric(float64(pieces)/least.Seconds(), "pieces/s")
}

// BenchmarkRead is a turn of a live call behind others, which are in the cache. The window is nearly full.
func BenchmarkRead(b *testing.B) {
	m := Builtin()
	for _, n := range []int{4, 13, 40} {
		turn := turnOf(m, n)
		b.Run(fmt.Sprintf("%d-pieces", n), func(b *testing.B) {
			r := m.NewReader()
			var window []byte
			var reading Reading
			for len(window)/pieceBytes+2*n <= m.Window() {
				window = r.Read(1, window, turn, &reading)
			}
			shortest(b, n, func() { r.Read(1, window, turn, &reading) })
		})
	}
}

// BenchmarkFull is the reading of a finished call of one window.
func BenchmarkFull(b *testing.B) {
	m := Builtin()
	turns := make([]Turn, m.Window()/16)
	for i := range turns {
		turns[i] = *turnOf(m, 16)
	}
	readings := make([]Reading, len(turns))
	r := m.NewReader()
	shortest(b, m.Window(), func() {
		if err := r.ReadFull(b.Context(), turns, readings); err != nil {
			b.Fatal(err)
		}
	})
}
