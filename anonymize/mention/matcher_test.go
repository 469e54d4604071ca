package mention

import (
	"testing"

	"sotto/detectors"
	"sotto/state"
)

// A known value is found on its own within a longer finding of the tagger alone.
func TestMatchWithinFindings(t *testing.T) {
	call := state.NewCall()
	call.LinkOrCreate(state.Mention{Type: "ORGANIZATION_NAME", Kind: detectors.KindOrg, Words: []string{"tarn", "vale"}}, 10)
	call.LinkOrCreate(state.Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{"ines", "quimby"}}, 10)
	for _, c := range []struct {
		what, text string
		found      detectors.Finding
		want       string
	}{
		{"the tagger found more", "tarn vale rides cold", detectors.Finding{End: 20, Type: detectors.OrganizationName, Evidence: detectors.ByModel}, "tarn vale"},
		{"the tagger found it", "tarn vale rides cold", detectors.Finding{End: 9, Type: detectors.OrganizationName, Evidence: detectors.ByModel}, ""},
		{"a rule found more", "tarn vale rides cold", detectors.Finding{End: 20, Type: detectors.OrganizationName, Evidence: detectors.ByStructure}, ""},
		{"a longer name", "ines quimby wren", detectors.Finding{End: 16, Type: detectors.PersonName, Evidence: detectors.ByModel}, ""},
	} {
		var d detectors.Document
		d.Reset(c.text)
		d.Add(c.found)
		var m Matcher
		m.Match(&d, call)
		got := ""
		for _, f := range d.Findings[1:] {
			got += c.text[f.Start:f.End]
		}
		if got != c.want {
			t.Errorf("%s: found %q, want %q", c.what, got, c.want)
		}
	}
}
