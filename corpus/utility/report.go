package utility

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sotto/internal/texttable"
)

// Set is one data set.
type Set struct {
	Name        string
	Train, Test []Example
}

// multiLabel reports whether utterances have several labels or none.
func (s *Set) multiLabel() bool {
	return slices.ContainsFunc(s.Train, func(e Example) bool { return len(e.Labels) != 1 })
}

// SetInfo describes a data set. Metric is accuracy, or micro F1 where utterances
// have several labels; the others are counts.
type SetInfo struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Labels int    `json:"labels"`
	Slots  int    `json:"slots"`
	Train  int    `json:"train"`
	Test   int    `json:"test"`
}

// Cell is a score over the seeds, in percent.
type Cell struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// Row is one treatment with a cell for each set.
type Row struct {
	Strategy string `json:"strategy"`
	Source   string `json:"surrogates"`
	Cells    []Cell `json:"cells"`
}

// Report is the table.
type Report struct {
	Sets        []SetInfo `json:"sets"`
	Seeds       int       `json:"seeds"`
	Probability float64   `json:"probability"`
	Rows        []Row     `json:"rows"`
}

// Measure trains and tests with each treatment and seed 1 to seeds. p is the
// replacement probability. Equal arguments give an equal report. It ends early,
// with the error of ctx, when that is done.
func Measure(ctx context.Context, sets []Set, seeds int, p float64) (*Report, error) {
	r := &Report{Seeds: seeds, Probability: p}
	for _, t := range Treatments() {
		r.Rows = append(r.Rows, Row{Strategy: t.Name, Source: t.Source})
	}
	for i := range sets {
		s := &sets[i]
		r.describe(s)
		labels := make([][]string, len(s.Train))
		for k := range s.Train {
			labels[k] = s.Train[k].Labels
		}
		for row, t := range Treatments() {
			var scores []float64
			for seed := range uint64(seeds) {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				texts, err := t.apply(s.Train, seed+1, p)
				if err != nil {
					return nil, err
				}
				c := train(texts, labels, seed+1)
				if s.multiLabel() {
					scores = append(scores, 100*c.f1(s.Test))
				} else {
					scores = append(scores, 100*c.accuracy(s.Test))
				}
			}
			r.Rows[row].Cells = append(r.Rows[row].Cells, cell(scores))
		}
	}
	return r, nil
}

func (r *Report) describe(s *Set) {
	labels, slots := map[string]bool{}, map[string]bool{}
	for _, e := range s.Train {
		for _, l := range e.Labels {
			labels[l] = true
		}
		for _, x := range e.Spans {
			slots[x.Class] = true
		}
	}
	r.Sets = append(r.Sets, SetInfo{s.Name, "accuracy", len(labels), len(slots), len(s.Train), len(s.Test)})
	if s.multiLabel() {
		r.Sets[len(r.Sets)-1].Metric = "micro F1"
	}
}

// cell is the mean and the sample deviation.
func cell(scores []float64) Cell {
	var c Cell
	for _, s := range scores {
		c.Mean += s / float64(len(scores))
	}
	if len(scores) < 2 {
		return c
	}
	for _, s := range scores {
		c.Deviation += (s - c.Mean) * (s - c.Mean) / float64(len(scores)-1)
	}
	c.Deviation = math.Sqrt(c.Deviation)
	return c
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	if err := r.table().Write(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, texttable.Wrap(r.notes(), 2))
	return err
}

// WriteMarkdown writes the report as a table in Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error {
	if err := r.table().WriteMarkdown(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, r.notes())
	return err
}

func (r *Report) table() *texttable.Table {
	titles := []string{"strategy", "surrogates"}
	for _, s := range r.Sets {
		titles = append(titles, fmt.Sprintf("%s (%s)", s.Name, s.Metric))
	}
	t := texttable.New(titles...)
	t.AlignLeft(1)
	for _, row := range r.Rows {
		cells := []any{row.Strategy, row.Source}
		for _, c := range row.Cells {
			cells = append(cells, fmt.Sprintf("%.1f ± %.1f", c.Mean, c.Deviation))
		}
		t.Row(cells...)
	}
	return t
}

// notes say what the figures were measured on.
func (r *Report) notes() string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, s := range r.Sets {
		fmt.Fprintf(&b, "%s: %d utterances to train, %d to test, %d intents, %d kinds of slots.\n", s.Name, s.Train, s.Test, s.Labels, s.Slots)
	}
	fmt.Fprintf(&b, "Mean and deviation over %d seeds; replacement probability %g; tested on untouched text.\n", r.Seeds, r.Probability)
	return b.String()
}
