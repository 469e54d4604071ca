package replace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sotto/internal/texttable"
)

// Epsilon is equation (2) of the paper for the value whose pi is least, for which it is greatest:
//
//	epsilon = max over t of ln((1 - p + p*pi(t)) / (p*pi(t)))
//
// It is 0 for p = 1 and infinite for p = 0 or pi = 0.
func Epsilon(p, pi float64) float64 {
	if p >= 1 {
		return 0
	}
	if p <= 0 || pi <= 0 {
		return math.Inf(1)
	}
	return math.Log((1 - p + float64(p*pi)) / (p * pi))
}

// Guarantee is the privacy of one infoType.
type Guarantee struct {
	Type     string
	Strategy Strategy
	// Replacement names the strategy and its mode, and Source says where the
	// surrogates come from.
	Replacement string
	Source      string
	// P is the share that is replaced: the configured one times the recall.
	P float64
	// Values counts the surrogates for one shape; MinProbability is pi of the
	// rarest. Both are 0 for marks.
	Values         float64
	MinProbability float64
	// Epsilon is equation (2) for a token; 0 for marks, in the paper's sense, which holds where all values are replaced.
	Epsilon float64
	// Lemma reports whether the lemma of the paper covers the replacement: not
	// when one entity always has the same surrogate.
	Lemma bool
	// Apart means that real values, or all but one, are not among the
	// surrogates, so that one that was left shows that it is real.
	Apart bool
}

// Account is the privacy of a plan.
type Account struct {
	// Probability is the configured one; Measured means that a recall was given.
	Probability float64
	Measured    bool
	Types       []Guarantee
	// Epsilon is the greatest over the infoTypes.
	Epsilon float64
	// Lemma reports whether the lemma covers the replacement of all of them.
	Lemma bool
}

// Account returns the privacy that the plan gives for infoTypes. recall is nil
// when it was not measured.
func (p *Plan) Account(infoTypes []string, recall *Recall) Account {
	a := Account{Probability: p.config.Probability, Measured: recall != nil, Lemma: true}
	for _, t := range infoTypes {
		g := p.guarantee(t, p.config.Probability*recall.of(t))
		a.Types = append(a.Types, g)
		a.Epsilon = max(a.Epsilon, g.Epsilon)
		a.Lemma = a.Lemma && g.Lemma
	}
	return a
}

// Bounded reports whether an epsilon bounds what a token reveals of every infoType. Beside marks, a value that was left shows that it
// is real, so that none does.
func (a Account) Bounded() bool {
	return a.Probability >= 1 || !slices.ContainsFunc(a.Types, func(g Guarantee) bool { return g.Values == 0 })
}

func (p *Plan) guarantee(infoType string, share float64) Guarantee {
	s := p.config.Choice.Of(infoType)
	g := Guarantee{Type: infoType, Strategy: s, Replacement: s.String(), Source: Marks.String(), P: share, Lemma: s != TypedNumbered}
	if !s.Surrogates() {
		return g
	}
	if !p.renders(infoType) {
		g.Replacement = "typed (no surrogates)"
		return g
	}
	if s == Entity {
		g.Lemma = p.config.Independent
		g.Replacement += map[bool]string{true: ", independent", false: ", coherent"}[p.config.Independent]
	}
	var source Source
	source, g.Values, g.MinProbability, g.Apart = p.space(s, infoType)
	g.Source = source.String()
	if s == Named {
		g.Values, g.MinProbability, g.Apart = 1, 1, true
	}
	g.Epsilon = Epsilon(share, g.MinProbability)
	return g
}

// space counts the surrogates of an infoType for the shape that has most, and returns pi of the
// rarest.
func (p *Plan) space(s Strategy, infoType string) (source Source, values, least float64, apart bool) {
	product := func(tables ...*Table) (float64, float64) {
		n, pi := 1.0, 1.0
		for _, t := range tables {
			n *= float64(len(t.values))
			pi *= t.MinProbability()
		}
		return n, pi
	}
	if r, ok := rules[infoType]; ok {
		names := p.names()
		switch infoType {
		case "EMAIL_ADDRESS", "USER_NAME":
			// A first and a last name and four digits.
			values, least = product(names.given, names.surname)
			values, least = values*10_000, least/10_000
			if infoType == "EMAIL_ADDRESS" {
				values, least = values*float64(len(mailHosts)), least/float64(len(mailHosts))
			}
		case "SPELLED_WORD":
			values, least = product(names.words)
		default:
			values, least = r.space, 1/r.space
		}
		return ByRule, values, least, r.apart
	}
	pl := p.pool(infoType)
	switch {
	case s == Word:
		values, least = product(pl.words)
	case pl.values == nil:
		values, least = product(pl.given, pl.surname)
	default:
		values, least = product(pl.values)
	}
	return pl.source, values, least, false
}

// WriteTable writes the account for people, with what it promises and what not.
func (a Account) WriteTable(w io.Writer) error {
	t := texttable.New("infoType", "replacement", "source", "p", "values", "epsilon", "note")
	for _, column := range []int{1, 2, 6} {
		t.AlignLeft(column)
	}
	marks, ofMarks := map[string][]string{}, "0"
	if a.Probability < 1 {
		ofMarks = "none"
	}
	var order []string
	for _, g := range a.Types {
		if g.Values == 0 {
			// Marks differ in nothing: one line for all that have the same.
			if marks[g.Replacement] == nil {
				order = append(order, g.Replacement)
			}
			marks[g.Replacement] = append(marks[g.Replacement], g.Type)
			continue
		}
		var notes []string
		if !g.Lemma {
			notes = append(notes, "the lemma does not apply")
		}
		if g.Apart && g.P < 1 {
			notes = append(notes, "a value that was left shows")
		}
		t.Row(g.Type, g.Replacement, g.Source, number(g.P), fmt.Sprintf("%.3g", g.Values), number(g.Epsilon), strings.Join(notes, "; "))
	}
	for _, r := range order {
		name := marks[r][0]
		if n := len(marks[r]); n > 1 {
			name = fmt.Sprintf("%d infoTypes", n)
		}
		t.Row(name, r, Marks.String(), "-", "-", ofMarks)
	}
	overall := number(a.Epsilon)
	if !a.Bounded() {
		overall = "none"
	}
	t.Row("overall (the greatest)", "", "", "", "", overall)
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n"+a.Promise())
	return err
}

// Promise says in words what the figures promise and what they do not.
func (a Account) Promise() string {
	var b strings.Builder
	b.WriteString("Epsilon bounds how much surer somebody who sees one token of the output can\n" +
		"become that this token was said, by equation (2) of Adelani et al. (2020): the\n" +
		"odds change by at most e^epsilon. It holds for one token; tokens about the same\n" +
		"thing add up. It says nothing about what the words around reveal, about what\n" +
		"surrogates keep (how many digits, spoken or written, first or last name, the\n" +
		"gender of a first name, the class of an age), about the entities beside the\n" +
		"text, nor about values that are not among the surrogates: such a value, where it\n" +
		"was left, shows that it is real. Marks (typed, redact) have 0 in the paper's\n" +
		"sense: they reveal nothing about the value except that there was one; beside\n" +
		"values that were left, they have no epsilon. Numbers\n" +
		"and coherent surrogates also reveal which mentions are the same, which the lemma\n" +
		"does not cover.\n")
	if a.Measured {
		b.WriteString("p is the configured probability times the measured recall: what detection misses\nis not replaced.\n")
	} else {
		b.WriteString("No measured recall was given, so the account assumes that detection finds\n" +
			"everything, which it does not: the true epsilon is higher. Give the report of\n" +
			"'sotto eval --json' in SOTTO_RECALL_FILE.\n")
	}
	return b.String()
}

func number(f float64) string {
	if math.IsInf(f, 0) {
		return "none"
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.4f", f), "0"), ".")
}

// Recall is the measured share of personal information that the detectors find, by
// infoType and over all. It bounds p from above, since what is not found is not
// replaced.
type Recall struct {
	Overall float64
	ByType  map[string]float64
}

var errRecall = errors.New("must be the JSON report of 'sotto eval --json', with recall from 0 to 1")

// ReadRecall reads the report of 'sotto eval --json'. InfoTypes that do not occur in the gold are
// left out.
func ReadRecall(r io.Reader) (*Recall, error) {
	var report struct {
		Recall *float64 `json:"recall"`
		ByType map[string]struct {
			Gold   int      `json:"gold"`
			Recall *float64 `json:"recall"`
		} `json:"by_type"`
	}
	if err := json.NewDecoder(r).Decode(&report); err != nil || report.Recall == nil || !isShare(*report.Recall) {
		return nil, errRecall
	}
	out := &Recall{Overall: *report.Recall, ByType: map[string]float64{}}
	for t, v := range report.ByType {
		if v.Gold == 0 || v.Recall == nil {
			continue
		}
		if !isShare(*v.Recall) {
			return nil, errRecall
		}
		out.ByType[t] = *v.Recall
	}
	return out, nil
}

func isShare(f float64) bool { return f >= 0 && f <= 1 }

// of is the recall of an infoType, the overall one if it was not measured, and
// 1 without any measurement.
func (r *Recall) of(infoType string) float64 {
	if r == nil {
		return 1
	}
	if v, ok := r.ByType[infoType]; ok {
		return v
	}
	return r.Overall
}
