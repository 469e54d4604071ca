package demo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sotto/internal/texttable"
	"sotto/risk"
	"sotto/schemas"
)

// verdicts has, by call ID, the risk that the stream estimated.
type verdicts map[string]*verdict

type verdict struct {
	context   string
	estimated float64
	held      bool // not released
	ended     bool
}

// clean records a clean event.
func (v verdicts) clean(c *schemas.CleanEvent) {
	x := v[c.CallID]
	if x == nil {
		x = &verdict{}
		v[c.CallID] = x
	}
	x.context = cmp.Or(x.context, c.Context)
	if c.Call != nil && c.Call.EstimatedRisk != nil {
		x.estimated, x.held, x.ended = *c.Call.EstimatedRisk, !c.Call.Release, true
	}
}

// write prints the estimates of the calls that have ended, by context.
func (v verdicts) write(b *strings.Builder) error {
	scores, held := map[string][]float64{}, map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(v)) {
		x := v[id]
		if !x.ended {
			continue
		}
		for _, context := range []string{cmp.Or(x.context, "unknown"), total} {
			scores[context] = append(scores[context], x.estimated)
			if x.held {
				held[context]++
			}
		}
	}
	if len(scores) == 0 {
		return nil
	}
	b.WriteString("\nResidual risk as the stream estimates it from the anonymized text\n")
	t := texttable.New("Context", "Count", "Mean", "STD", "P95", "Max", "Mean + STD", "Held")
	t.Indent = 2
	names := slices.Sorted(maps.Keys(scores))
	for _, context := range append(slices.DeleteFunc(names, func(c string) bool { return c == total }), total) {
		if context == total && len(scores) == 2 {
			continue // there is only one context
		}
		s := risk.Summarize(scores[context])
		row := []any{context, s.Count}
		for _, x := range []float64{s.Mean, s.Std, s.P95, s.Max, s.MeanPlusStd} {
			row = append(row, fmt.Sprintf("%.2f", x))
		}
		t.Row(append(row, held[context])...)
	}
	return t.Write(b)
}

// summary describes the estimates of all calls that have ended.
func (v verdicts) summary() risk.Statistics {
	var scores []float64
	for _, x := range v {
		if x.ended {
			scores = append(scores, x.estimated)
		}
	}
	slices.Sort(scores) // sums of floats depend on the order
	return risk.Summarize(scores)
}

// total is the key for all contexts. No context contains a space.
const total = "all calls"
