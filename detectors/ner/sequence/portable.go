package sequence

import "math"

// The inner loops of a Chain, for any processor. chain_amd64.s has the same for amd64:
//
//	into  sets out[b] to the sum over a of factor(a, b) * v[a], v being the weights of the labels before
//	from  sets out[a] to the sum over b of factor(a, b) * w[b], w being the weights of the labels after
//	emit  sets e to the exponentials of the scores less the largest one, and returns that
//
// The order of the additions and the rounding of each product are part of the result: the explicit
// conversions keep the compiler from fusing products with sums, as it does on arm64.

func intoPortable(f *Factors, v, out *Vector) {
	for b := range out {
		out[b] = dot(&f.before[b], v)
	}
}

func fromPortable(f *Factors, w, out *Vector) {
	*out = Vector{}
	for b, x := range w {
		for a, y := range &f.before[b] {
			out[a] += float32(y * x)
		}
	}
}

func emitPortable(scores, e *Vector) float32 {
	top := scores[0]
	for _, s := range scores[1:] {
		top = max(top, s)
	}
	for y := range e {
		e[y] = Exp(scores[y] - top)
	}
	return top
}

func dot(a, b *Vector) float32 {
	s, t := float32(0), float32(0)
	for i := 0; i < NumLabels; i += 2 {
		s += float32(a[i] * b[i])
		t += float32(a[i+1] * b[i+1])
	}
	return s + t
}

// Log is the natural logarithm of x, a positive normal number, to four digits: the exponent bits, and of the rest, which lies
// between the root of a half and that of two, the series of the inverse hyperbolic tangent.
func Log(x float32) float32 {
	bits := math.Float32bits(x)
	n := int32(bits>>23) - 127
	m := math.Float32frombits(bits&(1<<23-1) | 127<<23)
	if m > math.Sqrt2 {
		m *= 0.5
		n++
	}
	r := (m - 1) / (m + 1)
	r2 := float32(r * r)
	p := 0.4 + float32(r2*0.2857143)
	p = 0.6666667 + float32(r2*p)
	p = 2 + float32(r2*p)
	return float32(r*p) + float32(float32(n)*math.Ln2)
}

// Exp is e to the x for x not above 0, to four digits: two to the whole part by the exponent bits,
// two to the fraction by a polynomial.
func Exp(x float32) float32 {
	if x < -40 {
		return 0
	}
	y := float32(x * math.Log2E)
	n := float32(int32(y))
	if n > y {
		n--
	}
	r := y - n
	p := 0.009618129 + float32(r*0.0013333558)
	p = 0.05550411 + float32(r*p)
	p = 0.2402265 + float32(r*p)
	p = 0.6931472 + float32(r*p)
	p = 1 + float32(r*p)
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}
