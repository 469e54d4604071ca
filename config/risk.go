package config

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"sotto/anonymize/ending"
)

// defaultRiskLimit is the threshold of the paper: the points of one direct
// identifier.
const defaultRiskLimit = 5

// Gate returns the gate of settings that are valid.
func (s *Settings) Gate() *ending.Gate {
	return &ending.Gate{Mode: s.RiskGate, Limit: s.RiskLimits().Of}
}

// RiskLimits returns the limits of settings that are valid.
func (s *Settings) RiskLimits() ByContext {
	limits, _ := parseRiskLimits(s.RiskLimit)
	return limits
}

// AuditRates returns the rates of settings that are valid.
func (s *Settings) AuditRates() ByContext {
	rates, _ := parseAuditRates(s.AuditRate)
	return rates
}

// ByContext is a number for each context: a rate or a limit.
type ByContext struct {
	Named map[string]float64
	Other float64 // for the contexts that are not named
}

// Of returns the number of a context.
func (b ByContext) Of(context string) float64 {
	if v, ok := b.Named[context]; ok {
		return v
	}
	return b.Other
}

// parseByContext reads one number, or numbers by context as in
// default=0.02,sales=0.1, each from 0 to most. A context that is not named has
// the default, which is byDefault if it is not given.
func parseByContext(text string, most, byDefault float64, what string) (ByContext, error) {
	bad := errors.New("must be " + what)
	parse := func(v string) (float64, error) {
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || math.IsNaN(f) || f < 0 || f > most {
			return 0, bad
		}
		return f, nil
	}
	if !strings.Contains(text, "=") {
		f, err := parse(text)
		return ByContext{Other: f}, err
	}
	b := ByContext{Named: map[string]float64{}, Other: byDefault}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return b, bad
		}
		f, err := parse(value)
		if err != nil {
			return b, err
		}
		if name = strings.TrimSpace(name); name == "default" {
			b.Other = f
		} else {
			b.Named[name] = f
		}
	}
	return b, nil
}

func parseAuditRates(text string) (ByContext, error) {
	return parseByContext(text, 1, 0, "rates from 0 to 1, such as 0.02 or default=0.02,sales=0.1")
}

// maxLimit bounds the limit of the gate: no call has that many points.
const maxLimit = 1e6

func parseRiskLimits(text string) (ByContext, error) {
	return parseByContext(text, maxLimit, defaultRiskLimit, "limits in points, such as 5 or default=5,sales=8")
}
