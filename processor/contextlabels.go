package processor

import "sotto/intake"

// contextLabels are the permitted values of the metric label "context": the
// known contexts. Others could be any number.
type contextLabels map[string]bool

func (l contextLabels) of(context string) string {
	if l[context] {
		return context
	}
	return intake.Other
}
