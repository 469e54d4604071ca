package linking

import (
	_ "embed"
	"strconv"
	"strings"

	"sotto/internal/ruledata"
)

//go:embed pairs.model
var pairsText string

// pairs is the model that decides whether a mention and a person are one; training/who trains it.
var pairs = mustForest(ruledata.Text("state/pairs.model", pairsText))

// node is a node of a decision tree: a leaf, with its value, or a question whether a feature is at most a number.
type node struct {
	feature     int16 // -1 for a leaf
	most        int16
	left, right int16 // positions of the next nodes, where it is and where it is not
	value       int32
}

// forest is decision trees whose values add up, on the scale of package training/who/boost. All numbers are whole, so that
// every machine decides the same.
type forest struct {
	base, threshold int32
	nodes           []node
	roots           []int
}

// score adds up what the trees say about the numbers of a pair or a couple.
func (f *forest) score(p []int16) int32 {
	sum := f.base
	for _, root := range f.roots {
		n := &f.nodes[root]
		for n.feature >= 0 {
			next := n.right
			if p[n.feature] <= n.most {
				next = n.left
			}
			n = &f.nodes[root+int(next)]
		}
		sum += n.value
	}
	return sum
}

// mustForest reads a forest: a line with the base and the threshold, then a line for each tree, whose nodes are
// "feature most left right" or one value.
func mustForest(text string) *forest {
	f := &forest{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fields := strings.Split(line, ",")
		if i == 0 {
			f.base, f.threshold = int32(number(fields[0])), int32(number(fields[1]))
			continue
		}
		f.roots = append(f.roots, len(f.nodes))
		for _, field := range fields {
			n := node{feature: -1}
			if v := strings.Fields(field); len(v) == 1 {
				n.value = int32(number(v[0]))
			} else {
				n.feature, n.most, n.left, n.right = int16(number(v[0])), int16(number(v[1])), int16(number(v[2])), int16(number(v[3]))
			}
			f.nodes = append(f.nodes, n)
		}
	}
	return f
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("linking: a model is broken: " + err.Error()) // cannot happen: it is part of the program
	}
	return n
}

// NobodyIsOne and AllAreOne are models of couples for TryModels: nobody, or any two persons, are one.
const NobodyIsOne, AllAreOne = "-1000000,0\n0", "1000000,0\n0"

// TryModels lets another model of pairs, and one of couples, decide while it runs do, for the training of models: nothing else
// may link meanwhile. An empty one stays as it is.
func TryModels(ofPairs, ofCouples string, do func()) {
	before := [...]*forest{pairs, couples}
	defer func() { pairs, couples = before[0], before[1] }()
	if ofPairs != "" {
		pairs = mustForest(ofPairs)
	}
	if ofCouples != "" {
		couples = mustForest(ofCouples)
	}
	do()
}
