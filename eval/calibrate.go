package eval

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"sotto/corpus/gold"
	"sotto/detectors"
	"sotto/risk"
	"sotto/risk/estimate"
)

// Calibration is what labelled conversations show about package estimate's candidates, and about
// what leaves none.
type Calibration struct {
	Kinds map[estimate.Kind]estimate.Calibration
	// Candidates counts those of each kind.
	Candidates map[estimate.Kind]int
	// PerUtterance, PerPiece and PerDirect are the points left without a trace
	// for each utterance, and for each piece of information that was found:
	// one that does not identify by itself, one that does.
	PerUtterance, PerPiece, PerDirect float64
}

// Calibrate measures how often candidates are what was missed. Every set has
// the same weight, whatever its size.
func Calibrate(sets []Set, a Anonymizer, o Options) (*Calibration, error) {
	var sum calibrator
	for _, s := range sets {
		weight := 1 / float64(max(1, len(s.Conversations)))
		for i := range s.Conversations {
			c := &s.Conversations[i]
			masks, subthreshold, err := anonymizeWithSubthreshold(a, c)
			if err != nil {
				return nil, fmt.Errorf("%s: line %d, %w", s.Name, c.Line, err)
			}
			sum.call(c, masks, subthreshold, &o, weight)
		}
	}
	return sum.result(), nil
}

type calibrator struct {
	kinds [estimate.MaxKind + 1]kindSum
	rows  []untraced
}

type kindSum struct {
	candidates            int
	weight, right, points float64 // weighted
}

// untraced is what was missed in a call without leaving a candidate, and what it may be estimated
// from: utterances, indirect and direct pieces found.
type untraced struct {
	weight, points float64
	x              [3]float64
}

// left is a missed span.
type left struct {
	start, end int
	key        string
	points     int
}

func (s *calibrator) call(c *gold.Conversation, masks [][]Mask, subthreshold [][]detectors.SubthresholdFinding, o *Options, weight float64) {
	table := o.table()
	var e estimator
	seen := map[string]bool{}
	credited := map[string]bool{}
	all := map[string]int{}
	for i := range c.Utterances {
		u := newTurn(c, i, masks[i], o)
		var missed []left
		for _, g := range u.gold {
			cov := u.cover(g)
			if cov.whole {
				continue
			}
			points := table.Points(risk.Piece{Type: g.Type, Value: cov.left, Partial: cov.visible < cov.content, Speaker: g.OfSpeaker})
			l := left{g.Start, g.End, g.Type + " " + strings.ToLower(cov.left), points}
			missed = append(missed, l)
			all[l.key] = points
		}
		e.look(u, subthreshold[i])
		credit := func(kind estimate.Kind, from, to int) {
			k := &s.kinds[kind]
			k.candidates++
			k.weight += weight
			for _, l := range missed {
				if from < l.end && l.start < to && !credited[l.key] && l.points > 0 {
					credited[l.key] = true
					k.right += weight
					k.points += weight * float64(l.points)
					break
				}
			}
		}
		raw := c.Utterances[i].Text
		for k, d := range subthreshold[i] {
			words := strings.Fields(strings.ToLower(d.Text))
			if len(words) == 0 || seen[words[0]] {
				continue
			}
			for _, w := range words {
				seen[w] = true
			}
			from := utf8.RuneCountInString(raw[:d.Start])
			credit(estimate.KindOf(&subthreshold[i][k]), from, from+utf8.RuneCountInString(d.Text))
		}
		text := u.clean()
		estimate.Scan(&e.doc, text.text, text.masks, func(x estimate.Candidate) bool {
			word := strings.ToLower(text.text[x.Start:x.End])
			if seen[word] {
				return true
			}
			seen[word] = true
			credit(x.Kind, text.from[e.doc.RuneOffset(x.Start)], text.from[e.doc.RuneOffset(x.End)-1]+1)
			return true
		})
	}
	row := untraced{weight: weight, x: [3]float64{float64(len(c.Utterances)), float64(e.found.All - e.found.Direct), float64(e.found.Direct)}}
	for key, points := range all {
		if !credited[key] {
			row.points += float64(points)
		}
	}
	s.rows = append(s.rows, row)
}

func (s *calibrator) result() *Calibration {
	c := &Calibration{Kinds: map[estimate.Kind]estimate.Calibration{}, Candidates: map[estimate.Kind]int{}}
	for _, k := range estimate.Kinds() {
		sum := &s.kinds[k]
		c.Candidates[k] = sum.candidates
		if k != estimate.RestOfName {
			c.Kinds[k] = sum.calibration()
		}
	}
	w := fit(s.rows)
	c.PerUtterance, c.PerPiece, c.PerDirect = w[0], w[1], w[2]
	return c
}

// A kind that was seen rarely is drawn towards what is typical of all kinds: a
// tenth of ten candidates, of three points each.
const (
	typicalOf     = 10
	typicalRight  = 1
	typicalPoints = 3
)

func (s *kindSum) calibration() estimate.Calibration {
	n, right, points := float64(s.candidates), 0.0, 0.0
	if s.weight > 0 {
		right, points = n*s.right/s.weight, n*s.points/s.weight
	}
	return estimate.Calibration{
		Probability: (right + typicalRight) / (n + typicalOf),
		Points:      (points + typicalRight*typicalPoints) / (right + typicalRight),
	}
}

// fit finds the weights, none of them negative, that come closest to the points
// left without a trace: least squares by cyclic coordinate descent. A long call
// weighs no more than a short one.
func fit(rows []untraced) (w [3]float64) {
	for range 500 {
		for k := range w {
			var num, den float64
			for _, r := range rows {
				scale := r.weight / (1 + r.x[0])
				rest := r.points
				for j := range w {
					if j != k {
						rest -= w[j] * r.x[j]
					}
				}
				num += scale * r.x[k] * rest
				den += scale * r.x[k] * r.x[k]
			}
			w[k] = max(0, num/cmp.Or(den, 1))
		}
	}
	return w
}
