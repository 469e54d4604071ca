package encoder

import (
	"math"
	"testing"
)

// reference computes a window in float64 as a transformer is defined, with the weights of the file. Only the
// rounding of activations to integers distinguishes it from compute.
type reference struct{ *Model }

func (m reference) apply(l *linear, x []float64) []float64 {
	y := make([]float64, len(l.scales))
	for c := range y {
		sum := 0.0
		for k, v := range x {
			sum += v * float64(int8(l.columns.Values[l.columns.Place(k, c)]))
		}
		y[c] = sum*float64(l.scales[c]) + float64(l.bias[c])
	}
	return y
}

func normed(x []float64, gain, shift []float32) []float64 {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (v-mean)/math.Sqrt(variance)*float64(gain[i]) + float64(shift[i])
	}
	return y
}

func plus(x, y []float64) []float64 {
	sum := make([]float64, len(x))
	for i := range x {
		sum[i] = x[i] + y[i]
	}
	return sum
}

func (m reference) embed(p piece, position int) []float64 {
	w := m.header.width()
	x := make([]float64, w)
	for i := range x {
		x[i] = float64(int8(m.words.values[int(p.id)*w+i]))*float64(m.words.scales[p.id]) +
			float64(int8(m.positions.values[position*w+i]))*float64(m.positions.scales[position]) +
			float64(m.shape[int(p.shape)*w+i]) + float64(m.speaker[int(p.speaker)*w+i])
	}
	return normed(x, m.gain, m.shift)
}

// compute returns the states of the pieces of a window.
func (m reference) compute(window []piece, whole bool) [][]float64 {
	x := make([][]float64, len(window))
	for i, p := range window {
		x[i] = m.embed(p, i)
	}
	w := m.header.width()
	for i := range m.layers {
		l := &m.layers[i]
		projected, next := make([][]float64, len(x)), make([][]float64, len(x))
		for i := range x {
			projected[i] = m.apply(&l.in, x[i])
		}
		for i := range x {
			seen := len(x)
			if !whole {
				seen = turnEnd(window, i)
			}
			y := make([]float64, w)
			for from := 0; from < w; from += headWidth {
				weights, total := make([]float64, seen), 0.0
				for j := range seen {
					score := 0.0
					for d := from; d < from+headWidth; d++ {
						score += projected[i][d] * projected[j][w+d]
					}
					weights[j] = math.Exp2(score)
					total += weights[j]
				}
				for j := range seen {
					for d := from; d < from+headWidth; d++ {
						y[d] += weights[j] / total * projected[j][2*w+d]
					}
				}
			}
			next[i] = normed(plus(x[i], m.apply(&l.out, y)), l.gain, l.shift)
			inner := m.apply(&l.inner, next[i])
			for j, v := range inner {
				inner[j] = v * (1 + math.Erf(v/math.Sqrt2)) / 2
			}
			next[i] = normed(plus(next[i], m.apply(&l.outer, inner)), l.innerGain, l.innerShift)
		}
		x = next
	}
	return x
}

func TestStatesAreThoseOfATransformer(t *testing.T) {
	m := smallModel(t)
	k := m.newWorker()
	for _, whole := range []bool{false, true} {
		var window []piece
		for i, turn := range turnsOf(m, 4, 40) {
			if len(window)+turn.Pieces() <= m.Window() {
				window = m.appendTurn(window, &turn, int32(i))
			}
		}
		k.compute(newCache(&m.header), window, 0, 0, whole, m.header.Layers)
		w, n, square, most := m.header.width(), 0, 0.0, 0.0
		for i, state := range (reference{m}).compute(window, whole) {
			for j, want := range state {
				d := math.Abs(float64(k.x[i*w+j]) - want)
				square, most, n = square+d*d, max(most, d), n+1
			}
		}
		if mean := math.Sqrt(square / float64(n)); mean > 0.03 || most > 0.2 {
			t.Errorf("whole %v: %d numbers differ by %.4f, root of the mean square, and at most by %.4f", whole, n, mean, most)
		} else {
			t.Logf("whole %v: %d numbers differ by %.4f, root of the mean square, and at most by %.4f", whole, n, mean, most)
		}
	}
}
