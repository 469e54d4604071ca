package processor

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// byContext is a number for each context: a rate, a limit.
type byContext struct {
	named map[string]float64
	other float64
}

// of is the number of a context.
func (b byContext) of(context string) float64 {
	if v, ok := b.named[context]; ok {
		return v
	}
	return b.other
}

// parseByContext reads one number, or numbers by context as in
// default=0.02,sales=0.1, all of them from 0 to most. A context that is not
// named has the default, which is byDefault where it is not given.
func parseByContext(text string, most, byDefault float64, what string) (byContext, error) {
	bad := fmt.Errorf("must hold %s, as 0.02 or default=0.02,sales=0.1", what)
	parse := func(v string) (float64, error) {
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || math.IsNaN(f) || f < 0 || f > most {
			return 0, bad
		}
		return f, nil
	}
	if !strings.Contains(text, "=") {
		f, err := parse(text)
		return byContext{other: f}, err
	}
	b := byContext{named: map[string]float64{}, other: byDefault}
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
			b.other = f
		} else {
			b.named[name] = f
		}
	}
	return b, nil
}

func parseAuditRates(text string) (byContext, error) {
	return parseByContext(text, 1, 0, "rates from 0 to 1")
}

// maxLimit bounds the limit of the gate: more points than any call has.
const maxLimit = 1e6

func parseRiskLimits(text string) (byContext, error) {
	b, err := parseByContext(text, maxLimit, defaultRiskLimit, "limits in points")
	if err != nil {
		return b, errors.New("must hold limits in points, as 5 or default=5,sales=8")
	}
	return b, nil
}

// paperContexts are the contexts of DESIGN 1.2.
var paperContexts = []string{"customer_support", "sales", "meeting", "one_to_one", "voicemail"}

// contextLabels are the values that the label "context" of a metric may have:
// the contexts that are known beforehand. A context comes from outside, and
// there could be any number of them.
type contextLabels map[string]bool

func newContextLabels(settings ...byContext) contextLabels {
	l := contextLabels{}
	for _, c := range paperContexts {
		l[c] = true
	}
	for _, s := range settings {
		for c := range maps.Keys(s.named) {
			l[c] = true
		}
	}
	return l
}

// otherContext is the label of all contexts that are not known.
const otherContext = "other"

func (l contextLabels) of(context string) string {
	if l[context] {
		return context
	}
	return otherContext
}
