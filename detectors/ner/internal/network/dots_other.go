//go:build !amd64 || purego

package network

func dots(sums []int32, weights, x []int16) { dotsPortable(sums, weights, x) }
