package mask

import (
	"fmt"
	"io"
	"strings"
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

// WriteTable writes two Markdown tables: the share of masked words, as Table 2 of the paper, and
// what is left of direct identifiers.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Share of words that are masked:\n\n")
	r.head(&b)
	for _, s := range r.Sets {
		fmt.Fprintf(&b, "| %s |", s.Name)
		for _, t := range s.Tallies {
			fmt.Fprintf(&b, " %.1f %% |", percent(t.Masked, t.Words))
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nShare of labelled direct identifiers that are left whole, and in part:\n\n")
	r.head(&b)
	for _, s := range r.Sets {
		fmt.Fprintf(&b, "| %s |", s.Name)
		for _, t := range s.Tallies {
			fmt.Fprintf(&b, " %.1f %%, %.1f %% |", percent(t.Left, t.Direct), percent(t.Partial, t.Direct))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) head(b *strings.Builder) {
	fmt.Fprintf(b, "| set | %s |\n|---|%s\n", strings.Join(r.Techniques, " | "), strings.Repeat("---|", len(r.Techniques)))
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
