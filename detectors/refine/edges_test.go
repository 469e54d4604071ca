package refine

import (
	"strings"
	"testing"

	"sotto/detectors"
)

func TestTheTaggersNamesAreTrimmed(t *testing.T) {
	for _, c := range []struct {
		text, found string
		score       float32
		want        string // "" for none
		kind        detectors.InfoType
	}{
		{"I like the Rainforest Cafe", "the Rainforest Cafe", 0.9, "Rainforest Cafe", detectors.OrganizationName},
		{"play it on Zvooq by Nimal", "Zvooq by", 0.9, "Zvooq", detectors.OrganizationName},
		{"it is colder than here", "than", 0.9, "", detectors.OrganizationName},
		{"a table at the bar please", "the bar", 0.5, "", detectors.OrganizationName},
		{"a table at the bar please", "the bar", 0.9, "bar", detectors.OrganizationName},
		{"The Hague", "The Hague", 0.9, "Hague", detectors.OrganizationName},
		{"OR", "OR", 0.9, "OR", detectors.OrganizationName},
		{"Thanks Mr. Okafor", "Mr. Okafor", 0.9, "Mr. Okafor", detectors.PersonName},
		{"I met them at noon", "at", 0.9, "", detectors.EmailAddress},
		{"ask the dr please", "dr", 0.9, "", detectors.PersonName},
	} {
		var d detectors.Document
		d.Reset(c.text)
		at := strings.Index(c.text, c.found)
		d.Add(detectors.Finding{Start: at, End: at + len(c.found), Type: c.kind, Score: c.score, Evidence: detectors.ByModel})
		trimEdges(&d)
		got := ""
		if len(d.Findings) > 0 {
			got = c.text[d.Findings[0].Start:d.Findings[0].End]
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
		if (len(d.Subthreshold) > 0) != (c.want == "") {
			t.Errorf("%s: a dropped finding is kept as a sub-threshold finding", c.text)
		}
	}
}
