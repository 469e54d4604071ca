// Package boost trains decision trees whose values add up, on whole numbers and with whole sums, so that the same rows
// give the same trees everywhere.
package boost

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Options say how trees are grown.
type Options struct {
	// Trees is how many there are, and Leaves how many leaves each has at most.
	Trees, Leaves int
	// Rate is the share of what a tree says that counts.
	Rate float64
	// Features is the share of the features that a tree may ask about.
	Features float64
	// Fewest is how many rows a leaf has at least, and Penalty what its value is held back by.
	Fewest  int
	Penalty float64
}

// Choice is a choice among rows: the candidates of one mention. If none of them is right, none should be chosen.
type Choice struct {
	// First and End say which rows the candidates are.
	First, End int
	// Weight is how much the choice counts.
	Weight int
}

// Rows are what is learned from.
type Rows struct {
	// X has the features of each row, Right whether it is to be chosen.
	X       [][]int16
	Right   []bool
	Choices []Choice
}

// Add appends other rows with their choices.
func (r *Rows) Add(other *Rows) {
	shift := len(r.X)
	r.X, r.Right = append(r.X, other.X...), append(r.Right, other.Right...)
	for _, c := range other.Choices {
		c.First, c.End = c.First+shift, c.End+shift
		r.Choices = append(r.Choices, c)
	}
}

// Scale is the value of a model that makes e to 1.
const Scale = 1 << 12

// whole is how many steps of a gradient make one.
const whole = 1 << 20

// node is a node of a tree, as in the format of the model.
type node struct {
	feature, most, left, right int
	value                      int
}

// Train grows trees by which the right candidate has the highest score, and none above 0 if none is right. It returns
// the lines of a model.
func Train(r *Rows, o Options) string {
	t := &trainer{rows: r, options: o, scores: make([]int, len(r.X)), gradient: make([]int64, len(r.X)), curvature: make([]int64, len(r.X))}
	t.bin()
	base := t.base()
	for i := range t.scores {
		t.scores[i] = base
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d,0\n", base)
	for n := range o.Trees {
		t.slopes()
		writeTree(&out, t.grow(n))
	}
	return out.String()
}

func writeTree(out *strings.Builder, tree []node) {
	for i, n := range tree {
		if i > 0 {
			out.WriteByte(',')
		}
		if n.feature < 0 {
			fmt.Fprint(out, n.value)
		} else {
			fmt.Fprintf(out, "%d %d %d %d", n.feature, n.most, n.left, n.right)
		}
	}
	out.WriteByte('\n')
}

type trainer struct {
	rows                *Rows
	options             Options
	scores              []int
	gradient, curvature []int64
	// bins has for each feature the place of each row's value among values, its different values.
	bins   [][]uint16
	values [][]int16
}

// bin finds the different values of each feature.
func (t *trainer) bin() {
	for f := range t.rows.X[0] {
		var values []int16
		for _, x := range t.rows.X {
			values = append(values, x[f])
		}
		slices.Sort(values)
		values = slices.Clip(slices.Compact(values))
		bins := make([]uint16, len(t.rows.X))
		for i, x := range t.rows.X {
			k, _ := slices.BinarySearch(values, x[f])
			bins[i] = uint16(k)
		}
		t.values, t.bins = append(t.values, values), append(t.bins, bins)
	}
}

// base is the score by which as many rows are right as are.
func (t *trainer) base() int {
	right := 1
	for _, r := range t.rows.Right {
		if r {
			right++
		}
	}
	return int(math.Round(math.Log(float64(right)/float64(len(t.rows.Right)-right+2)) * Scale))
}

// slopes computes in which direction, and how much, each score should move.
func (t *trainer) slopes() {
	for _, c := range t.rows.Choices {
		none := true
		sum, right := 1.0, 0.0
		p := make([]float64, c.End-c.First)
		for i := range p {
			p[i] = math.Exp(float64(t.scores[c.First+i]) / Scale)
			sum += p[i]
			if t.rows.Right[c.First+i] {
				none = false
				right += p[i]
			}
		}
		for i := range p {
			row := c.First + i
			share, want := p[i]/sum, 0.0
			if !none && t.rows.Right[row] {
				want = p[i] / right
			}
			t.gradient[row] = int64(c.Weight) * int64(math.Round((want-share)*whole))
			t.curvature[row] = int64(c.Weight) * int64(math.Round(max(float64(share*(1-share)), 1e-4)*whole))
		}
	}
}

// leaf is a leaf that may still be divided.
type leaf struct {
	rows     []int32
	at       int
	g, h     int64
	gain     float64
	feature  int
	bin      int
	splits   bool
	gl, hl   int64
	leftRows int
}

// grow grows tree n, leaf by leaf, and adds it to the scores.
func (t *trainer) grow(n int) []node {
	features := t.sample(n)
	all := make([]int32, len(t.rows.X))
	root := leaf{rows: all}
	for i := range all {
		all[i] = int32(i)
		root.g, root.h = root.g+t.gradient[i], root.h+t.curvature[i]
	}
	t.divide(&root, features)
	tree, leaves := []node{{feature: -1}}, []leaf{root}
	for len(leaves) < t.options.Leaves {
		best := -1
		for i := range leaves {
			if leaves[i].splits && (best < 0 || leaves[i].gain > leaves[best].gain) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		a, b := t.split(&leaves[best], features)
		a.at, b.at = len(tree), len(tree)+1
		l := &leaves[best]
		tree[l.at] = node{feature: l.feature, most: int(t.values[l.feature][l.bin]), left: a.at, right: b.at}
		tree = append(tree, node{feature: -1}, node{feature: -1})
		leaves[best] = a
		leaves = append(leaves, b)
	}
	for i := range leaves {
		l := &leaves[i]
		v := float64(l.g) / (float64(l.h) + float64(t.options.Penalty*whole))
		tree[l.at].value = int(math.Round(float64(v*t.options.Rate) * Scale))
		for _, row := range l.rows {
			t.scores[row] += tree[l.at].value
		}
	}
	return tree
}

// sample returns the features that tree n may ask about.
func (t *trainer) sample(n int) []int {
	seed := uint64(n)*0x9e3779b97f4a7c15 + 1
	features := make([]int, len(t.bins))
	for i := range features {
		features[i] = i
	}
	for i := len(features) - 1; i > 0; i-- {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		k := int(seed % uint64(i+1))
		features[i], features[k] = features[k], features[i]
	}
	features = features[:max(1, int(math.Round(float64(len(features))*t.options.Features)))]
	slices.Sort(features)
	return features
}

// divide finds the question that divides a leaf best.
func (t *trainer) divide(l *leaf, features []int) {
	if len(l.rows) < 2*t.options.Fewest {
		return
	}
	type sums struct {
		g, h int64
		n    int
	}
	var memory []sums
	whole := t.worth(l.g, l.h)
	for _, f := range features {
		n := len(t.values[f])
		if n < 2 {
			continue
		}
		memory = append(memory[:0], make([]sums, n)...)
		bins := t.bins[f]
		for _, row := range l.rows {
			s := &memory[bins[row]]
			s.g, s.h, s.n = s.g+t.gradient[row], s.h+t.curvature[row], s.n+1
		}
		var left sums
		for b := range n - 1 {
			left.g, left.h, left.n = left.g+memory[b].g, left.h+memory[b].h, left.n+memory[b].n
			if left.n < t.options.Fewest {
				continue
			}
			if len(l.rows)-left.n < t.options.Fewest {
				break
			}
			if gain := t.worth(left.g, left.h) + t.worth(l.g-left.g, l.h-left.h) - whole; gain > l.gain {
				l.gain, l.feature, l.bin, l.splits, l.gl, l.hl, l.leftRows = gain, f, b, true, left.g, left.h, left.n
			}
		}
	}
}

func (t *trainer) worth(g, h int64) float64 {
	x := float64(g) / whole
	return float64(x*x) / (float64(h)/whole + t.options.Penalty)
}

// split divides a leaf in two.
func (t *trainer) split(l *leaf, features []int) (a, b leaf) {
	a.rows, b.rows = make([]int32, 0, l.leftRows), make([]int32, 0, len(l.rows)-l.leftRows)
	bins := t.bins[l.feature]
	for _, row := range l.rows {
		if int(bins[row]) <= l.bin {
			a.rows = append(a.rows, row)
		} else {
			b.rows = append(b.rows, row)
		}
	}
	a.g, a.h, b.g, b.h = l.gl, l.hl, l.g-l.gl, l.h-l.hl
	t.divide(&a, features)
	t.divide(&b, features)
	return a, b
}
