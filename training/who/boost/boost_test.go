package boost

import (
	"strconv"
	"strings"
	"testing"
)

// choices are choices between two candidates, of whom the one with the larger first feature is right if that is over 50;
// else none is. The second feature says nothing.
func choices() *Rows {
	r := &Rows{}
	for i := range 400 {
		a, b := int16(i*37%101), int16(i*61%97)
		r.X = append(r.X, []int16{a, int16(i % 7)}, []int16{b, int16(i % 5)})
		r.Right = append(r.Right, a > b && a > 50, b > a && b > 50)
		r.Choices = append(r.Choices, Choice{First: 2 * i, End: 2*i + 2, Weight: 1})
	}
	return r
}

func TestTrain(t *testing.T) {
	o := Options{Trees: 60, Leaves: 4, Rate: 0.3, Features: 1, Fewest: 5, Penalty: 1}
	model := Train(choices(), o)
	if model != Train(choices(), o) {
		t.Error("the same rows give another model")
	}
	lines := strings.Split(strings.TrimSpace(model), "\n")
	if len(lines) != 1+o.Trees {
		t.Fatalf("%d lines for %d trees", len(lines), o.Trees)
	}
	for _, c := range []struct {
		x     int16
		right bool
	}{{95, true}, {10, false}} {
		if got := score(t, lines, []int16{c.x, 3}); got > 0 != c.right {
			t.Errorf("%d has score %d", c.x, got)
		}
	}
}

// score adds up what the lines of a model say, as state does.
func score(t *testing.T, lines []string, x []int16) int {
	base, _, _ := strings.Cut(lines[0], ",")
	sum := number(t, base)
	for _, line := range lines[1:] {
		nodes := strings.Split(line, ",")
		n := strings.Fields(nodes[0])
		for len(n) == 4 {
			next := n[3]
			if int(x[number(t, n[0])]) <= number(t, n[1]) {
				next = n[2]
			}
			n = strings.Fields(nodes[number(t, next)])
		}
		sum += number(t, n[0])
	}
	return sum
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal("the model is no model")
	}
	return n
}
