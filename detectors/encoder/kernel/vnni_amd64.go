//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var vnni = forms{
	name:      "AVX-512 VNNI",
	mul:       mulVNNI,
	mulWide:   mulWideVNNI,
	peaks:     peaksAVX2,
	quantize:  quantizeAVX2,
	scale:     scaleAVX2,
	add:       addAVX2,
	gelu:      geluAVX512,
	norm:      normAVX2,
	exponents: exponentsAVX512,
	dot:       dotAVX2,
}

// hasVNNI says whether processor and operating system have what the form needs.
func hasVNNI() bool {
	x := &cpu.X86
	return x.HasAVX2 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VNNI
}

var vnniTiles = []tile{
	vnni1, vnni2, vnni3, vnni4, vnni5, vnni6, vnni7, vnni8, vnni9,
	vnni10, vnni11, vnni12, vnni13, vnni14, vnni15, vnni16, vnni17, vnni18,
}

var vnniWideTiles = []tile{vnniWide1, vnniWide2, vnniWide3, vnniWide4, vnniWide5, vnniWide6}

// mulVNNI lets a tile take all panels, because it packs its rows first.
func mulVNNI(p *product) { mulTiles(p, vnniTiles, p.Panels) }

func mulWideVNNI(p *product) { mulTiles(p, vnniWideTiles, p.Panels) }

//go:noescape
func vnni1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni5(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni6(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni7(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni8(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni9(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni10(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni11(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni12(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni13(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni14(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni15(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni16(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni17(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnni18(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnniWide1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnniWide2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnniWide3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnniWide4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnniWide5(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func vnniWide6(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func geluAVX512(y []float32, sums []int32, weights []float32, s float32, bias []float32)

//go:noescape
func exponentsAVX512(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32)
