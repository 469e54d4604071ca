package kernel

// Lanes is how many partial sums a sum of float32 has. Vectors have a multiple of as many numbers.
const Lanes = 16

// Narrow and Wide are the largest integers that stand for numbers: those of activations and weights, and
// those of the weights of attention, which need more precision because many small ones add up. A sum of
// 512 products of a wide and a narrow integer fits in 31 bits.
const (
	Narrow = 127
	Wide   = 16383
)

// forms are the functions of this package for one kind of processor. All slices have been checked.
type forms struct {
	name string
	// mul and mulWide compute Product.Mul; a has narrow or wide integers.
	mul, mulWide func(p *product)
	// peaks sets every peak to the largest magnitude in its part of x.
	peaks func(peaks, x []float32)
	// quantize sets every number of q to that of x in steps of which most are the peak of its part, rounded to
	// even, and to zero where the peak is tiny or less.
	quantize func(q []int16, x, peaks []float32, most float32)
	scale    func(y []float32, sums []int32, weights []float32, s float32, bias []float32)
	add      func(y []float32, sums []int32, weights []float32, s float32, bias []float32)
	gelu     func(y []float32, sums []int32, weights []float32, s float32, bias []float32)
	norm     func(x, gain, shift []float32)
	// exponents sets e to powers of two of the scores of the first n sums, and to zero behind them;
	// then weighs them by values, and returns the total of e and the largest of what it has weighed.
	exponents func(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32)
	dot       func(x, y []float32) float32
}

var active = choose()

// Name says which form is used.
func Name() string { return active.name }

// choose returns the best form that this processor has, if it computes an example as the portable one does.
func choose() *forms {
	for _, f := range available() {
		if agrees(f) {
			return f
		}
	}
	return &portable
}

// Quantize sets q to integers of at most Narrow that stand for x, and scales to what one step stands for
// in every part of x.
func Quantize(q []int16, scales, x []float32) {
	part(len(x), len(scales))
	active.peaks(scales, x)
	active.quantize(q[:len(x)], x, scales, Narrow)
	for i, peak := range scales {
		scales[i] = step(peak, Narrow)
	}
}

// tiny is what becomes zero.
const tiny = 1e-30

// step returns what one step is, so that most of them are peak.
func step(peak, most float32) float32 {
	if peak > tiny {
		return peak / most
	}
	return 0
}

// Scale sets y to what sums stand for: sum x (s x weight) + bias, column by column.
func Scale(y []float32, sums []int32, weights []float32, s float32, bias []float32) {
	n := len(y)
	part(n, 1)
	active.scale(y, sums[:n], weights[:n], s, bias[:n])
}

// Add adds to y what sums stand for.
func Add(y []float32, sums []int32, weights []float32, s float32, bias []float32) {
	n := len(y)
	part(n, 1)
	active.add(y, sums[:n], weights[:n], s, bias[:n])
}

// Gelu sets y to GELU of what sums stand for.
func Gelu(y []float32, sums []int32, weights []float32, s float32, bias []float32) {
	n := len(y)
	part(n, 1)
	active.gelu(y, sums[:n], weights[:n], s, bias[:n])
}

// Norm shifts and scales x to mean 0 and variance 1, and then by gain and shift.
func Norm(x, gain, shift []float32) {
	n := len(x)
	part(n, 1)
	active.norm(x, gain[:n], shift[:n])
}

// Dot returns the sum of the products of x and y.
func Dot(x, y []float32) float32 {
	part(len(x), 1)
	return active.dot(x, y[:len(x)])
}

// Softmax sets rows of p, as many as there are scales, to the weights of attention of n positions, as wide integers;
// a row has n numbers, rounded up to whole vectors. The score of a position, as the logarithm to base 2 of its weight,
// is sum x (the row's scale x key). The weights are those of values of which one step is as in values. e is memory for
// one number more in every row. The scales become what one step of a product of p and of steps of values stands for.
func Softmax(p []int16, scales, e []float32, sums []int32, keys, values []float32, n int) {
	padded, rows := (n+Lanes-1)/Lanes*Lanes, len(scales)
	part(padded, 1)
	keys, values = keys[:padded], values[:padded]
	totals, e := e[rows*padded:][:rows], e[:rows*padded]
	for i, s := range scales {
		row := e[i*padded : (i+1)*padded]
		totals[i], scales[i] = active.exponents(row, sums[i*padded:][:padded], keys, values, n, s)
	}
	active.quantize(p[:len(e)], e, scales, Wide)
	for i, peak := range scales {
		scales[i] = step(peak, Wide) / totals[i]
	}
}

// part panics unless n numbers divide into parts of whole vectors.
func part(n, parts int) {
	if n <= 0 || parts <= 0 || n%(parts*Lanes) != 0 {
		panic("kernel: a vector is not a multiple of 16 numbers")
	}
}
