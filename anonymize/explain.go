package anonymize

import (
	"slices"

	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// Explanation tells why one entity of a clean event was replaced, or why
// something that was found was not. It holds positions and names of rules and
// nothing of the text.
type Explanation struct {
	// Entity is as in the clean event, with the raw positions; of what was left
	// it has the type, the raw positions and the score alone.
	Entity schemas.Entity `json:"entity"`
	// Left is the rule by which a finding was left in the text, one of those of
	// the user: "excluded", "off" or "min_likelihood"; empty for an entity.
	Left string `json:"left,omitempty"`
	// Detector, Likelihood and Evidence are those of the finding that won.
	Detector   string `json:"detector"`
	Likelihood string `json:"likelihood"`
	Evidence   string `json:"evidence"`
	// Known tells that the number was given before this event.
	Known bool `json:"known"`
	// Lost are the findings that overlapped and lost.
	Lost []Lost `json:"lost,omitempty"`
}

// Lost is a finding that lost to another.
type Lost struct {
	Type       string  `json:"type"`
	RawStart   int     `json:"raw_start"`
	RawEnd     int     `json:"raw_end"`
	Detector   string  `json:"detector"`
	Likelihood string  `json:"likelihood"`
	Evidence   string  `json:"evidence"`
	Score      float64 `json:"score"`
	// Rule is what decided: containment, evidence, length, score, position or
	// name, or what may stand in Explanation.Left.
	Rule string `json:"rule"`
	// Cut tells that a part of it that the winner does not cover was kept.
	Cut bool `json:"cut,omitempty"`
}

// Explain does what Apply does and tells for each entity of the text why it was
// replaced.
func (e *Engine) Explain(c *state.Call, p *Prepared) (schemas.CleanEvent, []Explanation) {
	x := explainer{before: c.Entities()}
	clean, _ := e.apply(c, p, e.opts.MaxEntities, &x)
	return clean, x.explanations
}

// explainer collects explanations while an event is applied.
type explainer struct {
	before       map[string]int64
	explanations []Explanation
	dropped      []dropped
}

// dropped is a finding that the user does not want masked.
type dropped struct {
	finding detectors.Finding
	rule    string
}

// drop notes a finding that the user does not want masked.
func (x *explainer) drop(f *detectors.Finding, rule string) {
	if d := (dropped{*f, rule}); !slices.Contains(x.dropped, d) {
		x.dropped = append(x.dropped, d)
	}
}

func (x *explainer) explain(d *detectors.Document, r *detectors.Resolver, found []detectors.Finding, entities []schemas.Entity) {
	for i := range found {
		f := &found[i]
		start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
		e := Explanation{
			Entity: entities[i], Detector: f.Detector, Likelihood: f.Likelihood.String(), Evidence: f.Evidence.String(),
			Known: entities[i].ID > 0 && int64(entities[i].ID) <= x.before[entities[i].Type],
		}
		e.Entity.RawStart, e.Entity.RawEnd = &start, &end
		for k := range r.Losses {
			l := &r.Losses[k]
			if l.Loser.Start >= f.End || l.Loser.End <= f.Start {
				continue
			}
			one := lost(d, &l.Loser, l.Rule.String())
			one.Cut = l.Cut
			e.Lost = append(e.Lost, one)
		}
		for k := range x.dropped {
			if l := &x.dropped[k].finding; l.Start < f.End && f.Start < l.End {
				e.Lost = append(e.Lost, lost(d, l, x.dropped[k].rule))
			}
		}
		x.explanations = append(x.explanations, e)
	}
	for k := range x.dropped {
		l := &x.dropped[k].finding
		if slices.ContainsFunc(found, func(f detectors.Finding) bool { return l.Start < f.End && f.Start < l.End }) {
			continue
		}
		start, end := d.RuneOffset(l.Start), d.RuneOffset(l.End)
		x.explanations = append(x.explanations, Explanation{
			Entity: schemas.Entity{Type: string(l.Type), RawStart: &start, RawEnd: &end, Detector: l.Detector, Score: score(l.Score)},
			Left:   x.dropped[k].rule, Detector: l.Detector, Likelihood: l.Likelihood.String(), Evidence: l.Evidence.String(),
		})
	}
}

func lost(d *detectors.Document, f *detectors.Finding, rule string) Lost {
	return Lost{
		Type: string(f.Type), RawStart: d.RuneOffset(f.Start), RawEnd: d.RuneOffset(f.End), Detector: f.Detector,
		Likelihood: f.Likelihood.String(), Evidence: f.Evidence.String(), Score: score(f.Score), Rule: rule,
	}
}
