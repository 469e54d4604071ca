package processor

import (
	"fmt"

	"sotto/schemas"
)

// What the gate does with a call whose estimated risk is over the limit.
const (
	gateOff     = "off"
	gateWarn    = "warn"    // it is released, and its END says why it should not be
	gateEnforce = "enforce" // it is not released
)

// defaultRiskLimit is the threshold of the paper: the points of one direct
// identifier.
const defaultRiskLimit = 5

// gate decides whether a call may be taken for training data.
type gate struct {
	mode   string
	limits byContext
}

// Judge decides about a call of a context as the gate of the settings does: it
// writes whether the call may be taken for training data, and the reason, into a
// summary that tells the estimated risk. It may be used by several goroutines.
func (s *Settings) Judge(context string, sum *schemas.CallSummary) {
	g := s.gate()
	g.judge(context, sum)
}

// gate is that of settings which are valid.
func (s *Settings) gate() gate {
	limits, _ := parseRiskLimits(s.RiskLimit)
	return gate{s.RiskGate, limits}
}

// judge writes the decision about a call into its summary, which tells the
// estimated risk, and returns whether the call is over the limit. The words are
// a function of the two numbers.
func (g *gate) judge(context string, s *schemas.CallSummary) (over bool) {
	s.Release = true
	limit := g.limits.of(context)
	if g.mode == gateOff || *s.EstimatedRisk <= limit {
		return false
	}
	s.Release = g.mode != gateEnforce
	s.Reason = fmt.Sprintf("the estimated risk of %v is over the limit of %v", *s.EstimatedRisk, limit)
	return true
}
