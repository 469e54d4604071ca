//go:build !amd64 || purego

package reread

func dots(sums []int32, weights, x []int16) { dotsPortable(sums, weights, x) }
