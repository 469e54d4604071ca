package ner

import (
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// The words that lead to an address which a rule found are not masked with it, but those with which a
// turn begins are: they may continue an address.
func TestWordsThatLeadToAnAddress(t *testing.T) {
	for _, c := range []struct {
		text, rule, model string
		want              bool
	}{
		{"write to me at mara at example dot org", "mara at example dot org", "at mara at example dot org", true},
		{"at mara at example dot org", "mara at example dot org", "at mara at example dot org", false},
		{"it is silver mara at example dot org", "mara at example dot org", "silver mara at example dot org", false},
		{"write to mara at example dot org too", "mara at example", "mara at example dot org", false},
	} {
		var d detectors.Document
		d.Reset(c.text)
		found := func(part string, e detectors.Evidence) detectors.Finding {
			at := strings.Index(c.text, part)
			return detectors.Finding{Start: at, End: at + len(part), Type: detectors.EmailAddress, Evidence: e}
		}
		d.Add(found(c.rule, detectors.ByStructure|detectors.BySpeech))
		f := found(c.model, detectors.ByModel)
		var r ruleFindings
		r.begin(d.Findings, true)
		if got := r.merge(&d, &f, sequence.Online); got != c.want {
			t.Errorf("%s: merged %v, want %v", c.text, got, c.want)
		}
	}
}
