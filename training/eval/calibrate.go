package eval

import (
	"fmt"
	"math"

	"sotto/risk/estimate"
)

// Calibrate finds the weights, none of them negative, with which the figures of package estimate
// come closest to the risk by the labels. It returns what they were found from, too: the sums of the figures.
func Calibrate(sets []Set, a Anonymizer, o Options) (w estimate.Weights, total estimate.Figures, err error) {
	o.weights = weightsOf(a)
	var rows []row
	for _, s := range sets {
		share := min(1, maxCalls/float64(max(1, len(s.Conversations))))
		for i := range s.Conversations {
			measured, err := measure(&s.Conversations[i], a, &o)
			if err != nil {
				return w, total, fmt.Errorf("%s: line %d, %w", s.Name, s.Conversations[i].Line, err)
			}
			r := row{x: measured.figures, points: measured.scores[0]}
			sum := 0.0
			for k, x := range r.x {
				total[k] += x
				sum += x
			}
			// A long call varies more, and must not weigh more than several short ones.
			r.weight = share / (1 + sum/5)
			rows = append(rows, r)
		}
	}
	return fit(rows), total, nil
}

// maxCalls is how many calls a set counts for at most.
const maxCalls = 100

// row is the figures of a call and its risk by the labels.
type row struct {
	x      estimate.Figures
	points float64
	weight float64
}

// Ridge draws the weights of rare figures towards typical, in points.
const ridge, typical = 4, 0.02

// fit is a least squares fit by cyclic coordinate descent.
func fit(rows []row) (rounded estimate.Weights) {
	var w estimate.Figures
	for range 1000 {
		for k := range w {
			num, den := ridge*typical, float64(ridge)
			for i := range rows {
				r := &rows[i]
				if r.x[k] == 0 {
					continue
				}
				rest := r.points
				for j, x := range r.x {
					if j != k {
						rest -= w[j] * x
					}
				}
				num += r.weight * r.x[k] * rest
				den += r.weight * r.x[k] * r.x[k]
			}
			w[k] = max(0, num/den)
		}
	}
	for k := range w {
		rounded[k] = int64(math.Round(1000 * w[k]))
	}
	return rounded
}
