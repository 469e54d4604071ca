package config

import (
	"fmt"

	"sotto/risk/estimate"
	"sotto/schemas"
)

// What the gate does with a call whose risk may exceed the limit.
const (
	GateOff     = "off"
	GateWarn    = "warn"    // release it; its END says why it should not be
	GateEnforce = "enforce" // do not release it
)

// defaultRiskLimit is the threshold of the paper: the points of one direct
// identifier.
const defaultRiskLimit = 5

// Gate decides whether a call may be used as training data.
type Gate struct {
	Mode   string
	Limits ByContext
}

// Gate returns the gate of settings that are valid.
func (s *Settings) Gate() Gate {
	limits, _ := parseRiskLimits(s.RiskLimit)
	return Gate{s.RiskGate, limits}
}

// AuditRates returns the rates of settings that are valid.
func (s *Settings) AuditRates() ByContext {
	rates, _ := parseAuditRates(s.AuditRate)
	return rates
}

// Judge writes into a call's summary, which holds the estimated risk, whether
// the call may be released and why not. It reports whether the call may exceed the
// limit: the estimate is an average, and one call in twenty that is like this one has
// a risk over estimate.Upper. The wording is a function of the two numbers. It is
// safe for concurrent use.
func (g *Gate) Judge(context string, s *schemas.CallSummary) (over bool) {
	s.Release = true
	limit := g.Limits.Of(context)
	upper := estimate.Upper(*s.EstimatedRisk)
	if g.Mode == GateOff || upper <= limit {
		return false
	}
	s.Release = g.Mode != GateEnforce
	s.Reason = fmt.Sprintf("the estimated risk is %v, and one call in twenty like it is over %v; the limit is %v", *s.EstimatedRisk, upper, limit)
	return true
}
