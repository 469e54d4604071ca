// Package ending decides what the END of a call says, and whether the call may be used as training data. The
// stream, files and the service ask it alone.
package ending

import (
	"fmt"

	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// What the gate does with a call whose risk may exceed the limit.
const (
	GateOff     = "off"
	GateWarn    = "warn"    // release it; its END says why it should not be
	GateEnforce = "enforce" // do not release it
)

// Gate decides by the estimated risk whether a call may be used as training data. It is safe for concurrent use.
type Gate struct {
	Mode string
	// Limit returns the limit of a context, in points.
	Limit func(context string) float64
}

// Facts are what is known of a call when it ends, beside its state.
type Facts struct {
	Context    string
	Utterances int64
	// Lacking are the utterances that this version of the call is without.
	Lacking int64
	// Uncounted is set if Utterances may be too low.
	Uncounted bool
	Estimated float64
	By        schemas.ClosedBy
	Indirect  *schemas.IndirectSummary
	// Renumbered says which numbers that were published have become others.
	Renumbered map[string]map[string]int64
}

// Summary is what the END of a call says. A call is released unless the gate forbids it, it has turns in another
// language, or this version of it or the count lacks utterances. over says that its risk may exceed the limit of the gate. Without a
// gate, no risk is too high.
func (g *Gate) Summary(c *state.Call, f Facts) (s *schemas.CallSummary, over bool) {
	s = &schemas.CallSummary{Utterances: f.Utterances, Entities: c.Entities(), EstimatedRisk: &f.Estimated,
		Release: true, ClosedBy: f.By, Indirect: f.Indirect, Renumbered: f.Renumbered}
	if g != nil && g.Mode != GateOff {
		over = g.judge(f.Context, s)
	}
	if code := c.Withheld(); code != "" {
		reason := fmt.Sprintf("the call has turns in another language than English (%s)", code)
		if s.Reason != "" {
			reason = s.Reason + "; " + reason
		}
		s.Release, s.Reason = false, reason
	}
	if f.Uncounted {
		s.Release, s.Reason = false, "the count of utterances lacks some, whose raw events were deleted before the call ended"
	}
	if f.Lacking > 0 {
		s.Release, s.Reason = false, fmt.Sprintf("the final version lacks %d utterances", f.Lacking)
	}
	return s, over
}

// judge reports whether a call may exceed the limit: the estimate is an average, and one call in twenty that is
// like this one has a risk over estimate.Upper. The wording is a function of the two numbers.
func (g *Gate) judge(context string, s *schemas.CallSummary) (over bool) {
	limit, upper := g.Limit(context), estimate.Upper(*s.EstimatedRisk)
	if upper <= limit {
		return false
	}
	s.Release = g.Mode != GateEnforce
	s.Reason = fmt.Sprintf("the estimated risk is %v, and one call in twenty like it is over %v; the limit is %v", *s.EstimatedRisk, upper, limit)
	return true
}
