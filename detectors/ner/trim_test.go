package ner

import (
	"strings"
	"testing"

	"sotto/detectors"
)

// A weak name loses words at its edges that belong to no value; number words stay, and so does every
// word of a strong finding.
func TestWordsAtTheEdgesOfWeakNames(t *testing.T) {
	for _, c := range []struct {
		text, finding, want string
		infoType            detectors.InfoType
		evidence            detectors.Evidence
	}{
		{"this is jericho at the plotnick agency", "the plotnick agency", "plotnick agency", detectors.OrganizationName, detectors.ByCue},
		{"this is jericho at the plotnick agency", "the plotnick agency", "the plotnick agency", detectors.OrganizationName, detectors.ByStructure},
		{"we sold one of them to hannah quill", "one of them to hannah quill", "one of them to hannah quill", detectors.PersonName, detectors.ByCue},
		{"thank you so much for that", "so much", "so much", detectors.GenericID, detectors.ByExpectation},
	} {
		d := document(c.text)
		at := strings.Index(c.text, c.finding)
		d.Add(detectors.Finding{Start: at, End: at + len(c.finding), Type: c.infoType, Evidence: c.evidence})
		tagger := NewTagger(Builtin())
		tagger.Read(d)
		tagger.Tag(d, &Context{})
		tagger.judge(d)
		if len(d.Findings) != 1 {
			t.Fatalf("%q has %d findings", c.text, len(d.Findings))
		}
		if got := c.text[d.Findings[0].Start:d.Findings[0].End]; got != c.want {
			t.Errorf("%q became %q, want %q", c.finding, got, c.want)
		}
	}
}
