package eval

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/internal/texttable"
)

// WriteTable writes the result for people: a row for each set and the totals,
// then the infoTypes of the total, or of each set where byType asks for it.
func (r *Result) WriteTable(w io.Writer, byType bool) error {
	t := texttable.New("set", "calls", "utts", "gold", "recall %", "chars %", "struct %", "prec %", "over %",
		"kept %", "types %", "full %", "direct %", "same no. %", "risk", "m+s", "p95", "max", "pass")
	files := 0
	for _, s := range r.Sets {
		t.Row(s.columns(s.title())...)
		if s.Variant == "" {
			files++
		}
	}
	if files > 1 {
		for _, c := range r.contexts() {
			t.Row(c.columns(c.Set)...)
		}
		t.Row(r.columns("total")...)
		for _, v := range slices.Sorted(maps.Keys(r.Variants)) {
			t.Row(r.Variants[v].columns("total, " + v)...)
		}
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if byType {
		for _, s := range r.Sets {
			if err := s.writeTypes(w, s.title()); err != nil {
				return err
			}
		}
	} else if err := r.writeTypes(w, "total"); err != nil {
		return err
	}
	if err := r.writePersons(w); err != nil {
		return err
	}
	if r.Estimate == nil {
		return nil
	}
	return r.writeEstimates(w)
}

// writePersons writes a row about who is who for each set in which persons are marked, and for the total.
func (r *Result) writePersons(w io.Writer) error {
	if r.Persons == nil {
		return nil
	}
	fmt.Fprintln(w, "\nwho is who, by the persons that are marked (prec, recall, F: B-cubed over the mentions)")
	t := texttable.New("set", "calls", "mentions", "prec %", "recall %", "F %", "calls right %", "persons", "split",
		"tags", "of several", "missed", "other type")
	row := func(title string, p *PersonsReport) {
		if p != nil {
			t.Row(title, p.Calls, p.Mentions, points(100*p.Precision), points(100*p.Recall), points(100*p.F), p.CallsRight, p.Split.Whole, p.Split.Part,
				p.Merged.Whole, p.Merged.Part, p.Missed, p.OtherType)
		}
	}
	for _, s := range r.Sets {
		row(s.title(), s.Persons)
	}
	row("total", r.Persons)
	for _, v := range slices.Sorted(maps.Keys(r.Variants)) {
		row("total, "+v, r.Variants[v].Persons)
	}
	return t.Write(w)
}

func (s *SetReport) title() string {
	if s.Variant == "" {
		return s.Set
	}
	return s.Set + ", " + s.Variant
}

func (r *Result) contexts() (out []SetReport) {
	for _, c := range slices.Sorted(maps.Keys(r.Contexts)) {
		out = append(out, SetReport{Set: "all of " + c, Report: r.Contexts[c]})
	}
	return out
}

func (r *Report) columns(title string) []any {
	risk := r.ResidualRisk
	return []any{
		title, r.Calls, r.Utterances, r.Gold, r.Recall, r.RecallChars, r.Structured, r.Precision, r.OverMaskedTokens,
		r.KeptTokens, r.TypesRight, r.FullyAnonymizedCalls, r.FullyAnonymizedDirect, r.SameEntitySameNumber,
		points(risk.Mean), points(risk.MeanPlusStd), fmt.Sprintf("%.1f", risk.P95), fmt.Sprintf("%.0f", risk.Max), yesNo(risk.Passes),
	}
}

// writeTypes writes a row for each infoType, with what its spans were taken
// for.
func (r *Report) writeTypes(w io.Writer, title string) error {
	fmt.Fprintf(w, "\n%s by infoType (recall of spans and characters by any mask;\ncut: spans of several masks; precision of the masks of this type;\nwhat its spans were mostly masked as)\n", title)
	t := texttable.New("infoType", "gold", "masked", "partial", "missed", "cut", "recall %", "chars %", "typed %", "masks", "prec %", "prec chars %", "typed prec %", "over", "masked as")
	t.AlignLeft(13)
	if len(r.ByType) > 1 {
		t.Row("all", r.Gold, r.Masked, r.Partial, r.Gold-r.Masked-r.Partial, r.Cut, r.Recall, r.RecallChars, "", "", "", "", "", "", "")
	}
	for _, k := range r.types() {
		b := r.ByType[k]
		t.Row(k, b.Gold, b.Masked, b.Partial, b.Gold-b.Masked-b.Partial, b.Cut, b.Recall, b.RecallChars, b.TypedRecall,
			b.Predicted, b.Precision, b.PrecisionChars, b.TypedPrecision, b.OverMaskedTokens, r.takenFor(k))
	}
	return t.Write(w)
}

// takenFor names the three types under which most spans of a type were masked.
func (r *Report) takenFor(infoType string) string {
	counts := r.Confusion[infoType]
	types := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	types = types[:min(3, len(types))]
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
	if g.As != "" {
		fmt.Fprintf(b, "  (masked as %s)", g.As)
	}
	if g.Detector != "" {
		fmt.Fprintf(b, "  [%s]", g.Detector)
	}
	b.WriteByte('\n')
	for _, e := range g.Examples {
		fmt.Fprintf(b, "          %d:%d %s (%s)", e.Line, e.Utterance, e.Conversation, e.Speaker)
		if e.Context != "" {
			fmt.Fprintf(b, ": %s", e.Context)
		}
		b.WriteByte('\n')
	}
}
