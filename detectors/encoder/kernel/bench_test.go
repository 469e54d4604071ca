package kernel

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// shortest returns the least time that f took: on a machine that does other things, only the best of many counts.
func shortest(b *testing.B, f func()) time.Duration {
	least := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}

// BenchmarkMul is the products of the encoder: rows x depth x columns, as many rows as a turn, or as many as go through
// a layer at once, with each form that this processor has. The last two are those of attention, of which the second
// one is wide.
func BenchmarkMul(b *testing.B) {
	for _, f := range available() {
		for i, shape := range [][3]int{{13, 384, 1152}, {13, 384, 384}, {13, 384, 1536}, {13, 1536, 384}, {36, 384, 1536}, {36, 1536, 384}, {13, 32, 144}, {13, 144, 32}} {
			rows, depth, columns := shape[0], shape[1], shape[2]
			p := &Product{Rows: rows, Depth: depth, Panels: columns / Panel, A: make([]int16, rows*depth), Step: depth,
				B: Columns{Values: make([]byte, depth*columns), Stride: depth * Panel}, Sums: make([]int32, rows*columns)}
			mul := f.mul
			if i == 7 {
				mul = f.mulWide
			}
			b.Run(fmt.Sprintf("%s/%dx%dx%d", f.name, rows, depth, columns), func(b *testing.B) {
				least := shortest(b, func() { mul(p) })
				b.ReportMetric(float64(rows*depth*columns)/least.Seconds()/1e9, "GMAC/s")
			})
		}
	}
}

// BenchmarkVectors is what happens between the products, for a row of the encoder.
func BenchmarkVectors(b *testing.B) {
	x, y, w, sums := make([]float32, 1536), make([]float32, 1536), make([]float32, 1536), make([]int32, 1536)
	q, scales := make([]int16, 1536), make([]float32, 36)
	for i := range x {
		x[i], w[i], sums[i] = float32(i%100)-50, 1, int32(i)
	}
	for name, f := range map[string]func(){
		"gelu-1536":      func() { Gelu(y, sums, w, 1e-3, x) },
		"quantize-1536":  func() { Quantize(q, scales[:1], x) },
		"quantize-36x32": func() { Quantize(q, scales, x[:1152]) },
		"scale-1152":     func() { Scale(y[:1152], sums, w, 1e-3, x) },
		"scale-32":       func() { Scale(y[:32], sums, w, 1e-3, x) },
		"add-384":        func() { Add(y[:384], sums, w, 1e-3, x) },
		"norm-384":       func() { Norm(y[:384], w, x) },
		"softmax-160":    func() { scales[0] = 1e-3; Softmax(q, scales[:1], y, sums, w, w, 157) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(float64(shortest(b, f)), "ns-at-best")
		})
	}
}
