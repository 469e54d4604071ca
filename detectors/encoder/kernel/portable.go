package kernel

import "math"

var portable = forms{
	name:    "portable",
	mul:     mulPortable,
	mulWide: mulPortable,
	peaks: func(peaks, x []float32) {
		n := len(x) / len(peaks)
		for i := range peaks {
			peaks[i] = 0
			for _, v := range x[i*n : (i+1)*n] {
				peaks[i] = max(peaks[i], magnitude(v))
			}
		}
	},
	quantize: func(q []int16, x, peaks []float32, most float32) {
		n := len(x) / len(peaks)
		for i, peak := range peaks {
			inverse := float32(0)
			if peak > tiny {
				inverse = most / peak
			}
			for j, v := range x[i*n : (i+1)*n] {
				q[i*n+j] = int16(nearest(float32(v * inverse)))
			}
		}
	},
	scale: func(y []float32, sums []int32, weights []float32, s float32, bias []float32) {
		for i := range y {
			y[i] = value(sums[i], weights[i], s, bias[i])
		}
	},
	add: func(y []float32, sums []int32, weights []float32, s float32, bias []float32) {
		for i := range y {
			y[i] += value(sums[i], weights[i], s, bias[i])
		}
	},
	gelu: func(y []float32, sums []int32, weights []float32, s float32, bias []float32) {
		for i := range y {
			y[i] = gelu(value(sums[i], weights[i], s, bias[i]))
		}
	},
	norm:      normPortable,
	exponents: exponentsPortable,
	dot: func(x, y []float32) float32 {
		var sums [Lanes]float32
		for i := range x {
			sums[i%Lanes] += float32(x[i] * y[i])
		}
		return tree(&sums)
	},
}

func mulPortable(p *product) {
	for row := range p.Rows {
		a := p.A[row*p.Step:][:p.Depth]
		for panel := range p.Panels {
			var sums [Panel]int32
			b := p.B.Values[panel*p.B.Stride:][:p.Depth*Panel]
			for k := 0; k < len(a); k += Group {
				a0, a1, a2, a3 := int32(a[k]), int32(a[k+1]), int32(a[k+2]), int32(a[k+3])
				group := b[k*Panel:][:Panel*Group]
				for c := range sums {
					sums[c] += a0*int32(int8(group[4*c])) + a1*int32(int8(group[4*c+1])) +
						a2*int32(int8(group[4*c+2])) + a3*int32(int8(group[4*c+3]))
				}
			}
			copy(p.Sums[(row*p.Panels+panel)*Panel:], sums[:])
		}
	}
}

// value is what a sum stands for. Every product is converted, so that no compiler fuses it with the addition.
func value(sum int32, weight, s, bias float32) float32 {
	return float32(float32(sum)*float32(s*weight)) + bias
}

func magnitude(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// round is added to a number to round it to an integer, half to even; what is left in the last bits is the integer.
const round = 3 << 22

// nearest rounds a number below 2^22 to an integer.
func nearest(x float32) int32 {
	return int32(math.Float32bits(x+round)) - int32(math.Float32bits(round))
}

// tree adds the lanes: those half of them apart, then those a quarter apart, and so on.
func tree(sums *[Lanes]float32) float32 {
	for n := Lanes / 2; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return sums[0]
}

// terms are the numbers that the forms in assembly load. Their order is known there.
var terms = [32]float32{
	// GELU(x) = x (1/2 + t (g0 + g1 t^2 + ... + g8 t^16)), where t is x within the limits of the polynomial.
	0: geluLimit, 1: -geluLimit, 2: 0.5,
	3: 0.39883456, 4: -0.06622201, 5: 0.009740898, 6: -0.0010864465, 7: 8.983382e-05,
	8: -5.2893556e-06, 9: 2.0723571e-07, 10: -4.7952966e-09, 11: 4.923353e-11,
	// 2^x for -1/2 <= x <= 1/2.
	12: 0.9999993, 13: 0.6931218, 14: 0.24024746, 15: 0.05591786, 16: 0.009570082,
	17: leastExponent, 18: round, 19: masked, 20: 1, 21: normEpsilon, 22: tiny,
}

const (
	geluLimit     = 4.2
	leastExponent = -100
	masked        = -1e30 // the score of a position that is not there
	normEpsilon   = 1e-12
)

// gelu is off by at most 2e-5 where |x| < 3, and by 1e-5 x |x| elsewhere.
func gelu(x float32) float32 {
	t := min(max(x, -geluLimit), geluLimit)
	u := float32(t * t)
	y := terms[11]
	for i := 10; i >= 3; i-- {
		y = float32(y*u) + terms[i]
	}
	return float32(x * (float32(t*y) + 0.5))
}

// exp2 is 2^x for x <= 0, off by at most 3e-6 of it.
func exp2(x float32) float32 {
	x = max(x, leastExponent)
	whole := x + round
	f := x - (whole - round)
	y := terms[16]
	for i := 15; i >= 12; i-- {
		y = float32(y*f) + terms[i]
	}
	return math.Float32frombits(math.Float32bits(y) + math.Float32bits(whole)<<23)
}

// Exp2 is 2^x for x <= 0, with the bits that attention has.
func Exp2(x float32) float32 { return exp2(x) }

func normPortable(x, gain, shift []float32) {
	n := float32(len(x))
	var sums, squares [Lanes]float32
	for i, v := range x {
		sums[i%Lanes] += v
	}
	mean := tree(&sums) / n
	for i, v := range x {
		d := v - mean
		x[i] = d
		squares[i%Lanes] += float32(d * d)
	}
	inverse := 1 / float32(math.Sqrt(float64(tree(&squares)/n+normEpsilon)))
	for i, d := range x {
		x[i] = float32(float32(d*inverse)*gain[i]) + shift[i]
	}
}

func exponentsPortable(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32) {
	most := float32(masked)
	for i := range e {
		e[i] = masked
		if i < n {
			e[i] = float32(float32(sums[i]) * float32(s*keys[i]))
		}
		most = max(most, e[i])
	}
	var totals [Lanes]float32
	for i := range e {
		power := exp2(e[i] - most)
		if i >= n {
			e[i] = 0
			continue
		}
		totals[i%Lanes] += power
		e[i] = float32(power * values[i])
		peak = max(peak, e[i])
	}
	return tree(&totals), peak
}
