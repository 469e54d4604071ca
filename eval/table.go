package eval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the result for people: a row for each set and the totals,
// then the infoTypes of the total, or of each set where byType asks for it.
func (r *Result) WriteTable(w io.Writer, byType bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row(t, "set", "calls", "utts", "gold", "recall %", "chars %", "prec %", "over %", "full %", "direct %", "same no. %", "risk", "m+s", "p95", "max", "pass", "span P", "span R", "span F2")
	for _, s := range r.Sets {
		row(t, append([]any{s.title()}, s.columns()...)...)
	}
	if len(r.Sets) > 1 {
		row(t, append([]any{"total"}, r.columns()...)...)
		for _, v := range slices.Sorted(maps.Keys(r.Variants)) {
			row(t, append([]any{"total, " + v}, r.Variants[v].columns()...)...)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if !byType {
		return r.writeTypes(w, "total")
	}
	for _, s := range r.Sets {
		if err := s.writeTypes(w, s.title()); err != nil {
			return err
		}
	}
	return nil
}

func row(w io.Writer, cells ...any) {
	for _, c := range cells {
		fmt.Fprint(w, c, "\t")
	}
	fmt.Fprintln(w)
}

func (s *SetReport) title() string {
	if s.Variant == "" {
		return s.Set
	}
	return s.Set + ", " + s.Variant
}

func (r *Report) columns() []any {
	risk, pass := r.ResidualRisk, "no"
	if risk.Passes {
		pass = "yes"
	}
	f := "-"
	if g := r.Span.Generic.FBeta; g != nil {
		f = fmt.Sprintf("%.3f", *g)
	}
	return []any{
		r.Calls, r.Utterances, r.Gold, r.Recall, r.RecallChars, r.Precision, r.OverMaskedTokens,
		r.FullyAnonymizedCalls, r.FullyAnonymizedDirect, r.SameEntitySameNumber,
		fmt.Sprintf("%.2f", risk.Mean), fmt.Sprintf("%.2f", risk.MeanPlusStd), fmt.Sprintf("%.1f", risk.P95), fmt.Sprintf("%.0f", risk.Max), pass,
		ratio(r.Span.Generic.Precision), ratio(r.Span.Generic.Recall), f,
	}
}

// ratio writes a share as the literature writes precision and recall.
func ratio(s Share) string {
	if s.Whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", s.Value())
}

// writeTypes writes a row for each infoType, with what its spans were taken
// for.
func (r *Report) writeTypes(w io.Writer, title string) error {
	fmt.Fprintf(w, "\n%s by infoType (recall of spans and of characters by any mask; precision of the masks of this type)\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row(t, "infoType", "gold", "masked", "partial", "missed", "recall %", "chars %", "typed %", "masks", "prec %", "prec chars %", "mostly masked as")
	for _, k := range r.types() {
		b := r.ByType[k]
		row(t, k, b.Gold, b.Masked, b.Partial, b.Gold-b.Masked-b.Partial, b.Recall, b.RecallChars, b.TypedRecall, b.Predicted, b.Precision, b.PrecisionChars, r.takenFor(k))
	}
	return t.Flush()
}

// takenFor names the three types under which most spans of a type were masked.
func (r *Report) takenFor(infoType string) string {
	counts := r.Confusion[infoType]
	types := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	if len(types) > 3 {
		types = types[:3]
	}
	for i, k := range types {
		types[i] = fmt.Sprintf("%s %d", k, counts[k])
	}
	return strings.Join(types, ", ")
}

// WriteErrors writes the errors of each set for people: by kind and infoType,
// the most frequent first, at most limit texts of each (0 for all). It quotes
// the labelled conversations.
func (r *Result) WriteErrors(w io.Writer, limit int) error {
	for _, s := range r.Sets {
		if err := s.writeErrors(w, s.title(), limit); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) writeErrors(w io.Writer, title string, limit int) error {
	var b strings.Builder
	for i := 0; i < len(r.Errors); {
		first := r.Errors[i]
		n, count := i, 0
		for n < len(r.Errors) && r.Errors[n].Kind == first.Kind && r.Errors[n].Type == first.Type {
			count += r.Errors[n].Count
			n++
		}
		fmt.Fprintf(&b, "\n%s: %s %s, %d times, %d texts\n", title, first.Kind, first.Type, count, n-i)
		shown := n
		if limit > 0 {
			shown = min(n, i+limit)
		}
		for _, g := range r.Errors[i:shown] {
			g.write(&b)
		}
		if shown < n {
			fmt.Fprintf(&b, "        and %d texts more\n", n-shown)
		}
		i = n
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g *ErrorGroup) write(b *strings.Builder) {
	fmt.Fprintf(b, "%6d  %s", g.Count, g.Text)
	if g.Left != "" {
		fmt.Fprintf(b, "  (left: %s)", g.Left)
	}
	if g.Detector != "" {
		fmt.Fprintf(b, "  [%s]", g.Detector)
	}
	b.WriteByte('\n')
	for _, e := range g.Examples {
		fmt.Fprintf(b, "          %d:%d %s (%s): %s\n", e.Line, e.Utterance, e.Conversation, e.Speaker, e.Context)
	}
}

// LimitErrors cuts the errors of every report to the given number of texts for
// each kind and infoType; 0 leaves them whole.
func (r *Result) LimitErrors(limit int) {
	r.Errors = limited(r.Errors, limit)
	for _, s := range r.Sets {
		s.Errors = limited(s.Errors, limit)
	}
	for _, v := range r.Variants {
		v.Errors = limited(v.Errors, limit)
	}
}

func limited(groups []ErrorGroup, limit int) []ErrorGroup {
	if limit <= 0 {
		return groups
	}
	var out []ErrorGroup
	n := 0
	for i, g := range groups {
		if i > 0 && (g.Kind != groups[i-1].Kind || g.Type != groups[i-1].Type) {
			n = 0
		}
		if n++; n <= limit {
			out = append(out, g)
		}
	}
	return out
}
