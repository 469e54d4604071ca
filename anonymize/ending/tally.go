package ending

import (
	"cmp"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// Tally is what the END of a call depends on, for a program that keeps the call in memory. It is a value: a copy of it with a
// clone of the state is the call as it was.
type Tally struct {
	State      *state.Call
	Candidates estimate.CandidateSet
	Utterances int64
	// Of the first event that has one.
	context, tenant string
}

// Observe counts an utterance, and what may still be personal in it. doc is working memory.
func (c *Tally) Observe(doc *detectors.Document, out *anonymize.Output) {
	clean := &out.Clean
	c.context, c.tenant = cmp.Or(c.context, clean.Context), cmp.Or(c.tenant, clean.Tenant)
	if clean.Type == schemas.Utterance {
		c.Utterances++
		c.Candidates, _ = c.Candidates.Observe(doc, clean.Text, clean.Entities, out.Subthreshold)
	}
}

// Summary is what the END of the call says; g may be nil.
func (c *Tally) Summary(e anonymize.Anonymizer, g *Gate) *schemas.CallSummary {
	estimated := estimate.At(e.Sensitivity(c.tenant, c.context)).CallRisk(c.Candidates, c.Utterances, c.State)
	f := Facts{Context: c.context, Utterances: c.Utterances, Estimated: estimated, By: schemas.ClosedByEnd}
	if !c.State.IsUnited() { // otherwise nobody has seen other numbers
		f.Renumbered = c.State.Renumbered()
	}
	sum, _ := g.Summary(c.State, f)
	return sum
}
