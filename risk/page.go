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
		r.lost(p)
	}
	p("## What to bear in mind\n")
	for _, note := range r.Notes() {
		p("- %s", plain(note))
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
		"another direct identifier has %d or more, what only narrows somebody down has fewer. The points of a call are their sum; 0 means that nothing with points was missed. What is only "+
		"spoken of, such as a product, may have none.\n",
		count(r.Total.Count), unread(r.Total.NotAnnotated), detectors.DirectScore)
	if r.Total.Count == 0 {
		return
	}
	p("| calls of | read | points of a call, on average | range in which that probably lies | calls with a direct identifier | calls with %d points or more | result |", MaxScore)
	p("|---|---|---|---|---|---|---|")
	rows := r.Contexts
	if len(rows) != 1 {
		rows = append(rows[:len(rows):len(rows)], r.Total)
	}
	for i := range rows {
		c := &rows[i]
		if c.Count == 0 {
			p("| %s | 0 | | | | | %s |", plain(c.Context), c.Result)
			continue
		}
		p("| %s | %s | %.2f | %.2f to %.2f | %s | %s | %s |", plain(c.Context), count(c.Count), c.Mean, c.Intervals.Mean[0], c.Intervals.Mean[1],
			percent(c.Direct.Share), percent(c.AtLeast.Share), c.Result)
	}
	p("")
}

func (r *Report) left(p func(string, ...any)) {
	t := &r.Total
	p("## What is left\n")
	p("- In %s of the calls, nothing with points was missed.", percent(t.Histogram[0]))
	p("- In %s of the calls, a direct identifier was missed (95 %% interval %s).", percent(t.Direct.Share), percents(t.Direct.CI))
	p("- %s of the calls have %d points or more, the limit for mean and standard deviation together (95 %% interval %s).",
		percent(t.AtLeast.Share), MaxScore, percents(t.AtLeast.CI))
	if min(t.Direct.Count, t.AtLeast.Count) == 0 {
		p("- A share of 0.0 %% among %s calls does not mean that there is none at all: the interval says how many there may be.", count(t.Count))
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

func (r *Report) lost(p func(string, ...any)) {
	p("## What was lost\n")
	if r.Read.Masks == 0 {
		p("None of the %s words that were read is a mask. Stand-ins for what is personal look like what was said and are not counted, so this does not say how much was replaced.\n",
			count(r.Read.Words))
		return
	}
	of := ""
	if r.Weighted {
		of = " This is the share of the calls that were read; unlike other shares, it is not weighted."
	}
	p("Of %s words that were read, %s are masks (%s).%s Stand-ins look like what was said and are not counted. "+
		"How many of the masks hide something that was not personal, nobody has marked: `sotto eval` measures it on labelled calls.\n",
		count(r.Read.Words), count(r.Read.Masks), percent(share(r.Read.Masks, r.Read.Words)), of)
}

// markup is what has a meaning in Markdown within a line.
var markup = strings.NewReplacer("\\", "\\\\", "|", "\\|", "`", "\\`", "*", "\\*", "_", "\\_", "~", "\\~", "<", "\\<", "[", "\\[", "&", "\\&")

// plain returns a text that Markdown shows as it is, in one line.
func plain(text string) string { return markup.Replace(strings.Join(strings.Fields(text), " ")) }

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
