package utility

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// classifier is a linear one: for each label a logistic regression on which
// words and pairs of words occur, trained by AdaGrad (Duchi et al., 2011).
type classifier struct {
	features map[string]int
	labels   []string
	// weights has a row for each feature, and last one for the bias.
	weights [][]float32
}

const (
	passes    = 12
	learning  = 0.5
	shrinking = 1e-6 // L2
)

// train trains a classifier. Equal arguments give an equal one.
func train(texts []string, labels [][]string, seed uint64) *classifier {
	c := &classifier{features: map[string]int{}}
	known := map[string]int{}
	for _, l := range labels {
		for _, x := range l {
			if _, ok := known[x]; !ok {
				known[x] = len(c.labels)
				c.labels = append(c.labels, x)
			}
		}
	}
	rows := make([][]int, len(texts))
	for i, t := range texts {
		rows[i] = c.read(t, true)
	}
	n := len(c.features) + 1
	c.weights = make([][]float32, n)
	squares := make([][]float32, n)
	for i := range n {
		c.weights[i] = make([]float32, len(c.labels))
		squares[i] = make([]float32, len(c.labels))
	}
	random := rand.New(rand.NewPCG(seed, 1))
	order := random.Perm(len(texts))
	scores := make([]float64, len(c.labels))
	for range passes {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			c.score(rows[i], scores)
			for k, s := range scores {
				want := 0.0
				if slices.Contains(labels[i], c.labels[k]) {
					want = 1
				}
				slope := 1/(1+math.Exp(-s)) - want
				if math.Abs(slope) < 1e-4 {
					continue
				}
				for _, f := range rows[i] {
					g := float32(slope) + shrinking*c.weights[f][k]
					squares[f][k] += g * g
					c.weights[f][k] -= learning * g / (1e-6 + float32(math.Sqrt(float64(squares[f][k]))))
				}
			}
		}
	}
	return c
}

// read returns the features of a text, each once, and the bias. Those that are
// new are added if grow is set, else passed over.
func (c *classifier) read(text string, grow bool) []int {
	rows := []int{0}
	add := func(name string) {
		f, ok := c.features[name]
		if !ok {
			if !grow {
				return
			}
			f = len(c.features) + 1
			c.features[name] = f
		}
		if !slices.Contains(rows, f) {
			rows = append(rows, f)
		}
	}
	before := "<"
	for _, w := range strings.FieldsFunc(strings.ToLower(text), separates) {
		add(w)
		add(before + " " + w)
		before = w
	}
	add(before + " >")
	return rows
}

// separates reports whether a character is not part of a word or a tag.
func separates(r rune) bool {
	return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '[' || r == ']' || r == '_' || r == '\'' || r >= 0x80)
}

func (c *classifier) score(row []int, scores []float64) {
	clear(scores)
	for _, f := range row {
		for k, w := range c.weights[f] {
			scores[k] += float64(w)
		}
	}
}

// accuracy is the share of examples whose label has the highest score.
func (c *classifier) accuracy(test []Example) float64 {
	right := 0
	scores := make([]float64, len(c.labels))
	for i := range test {
		c.score(c.read(test[i].Text, false), scores)
		best := 0
		for k, s := range scores {
			if s > scores[best] {
				best = k
			}
		}
		if slices.Contains(test[i].Labels, c.labels[best]) {
			right++
		}
	}
	return float64(right) / float64(max(1, len(test)))
}

// f1 is the micro-averaged F1 score of all labels of all examples.
func (c *classifier) f1(test []Example) float64 {
	hits, wrong, missed := 0, 0, 0
	scores := make([]float64, len(c.labels))
	for i := range test {
		c.score(c.read(test[i].Text, false), scores)
		found := 0
		for k, s := range scores {
			switch said := slices.Contains(test[i].Labels, c.labels[k]); {
			case s > 0 && said:
				hits++
				found++
			case s > 0:
				wrong++
			}
		}
		missed += len(test[i].Labels) - found
	}
	if hits == 0 {
		return 0
	}
	return 2 * float64(hits) / float64(2*hits+wrong+missed)
}
