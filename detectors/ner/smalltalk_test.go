package ner

import (
	"testing"

	"sotto/detectors"
)

func TestSmallTalk(t *testing.T) {
	for text, want := range map[string]bool{
		"How may I help you today?":                true,
		"Okay. Thank you, that is all.":            true,
		"do you want to do that now or later":      true,
		"":                                         true,
		"How may I help you, Pam?":                 false,
		"how may i help you pam":                   false,
		"I will do that for Grace":                 false,
		"Are you with Blue Harbor?":                false,
		"it is p a m":                              false,
		"I would like to return the quimbolt now.": false,
	} {
		d := document(text)
		if got := smallTalk(d); got != want {
			t.Errorf("%q: %v", text, got)
		}
		if !want {
			continue
		}
		NewDetector(Builtin()).Detect(d)
		d.Expect = append(d.Expect, detectors.Expectation{Type: detectors.PersonName, Strength: 1})
		if len(d.Findings) > 0 || smallTalk(d) {
			t.Errorf("%q: found %v; what was asked for does not count", text, d.Findings)
		}
	}
}
