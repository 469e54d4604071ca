package anonymize

import (
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// Explanation tells why one entity of a clean event was replaced. It holds
// positions and names of rules and nothing of the text.
type Explanation struct {
	// Entity is as in the clean event, with the raw positions.
	Entity schemas.Entity `json:"entity"`
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
	// Rule is what decided: evidence, length, score, position or name.
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
			e.Lost = append(e.Lost, Lost{
				Type: string(l.Loser.Type), RawStart: d.RuneOffset(l.Loser.Start), RawEnd: d.RuneOffset(l.Loser.End),
				Detector: l.Loser.Detector, Likelihood: l.Loser.Likelihood.String(), Evidence: l.Loser.Evidence.String(),
				Score: score(l.Loser.Score), Rule: l.Rule.String(), Cut: l.Cut,
			})
		}
		x.explanations = append(x.explanations, e)
	}
}
