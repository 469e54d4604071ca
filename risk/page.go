package risk

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"sotto/detectors"
)

// mostContributions is how many infoTypes a page names.
const mostContributions = 8

// Size is how much was read of the calls, and how much of it is masks.
type Size struct {
	Words int `json:"words"`
	Masks int `json:"masks"`
}

// maskForm is a mask within a word. What was said in its form has a backslash before it.
var maskForm = regexp.MustCompile(`(^|[^\\])\[[A-Z][A-Z0-9_]*\]`)

// add counts the words and masks of a text.
func (s *Size) add(text string) {
	for word := range strings.FieldsSeq(text) {
		s.Words++
		if maskForm.MatchString(word) {
			s.Masks++
		}
	}
}

// WritePage writes the report as a page in Markdown for people who decide and do not know the table: what was measured, on how
// many calls, what is left, and what was lost. It has nothing of a call, and no IDs.
func (r *Report) WritePage(w io.Writer) error {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# Residual risk\n")
	p("What anonymization left in calls, as people marked it who read them.\n")
	p("**%s**\n", r.verdict())
	r.measured(p)
	if r.Total.Count > 0 {
		r.left(p)
		p("## What was lost\n")
		p("Of %s words that were read, %s are masks (%s). How many of these hide something that was not personal, nobody has marked: `sotto eval` measures it on labelled calls.\n",
			count(r.Read.Words), count(r.Read.Masks), percent(share(r.Read.Masks, r.Read.Words)))
	}
	p("## What to bear in mind\n")
	for _, note := range r.Notes() {
		p("- %s", note)
	}
	p("- People miss things, too. Two readers for each call show how far they agree.")
	p("- The figures hold for calls like these, and for the rules and the model that they were anonymized with. Read again when these change.")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) verdict() string {
	t := &r.Total
	switch t.Result {
	case Pass:
		return fmt.Sprintf("Passes: mean and standard deviation together are %.1f points, and must be below %d.", t.MeanPlusStd, MaxScore)
	case Fail:
		return fmt.Sprintf("Does not pass: mean and standard deviation together are %.1f points, and must be below %d.", t.MeanPlusStd, MaxScore)
	}
	return "Nothing is shown: no call was read."
}

func (r *Report) measured(p func(string, ...any)) {
	p("## What was measured\n")
	p("%s calls were read%s. Each different piece of information about a person that was missed has points: a full name, a phone number or "+
		"another direct identifier has %d or more, what only narrows somebody down has fewer. The points of a call are their sum; 0 means that nothing was missed.\n",
		count(r.Total.Count), unread(r.Total.NotAnnotated), detectors.DirectScore)
	if r.Total.Count == 0 {
		return
	}
	p("| calls of | read | points of a call, on average | range in which that probably lies | calls with %d points or more | result |", MaxScore)
	p("|---|---|---|---|---|---|")
	rows := r.Contexts
	if len(rows) != 1 {
		rows = append(rows[:len(rows):len(rows)], r.Total)
	}
	for i := range rows {
		c := &rows[i]
		if c.Count == 0 {
			p("| %s | 0 | | | | %s |", c.Context, c.Result)
			continue
		}
		p("| %s | %s | %.2f | %.2f to %.2f | %s | %s |", c.Context, count(c.Count), c.Mean, c.Intervals.Mean[0], c.Intervals.Mean[1], percent(c.AtLeast.Share), c.Result)
	}
	p("")
}

func (r *Report) left(p func(string, ...any)) {
	t := &r.Total
	p("## What is left\n")
	p("- In %s of the calls, nothing was missed.", percent(t.Histogram[0]))
	p("- %s of the calls have %d points or more, as one direct identifier has (95 %% interval %s).", percent(t.AtLeast.Share), MaxScore, percents(t.AtLeast.CI))
	if t.AtLeast.Count == 0 {
		p("- That there is none among %s calls does not mean that there is none at all: the interval says how many there may be.", count(t.Count))
	}
	if rt := r.RedTeam; rt != nil {
		p("- A red team looked at %s calls and identified somebody in %s of them.", count(rt.Calls), percent(rt.Identified.Share))
	}
	if len(r.Contributions) == 0 {
		p("")
		return
	}
	p("\n| what was missed most | identifies directly | pieces | calls |\n|---|---|---|---|")
	for i, c := range r.Contributions {
		if i == mostContributions {
			p("| %d more kinds | | | |", len(r.Contributions)-i)
			break
		}
		p("| `%s` | %s | %d | %d |", c.Type, map[bool]string{true: "yes", false: "no"}[c.Direct], c.Pieces, c.Calls)
	}
	p("")
}

func unread(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s more were not, and are in no figure", count(n))
}

func share(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

// count is a number with commas.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
