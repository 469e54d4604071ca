package telemetry

import "sotto/intake"

// ContextLabels are the permitted values of the metric label "context": the
// known contexts. Others could be any number.
type ContextLabels map[string]bool

func (l ContextLabels) of(context string) string {
	if l[context] {
		return context
	}
	return intake.Other
}
