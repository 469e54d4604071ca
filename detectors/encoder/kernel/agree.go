package kernel

import (
	"math"
	"slices"
)

// agrees says whether a form computes an example with the bits of the portable one.
func agrees(f *forms) bool {
	return slices.Equal(example(f), example(&portable))
}

// example computes something with every function of a form, and returns the bits of all results.
func example(f *forms) []uint32 {
	const rows, depth, panels = 7, 48, 3
	seed := uint32(1)
	next := func() int32 {
		seed = seed*1664525 + 1013904223
		return int32(seed>>8) % 128 * (1 - int32(seed>>30&2))
	}
	p := product{
		Rows: rows, Depth: depth, Panels: panels, Step: depth, A: make([]int16, rows*depth),
		B:    Columns{Values: make([]byte, depth*Panel*panels), Stride: depth * Panel},
		Sums: make([]int32, rows*Panel*panels),
	}
	for i := range p.A {
		p.A[i] = int16(next())
	}
	for i := range p.B.Values {
		p.B.Values[i] = byte(next())
	}
	var bits []uint32
	keep := func(x ...float32) {
		for _, v := range x {
			bits = append(bits, math.Float32bits(v))
		}
	}
	integers := func() {
		for _, v := range p.Sums {
			bits = append(bits, uint32(v))
		}
	}
	f.mul(&p)
	integers()
	for i := range p.A {
		p.A[i] = int16(next()) & 127 << 7
	}
	f.mulWide(&p)
	integers()

	n := Panel * panels
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i], z[i] = float32(next())/128, float32(next())/128, float32(next())/1024
	}
	sums := p.Sums
	for _, apply := range []func([]float32, []int32, []float32, float32, []float32){f.scale, f.add, f.gelu} {
		apply(x, sums[:n], y, 1.0/(1<<19), z)
		sums = sums[n:]
		keep(x...)
	}
	f.norm(x, y, z)
	keep(x...)
	peaks := make([]float32, panels)
	f.peaks(peaks, x)
	keep(peaks...)
	peaks[0] = 0
	q := make([]int16, n)
	f.quantize(q, x, peaks, Wide)
	for _, v := range q {
		bits = append(bits, uint32(uint16(v)))
	}
	for i := range z {
		z[i] = magnitude(z[i])
	}
	total, peak := f.exponents(x, sums[:n], y, z, n-5, 1.0/(1<<18))
	keep(total, peak)
	keep(x...)
	keep(f.dot(x, y))
	return bits
}
