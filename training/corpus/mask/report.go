package mask

import (
	"fmt"
	"io"
	"strings"

	"sotto/internal/texttable"
)

// Report has what each technique hides of each set.
type Report struct {
	Techniques []string `json:"techniques"`
	Sets       []Set    `json:"sets"`
}

// Set is one set with a tally for each technique.
type Set struct {
	Name    string  `json:"name"`
	Tallies []Tally `json:"tallies"`
}

// WriteTable writes two tables for people: the share of masked words, as Table 2 of the paper, and
// what is left of direct identifiers.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Share of words that are masked:\n\n")
	masked := r.table(func(t Tally) string { return percent(t.Masked, t.Words) })
	if err := masked.Write(&b); err != nil {
		return err
	}
	b.WriteString("\nShare of labelled direct identifiers that are left whole, and in part:\n\n")
	left := r.table(func(t Tally) string {
		return percent(t.Left, t.Direct) + ", " + percent(t.Partial, t.Direct)
	})
	if err := left.Write(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) table(cell func(Tally) string) *texttable.Table {
	table := texttable.New(append([]string{"set"}, r.Techniques...)...)
	for _, s := range r.Sets {
		row := []any{s.Name}
		for _, t := range s.Tallies {
			row = append(row, cell(t))
		}
		table.Row(row...)
	}
	return table
}

func percent(part, whole int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(1, whole)))
}
