package tagger

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"sotto/detectors/ner"
)

// fit makes the curve by isotonic regression (pool adjacent violators: Ayer et
// al., 1955), read at the curve's points; two imagined names, one right and one
// wrong, keep it off 0 and 1 where there is little data.
func fit(points []point) (c ner.Curve) {
	type block struct{ x, right, n float64 }
	sorted := slices.SortedStableFunc(slices.Values(points), func(a, b point) int { return cmp.Compare(a.raw, b.raw) })
	var blocks []block
	add := func(b block) {
		blocks = append(blocks, b)
		for len(blocks) > 1 {
			p, q := &blocks[len(blocks)-2], blocks[len(blocks)-1]
			if p.right/p.n < q.right/q.n {
				break
			}
			p.x, p.right, p.n = (float64(p.x*p.n)+float64(q.x*q.n))/(p.n+q.n), p.right+q.right, p.n+q.n
			blocks = blocks[:len(blocks)-1]
		}
	}
	const bin = 25 // names to a bin at least, so that a block is not one name
	for i := 0; i < len(sorted); i += bin {
		var b block
		for _, p := range sorted[i:min(i+bin, len(sorted))] {
			b.x += float64(p.raw)
			b.n++
			if p.right {
				b.right++
			}
		}
		b.x /= b.n
		add(b)
	}
	if len(sorted) < 4*bin {
		return ner.Identity()
	}
	for i := range c {
		x := float64(i) / ner.CurvePoints
		n := sort.Search(len(blocks), func(k int) bool { return blocks[k].x >= x })
		var y float64
		share := func(b block) float64 { return (b.right + 1) / (b.n + 2) }
		switch {
		case n == 0:
			y = share(blocks[0]) * x / math.Max(blocks[0].x, 1e-6)
			if blocks[0].x <= x {
				y = share(blocks[0])
			}
		case n == len(blocks):
			y = share(blocks[n-1])
		default:
			p, q := blocks[n-1], blocks[n]
			y = share(p) + (share(q)-share(p))*(x-p.x)/(q.x-p.x)
		}
		c[i] = float32(min(max(y, 0), 1))
		if i > 0 {
			c[i] = max(c[i], c[i-1])
		}
	}
	return c
}

// calibrationError is the expected calibration error over ten equal bins: Naeini,
// Cooper, Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian
// Binning" (2015).
func calibrationError(points []point, c *ner.Curve) float64 {
	var n, right, sum [10]float64
	for _, p := range points {
		x := float64(c.At(p.raw))
		b := min(int(x*10), 9)
		n[b]++
		sum[b] += x
		if p.right {
			right[b]++
		}
	}
	e := 0.0
	for b := range n {
		e += math.Abs(sum[b] - right[b])
	}
	return e / math.Max(float64(len(points)), 1)
}
