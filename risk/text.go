package risk

import (
	"fmt"
	"io"

	"sotto/internal/texttable"
)

// WriteTable writes the report for people: the columns of the paper's Table 4
// with 95 % intervals, and notes on them.
func (r *Report) WriteTable(w io.Writer) error {
	t := texttable.New("Context", "Count", "Mean", "STD", "P95", "Max", "Mean + STD", "95 % CI", "Result", "Above 5", "95 % CI")
	for _, c := range r.Contexts {
		t.Row(c.cells()...)
	}
	if len(r.Contexts) != 1 {
		t.Row(r.Total.cells()...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if len(r.Contributions) > 0 {
		fmt.Fprintln(w)
		t := texttable.New("InfoType", "Group", "Pieces", "Calls", "Per call", "Share")
		for _, c := range r.Contributions {
			t.Row(c.Type, c.Group, c.Pieces, c.Calls, fmt.Sprintf("%.2f", c.PerCall), percent(c.Share))
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	if err := r.HighScorers.write(w); err != nil {
		return err
	}
	if rt := r.RedTeam; rt != nil {
		fmt.Fprintf(w, "\nRed team, %d calls\n", rt.Calls)
		t := texttable.New("Verdict", "Calls", "Share", "95 % CI")
		for _, v := range []struct {
			name string
			Proportion
		}{{"nothing found", rt.Nothing}, {"residual, nobody identified", rt.Residual}, {"somebody identified", rt.Identified}} {
			t.Row(v.name, v.Count, percent(v.Share), percents(v.CI))
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	for i, note := range r.Notes() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintln(w, texttable.Wrap(note, 2)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Row) cells() []any {
	return []any{
		r.Context, r.Count, fmt.Sprintf("%.1f", r.Mean), fmt.Sprintf("%.1f", r.Std), fmt.Sprintf("%.1f", r.P95), fmt.Sprintf("%.3g", r.Max),
		fmt.Sprintf("%.1f", r.MeanPlusStd), fmt.Sprintf("%.1f to %.1f", r.Intervals.MeanPlusStd[0], r.Intervals.MeanPlusStd[1]),
		r.result(), percent(r.Above.Share), percents(r.Above.CI),
	}
}

func (r *Row) result() string {
	if r.Result == Fail {
		return "FAIL"
	}
	return r.Result
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func percents(i Interval) string { return fmt.Sprintf("%.1f to %.1f %%", 100*i[0], 100*i[1]) }

// Notes are sentences about what a reader of the figures must know.
func (r *Report) Notes() []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if n := r.Total.NotAnnotated; n > 0 {
		add("%d calls are not annotated and are in no other figure. If somebody read them and found nothing, name the annotator (ID@NAME.txt, or \"annotator\" in JSON lines) or write \"annotated\": true.", n)
	}
	if r.Total.Count == 0 {
		add("There are no calls to score, so nothing is shown about the risk.")
		return notes
	}
	if ci := r.Total.Intervals.MeanPlusStd; r.Total.Passes && ci[1] >= MaxScore {
		add("The corpus passes, but its interval of mean + std reaches %.1f: more calls are needed to be sure.", ci[1])
	}
	rows := append([]Row{r.Total}, r.Contexts...)
	if len(r.Contexts) == 1 {
		rows = rows[:1]
	}
	for _, row := range rows {
		if n := row.Normality; n.Checked && !n.Holds {
			add("%s: scores are not normal (Jarque-Bera %.0f, p %s); %s of the calls lie above mean + std, where a normal distribution has 15.9 %%.",
				row.Context, n.JarqueBera, pValue(n.P), percent(n.AboveOneStd))
		}
	}
	if r.Weighted {
		add("Calls were sampled with different probabilities; all figures but counts and maxima are weighted by them.")
	}
	if r.Unknown > 0 {
		add("The sampling probability of %d calls is not known; they count as if all such calls had been sampled.", r.Unknown)
	}
	if r.Incomplete > 0 {
		add("Of %d calls the sample lacks the utterances before the call was chosen; add those from the clean topic, or their scores are too low.", r.Incomplete)
	}
	if a := r.Agreement; a != nil {
		if a.Calls > 0 {
			add("Two annotators read %d calls: Cohen's kappa %.2f over %d words, F1 of spans %.2f.", a.Calls, a.Kappa, a.Words, a.SpanF1)
		}
		if a.Differing > 0 {
			add("%d calls with two annotators have different texts and could not be compared.", a.Differing)
		}
	}
	return notes
}

func pValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
