//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var avx2 = forms{
	name:      "AVX2",
	mul:       mulAVX2,
	mulWide:   mulAVX2,
	peaks:     peaksAVX2,
	quantize:  quantizeAVX2,
	scale:     scaleAVX2,
	add:       addAVX2,
	gelu:      geluAVX2,
	norm:      normAVX2,
	exponents: exponentsAVX2,
	dot:       dotAVX2,
}

// available returns the forms that this processor can run, the best one first.
func available() []*forms {
	var has []*forms
	if hasVNNI() {
		has = append(has, &vnni)
	}
	if cpu.X86.HasAVX2 {
		has = append(has, &avx2)
	}
	return has
}

var tiles = []tile{tile1, tile2, tile3, tile4, tile5, tile6}

func mulAVX2(p *product) { mulTiles(p, tiles, near(p, tiles)) }

//go:noescape
func tile1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile5(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile6(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func peaksAVX2(peaks, x []float32)

//go:noescape
func quantizeAVX2(q []int16, x, peaks []float32, most float32)

//go:noescape
func scaleAVX2(y []float32, sums []int32, weights []float32, s float32, bias []float32)

//go:noescape
func addAVX2(y []float32, sums []int32, weights []float32, s float32, bias []float32)

//go:noescape
func geluAVX2(y []float32, sums []int32, weights []float32, s float32, bias []float32)

//go:noescape
func normAVX2(x, gain, shift []float32)

//go:noescape
func exponentsAVX2(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32)

//go:noescape
func dotAVX2(x, y []float32) float32
