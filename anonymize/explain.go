package anonymize

import (
	"slices"

	"sotto/detectors"
	"sotto/schemas"
)

// Explanation says why one entity of a clean event was replaced, or why something that was found
// was not. It contains positions and names of rules, and nothing of the text.
type Explanation struct {
	// Entity is the entity of the clean event, with the raw positions. Of what was left, it
	// has only the type, the raw positions and the score.
	Entity schemas.Entity `json:"entity"`
	// Left is the user's rule by which a finding was left in the text: "excluded", "off" or
	// "min_likelihood"; empty for an entity.
	Left string `json:"left,omitempty"`
	// Detector, Likelihood and Evidence are those of the finding that won.
	Detector   string `json:"detector"`
	Likelihood string `json:"likelihood"`
	Evidence   string `json:"evidence"`
	// Known means that the number was given before this event.
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
	// Rule is what decided: containment, evidence, length, score, position, name, or one of
	// the rules of Explanation.Left.
	Rule string `json:"rule"`
	// Cut means that the part of it that the winner does not cover was kept.
	Cut bool `json:"cut,omitempty"`
}

// explainer collects explanations while an event is applied. The nil explainer collects
// none.
type explainer struct {
	before       map[string]int64
	explanations []Explanation
	filtered     []filtered
}

// filtered is a finding that the user does not want masked.
type filtered struct {
	finding detectors.Finding
	reason  string
}

// dropped returns the function that notes what the user does not want masked; nil if
// nothing is explained.
func (x *explainer) dropped() func(detectors.Finding, string) {
	if x == nil {
		return nil
	}
	return func(f detectors.Finding, reason string) {
		if d := (filtered{f, reason}); !slices.Contains(x.filtered, d) {
			x.filtered = append(x.filtered, d)
		}
	}
}

// explain explains the entities, of which found are the findings, and what the user does
// not want masked.
func (x *explainer) explain(w *workspace, found []detectors.Finding, entities []schemas.Entity) {
	if x == nil {
		return
	}
	for i := range found {
		x.explanations = append(x.explanations, x.entity(w, &found[i], entities[i]))
	}
	for k := range x.filtered {
		f := &x.filtered[k].finding
		if slices.ContainsFunc(found, func(g detectors.Finding) bool { return overlap(f, &g) }) {
			continue
		}
		start, end := w.doc.RuneOffset(f.Start), w.doc.RuneOffset(f.End)
		x.explanations = append(x.explanations, Explanation{
			Entity: schemas.Entity{Type: string(f.Type), RawStart: &start, RawEnd: &end, Detector: f.Detector, Score: score(f.Score)},
			Left:   x.filtered[k].reason, Detector: f.Detector, Likelihood: f.Likelihood.String(), Evidence: f.Evidence.String(),
		})
	}
}

func (x *explainer) entity(w *workspace, f *detectors.Finding, entity schemas.Entity) Explanation {
	d := &w.doc
	start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
	e := Explanation{
		Entity: entity, Detector: f.Detector, Likelihood: f.Likelihood.String(), Evidence: f.Evidence.String(),
		Known: entity.ID > 0 && int64(entity.ID) <= x.before[entity.Type],
	}
	e.Entity.RawStart, e.Entity.RawEnd = &start, &end
	for k := range w.resolver.Losses {
		if l := &w.resolver.Losses[k]; overlap(&l.Loser, f) {
			one := lost(d, &l.Loser, l.Rule.String())
			one.Cut = l.Cut
			e.Lost = append(e.Lost, one)
		}
	}
	for k := range x.filtered {
		if l := &x.filtered[k]; overlap(&l.finding, f) {
			e.Lost = append(e.Lost, lost(d, &l.finding, l.reason))
		}
	}
	return e
}

func overlap(a, b *detectors.Finding) bool { return a.Start < b.End && b.Start < a.End }

func lost(d *detectors.Document, f *detectors.Finding, rule string) Lost {
	return Lost{
		Type: string(f.Type), RawStart: d.RuneOffset(f.Start), RawEnd: d.RuneOffset(f.End), Detector: f.Detector,
		Likelihood: f.Likelihood.String(), Evidence: f.Evidence.String(), Score: score(f.Score), Rule: rule,
	}
}
