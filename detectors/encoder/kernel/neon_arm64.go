//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var neon = forms{
	name:      "NEON with dot product",
	mul:       mulNEON,
	mulWide:   mulWideNEON,
	peaks:     peaksNEON,
	quantize:  quantizeNEON,
	scale:     scaleNEON,
	add:       addNEON,
	gelu:      geluNEON,
	norm:      normNEON,
	exponents: exponentsNEON,
	dot:       dotNEON,
}

// available returns the forms that this processor can run, the best one first.
func available() []*forms {
	if cpu.ARM64.HasASIMDDP {
		return []*forms{&neon}
	}
	return nil
}

var tiles = []tile{tile1, tile2, tile3, tile4}

var wideTiles = []tile{wideTile1, wideTile2}

func mulNEON(p *product) { mulTiles(p, tiles, near(p, tiles)) }

func mulWideNEON(p *product) { mulTiles(p, wideTiles, near(p, wideTiles)) }

//go:noescape
func tile1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func tile4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func wideTile1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func wideTile2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

//go:noescape
func peaksNEON(peaks, x []float32)

//go:noescape
func quantizeNEON(q []int16, x, peaks []float32, most float32)

//go:noescape
func scaleNEON(y []float32, sums []int32, weights []float32, s float32, bias []float32)

//go:noescape
func addNEON(y []float32, sums []int32, weights []float32, s float32, bias []float32)

//go:noescape
func geluNEON(y []float32, sums []int32, weights []float32, s float32, bias []float32)

//go:noescape
func normNEON(x, gain, shift []float32)

//go:noescape
func exponentsNEON(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32)

//go:noescape
func dotNEON(x, y []float32) float32
