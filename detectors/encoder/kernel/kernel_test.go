package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// every calls test with each form that this processor has.
func every(t *testing.T, test func(t *testing.T, f *forms)) {
	for _, f := range available() {
		t.Run(f.name, func(t *testing.T) { test(t, f) })
	}
}

func TestABetterFormIsUsed(t *testing.T) {
	every(t, func(t *testing.T, f *forms) {
		if !agrees(f) {
			t.Error("its example has other bits than the portable form's")
		}
	})
	if forms := available(); len(forms) > 0 && Name() != forms[0].name {
		t.Errorf("%s is used, and %s is there", Name(), forms[0].name)
	}
}

func TestAFormThatErrsIsNotUsed(t *testing.T) {
	wrong := portable
	wrong.dot = func(x, y []float32) float32 { return portable.dot(x, y) + 1 }
	if agrees(&wrong) {
		t.Error("an error in the last function was not seen")
	}
	wrong = portable
	wrong.mulWide = func(p *product) { portable.mul(p); p.Sums[len(p.Sums)-1]++ }
	if agrees(&wrong) {
		t.Error("an error in the last sum was not seen")
	}
}

// randomProduct returns a product of a random shape. Its extremes are frequent.
func randomProduct(r *rand.Rand, wide bool) *product {
	p := &product{Rows: 1 + r.IntN(20), Depth: 16 * (1 + r.IntN(12)), Panels: 1 + r.IntN(5)}
	switch r.IntN(8) {
	case 0:
		p.Rows = 1 + r.IntN(80)
	case 1:
		p.Depth = 16 * (1 + r.IntN(32))
		if !wide {
			p.Depth *= 1 + r.IntN(4)
		}
	}
	p.Step = p.Depth + r.IntN(3)*8
	p.B.Stride = p.Depth*Panel + r.IntN(3)*64
	p.A = make([]int16, (p.Rows-1)*p.Step+p.Depth)
	for i := range p.A {
		switch v := r.IntN(6); {
		case wide && v == 0:
			p.A[i] = Wide
		case wide:
			p.A[i] = int16(r.IntN(Wide + 1))
		case v < 2:
			p.A[i] = int16(Narrow * (2*v - 1))
		default:
			p.A[i] = int16(r.IntN(2*Narrow+1) - Narrow)
		}
	}
	p.B.Values = make([]byte, (p.Panels-1)*p.B.Stride+p.Depth*Panel)
	for i := range p.B.Values {
		v := r.IntN(2*Narrow+1) - Narrow
		if r.IntN(4) == 0 {
			v = Narrow * (1 - 2*r.IntN(2))
		}
		p.B.Values[i] = byte(int8(v))
	}
	p.Sums = make([]int32, p.Rows*p.Panels*Panel)
	return p
}

func sameProducts(t *testing.T, f *forms, r *rand.Rand) {
	for _, wide := range []bool{false, true} {
		p := randomProduct(r, wide)
		mul := f.mul
		if wide {
			mul = f.mulWide
		}
		portable.mul(p)
		want := slices.Clone(p.Sums)
		clear(p.Sums)
		mul(p)
		if !slices.Equal(p.Sums, want) {
			t.Fatalf("wide %v, %d rows, depth %d, %d panels: other sums", wide, p.Rows, p.Depth, p.Panels)
		}
	}
}

func TestProductsAreTheSame(t *testing.T) {
	every(t, func(t *testing.T, f *forms) {
		r := rand.New(rand.NewPCG(1, 1))
		for range 300 {
			sameProducts(t, f, r)
		}
	})
}

// A product is what its definition says: the order of columns in memory is Columns.Place.
func TestProductIsAProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 20 {
		p := randomProduct(r, false)
		p.Mul()
		for row := range p.Rows {
			for c := range p.Panels * Panel {
				want := int32(0)
				for k := range p.Depth {
					want += int32(p.A[row*p.Step+k]) * int32(int8(p.B.Values[p.B.Place(k, c)]))
				}
				if got := p.Sums[row*p.Panels*Panel+c]; got != want {
					t.Fatalf("row %d, column %d: %d, want %d", row, c, got, want)
				}
			}
		}
	}
}

func TestLargestWideSumFits(t *testing.T) {
	p := &product{Rows: 1, Depth: 512, Panels: 1, Step: 512, A: slices.Repeat([]int16{Wide}, 512),
		B: Columns{Values: slices.Repeat([]byte{Narrow}, 512*Panel), Stride: 512 * Panel}, Sums: make([]int32, Panel)}
	p.MulWide()
	if p.Sums[15] != 512*Wide*Narrow {
		t.Errorf("the sum is %d", p.Sums[15])
	}
}

func TestProductsThatDoNotFitPanic(t *testing.T) {
	for name, spoil := range map[string]func(p *product){
		"depth":   func(p *product) { p.Depth += 8 },
		"A":       func(p *product) { p.A = p.A[1:] },
		"columns": func(p *product) { p.B.Values = p.B.Values[1:] },
		"sums":    func(p *product) { p.Sums = p.Sums[1:] },
		"rows":    func(p *product) { p.Rows = -1 },
	} {
		p := randomProduct(rand.New(rand.NewPCG(3, 1)), false)
		spoil(p)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			p.Mul()
		}()
	}
}

// vector returns n numbers of very different magnitude.
func vector(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * math.Pow(2, float64(r.IntN(12)-6)))
		if r.IntN(20) == 0 {
			x[i] = 0
		}
	}
	return x
}

func sums(r *rand.Rand, n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(r.Uint32()) >> r.IntN(28)
	}
	return s
}

func bitsOf(x ...float32) []uint32 {
	var bits []uint32
	for _, v := range x {
		bits = append(bits, math.Float32bits(v))
	}
	return bits
}

// results applies all functions but the products to random vectors, and returns their results.
func results(f *forms, r *rand.Rand) map[string][]uint32 {
	parts := 1 + r.IntN(4)
	n := parts * Lanes * (1 + r.IntN(8))
	got := map[string][]uint32{}
	x, w, bias, s := sums(r, n), vector(r, n), vector(r, n), float32(r.Float64()/1e4)
	y := vector(r, n)
	f.add(y, x, w, s, bias)
	got["add"] = bitsOf(y...)
	f.norm(y, w, bias)
	got["norm"] = bitsOf(y...)
	f.scale(y, x, w, s, bias)
	got["scale"] = bitsOf(y...)
	f.gelu(y, x, w, s, bias)
	got["gelu"] = bitsOf(y...)
	y = vector(r, n)
	peaks := make([]float32, parts)
	f.peaks(peaks, y)
	got["peaks"] = bitsOf(peaks...)
	if r.IntN(3) == 0 {
		peaks[0] = 0
	}
	q := make([]int16, n)
	f.quantize(q, y, peaks, float32(Narrow+r.IntN(2)*(Wide-Narrow)))
	for _, v := range q {
		got["quantize"] = append(got["quantize"], uint32(uint16(v)))
	}
	values := vector(r, n)
	for i := range values {
		values[i] = magnitude(values[i])
	}
	total, peak := f.exponents(y, x, w, values, n-r.IntN(Lanes), s/1e4)
	got["exponents"] = bitsOf(append(y, total, peak)...)
	got["dot"] = bitsOf(f.dot(w, bias))
	return got
}

func sameVectors(t *testing.T, f *forms, seed uint64) {
	got := results(f, rand.New(rand.NewPCG(seed, 2)))
	for name, want := range results(&portable, rand.New(rand.NewPCG(seed, 2))) {
		if !slices.Equal(got[name], want) {
			t.Errorf("%s: other bits", name)
		}
	}
}

func TestVectorsAreTheSame(t *testing.T) {
	every(t, func(t *testing.T, f *forms) {
		for seed := range uint64(500) {
			sameVectors(t, f, seed)
		}
	})
}

func FuzzFormsAreTheSame(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		every(t, func(t *testing.T, f *forms) {
			sameProducts(t, f, rand.New(rand.NewPCG(seed, 1)))
			sameVectors(t, f, seed)
		})
	})
}

func TestGeluIsCloseToGelu(t *testing.T) {
	for x := -30.0; x <= 30; x += 1.0 / 512 {
		want := x * (1 + math.Erf(x/math.Sqrt2)) / 2
		if got := float64(gelu(float32(x))); math.Abs(got-want) > 2e-5*max(1, math.Abs(x)) {
			t.Fatalf("gelu(%g) = %g, want %g", x, got, want)
		}
	}
}

func TestExp2IsCloseToPowers(t *testing.T) {
	for x := 0.0; x > -100; x -= 1.0 / 512 {
		want := math.Exp2(x)
		if got := float64(Exp2(float32(x))); math.Abs(got/want-1) > 3e-6 {
			t.Fatalf("2^%g = %g, want %g", x, got, want)
		}
	}
	if Exp2(-1e30) != Exp2(leastExponent) {
		t.Error("a very small power is not the least one")
	}
}

func TestSoftmaxWeighs(t *testing.T) {
	const n, padded = 37, 48
	r := rand.New(rand.NewPCG(5, 5))
	x, keys, values := sums(r, padded), vector(r, padded), vector(r, padded)
	for i := range x {
		x[i] %= 1000
		keys[i], values[i] = magnitude(keys[i]), magnitude(values[i])
	}
	const s = 1.0 / 512
	p, e := make([]int16, padded), make([]float32, padded+1)
	scale := []float32{s}
	Softmax(p, scale, e, x, keys, values, n)
	most := math.Inf(-1)
	for i := range n {
		most = max(most, float64(x[i])*s*float64(keys[i]))
	}
	total, largest := 0.0, 0.0
	for i := range n {
		total += math.Exp2(float64(x[i])*s*float64(keys[i]) - most)
	}
	for i := range n {
		largest = max(largest, math.Exp2(float64(x[i])*s*float64(keys[i])-most)/total*float64(values[i]))
	}
	for i := range p {
		want := 0.0
		if i < n {
			want = math.Exp2(float64(x[i])*s*float64(keys[i])-most) / total * float64(values[i])
		}
		if got := float64(p[i]) * float64(scale[0]); math.Abs(got-want) > largest/Wide*0.6+1e-5*want {
			t.Fatalf("position %d: %g, want %g", i, got, want)
		}
	}
}

func TestQuantizeKeepsWhatItCan(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	x := vector(r, 96)
	clear(x[32:64])
	q, scales := make([]int16, 96), make([]float32, 3)
	Quantize(q, scales, x)
	for i, v := range x {
		if math.Abs(float64(v-float32(q[i])*scales[i/32])) > 0.51*float64(scales[i/32]) {
			t.Fatalf("%d: %g became %d steps of %g", i, v, q[i], scales[i/32])
		}
	}
	if scales[1] != 0 {
		t.Errorf("a step of nothing is %g", scales[1])
	}
}
