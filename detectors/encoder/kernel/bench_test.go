package kernel

import (
	"fmt"
	"testing"
)

// BenchmarkMul is the products of the encoder: rows x depth x columns, as many rows as a turn, or as many as go through
// a layer at once.
func BenchmarkMul(b *testing.B) {
	for _, shape := range [][3]int{{13, 384, 1152}, {13, 384, 384}, {13, 384, 1536}, {13, 1536, 384}, {36, 384, 1536}, {36, 1536, 384}, {13, 32, 160}} {
		rows, depth, columns := shape[0], shape[1], shape[2]
		p := &Product{Rows: rows, Depth: depth, Panels: columns / Panel, A: make([]int16, rows*depth), Step: depth,
			B: Columns{Values: make([]byte, depth*columns), Stride: depth * Panel}, Sums: make([]int32, rows*columns)}
		b.Run(fmt.Sprintf("%dx%dx%d", rows, depth, columns), func(b *testing.B) {
			for b.Loop() {
				p.Mul()
			}
			b.ReportMetric(float64(rows*depth*columns)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
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
		"softmax-160":    func() { Softmax(q, scales, y, sums, w, w, 157, 1e-3) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
