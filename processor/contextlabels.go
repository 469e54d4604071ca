package processor

import (
	"maps"

	"sotto/config"
)

// paperContexts are the contexts of DESIGN 1.2.
var paperContexts = []string{"customer_support", "sales", "meeting", "one_to_one", "voicemail"}

// contextLabels are the permitted values of the metric label "context": the
// contexts that are known in advance. Contexts come from outside and could be
// any number.
type contextLabels map[string]bool

func newContextLabels(settings ...config.ByContext) contextLabels {
	l := contextLabels{}
	for _, c := range paperContexts {
		l[c] = true
	}
	for _, s := range settings {
		for c := range maps.Keys(s.Named) {
			l[c] = true
		}
	}
	return l
}

// otherContext is the label of all other contexts.
const otherContext = "other"

func (l contextLabels) of(context string) string {
	if l[context] {
		return context
	}
	return otherContext
}
