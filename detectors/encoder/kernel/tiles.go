//go:build !purego && (amd64 || arm64)

package kernel

// tile computes the sums of some rows of A and of panels of B: how many rows depends on the function. Steps
// are in bytes, but for depth.
type tile = func(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)

// firstLevel is how many bytes of columns surely stay in the nearest cache.
const firstLevel = 8 << 10

// near returns how many panels all tiles take before the next ones are fetched: one, unless all stay near anyway.
func near(p *product, tiles []tile) int {
	if p.Rows > len(tiles) && p.Panels*p.Depth*Panel > firstLevel {
		return 1
	}
	return p.Panels
}

// mulTiles takes rows by tiles of about equal size, and so many panels at a time; tiles has functions for 1, 2, ...
// rows.
func mulTiles(p *product, tiles []tile, panels int) {
	count := (p.Rows + len(tiles) - 1) / len(tiles)
	for panel := 0; panel < p.Panels; panel += panels {
		b := &p.B.Values[panel*p.B.Stride]
		for i := range count {
			row, end := i*p.Rows/count, (i+1)*p.Rows/count
			tiles[end-row-1](&p.Sums[(row*p.Panels+panel)*Panel], p.Panels*Panel*4, &p.A[row*p.Step], p.Step*2,
				b, p.B.Stride, p.Depth, panels)
		}
	}
}
