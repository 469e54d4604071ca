//go:build !purego

package network

// productsOf computes rows products of x, of n numbers, with rows of weights. n is a multiple of eight, rows
// one of four. It uses SSE2, which every amd64 processor has.
//
//go:noescape
func productsOf(sums *int32, weights, x *int16, n, rows int)

// dots computes the products of x with rows of weights, as dotsPortable does.
func dots(sums []int32, weights, x []int16) {
	_ = weights[len(sums)*len(x)-1]
	productsOf(&sums[0], &weights[0], &x[0], len(x), len(sums))
}
