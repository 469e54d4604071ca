package anonymize

import (
	"slices"
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/detectors/spoken"
)

// Parts of a code or a date are joined, and two whole ones that follow each other stay two values.
func TestPartsOfOneValueAreJoined(t *testing.T) {
	for _, c := range []struct {
		text  string // each finding is in braces; one with a value ends in "="
		of    detectors.InfoType
		joins bool
	}{
		{"it is {gte} {5641}", detectors.GenericID, true},
		{"it is {DR}-{163853}", detectors.GenericID, true},
		{"the order is {AX884213}. {BX552190} is the old one", detectors.GenericID, false},
		{"{may} {the fourth}", detectors.DateOfBirth, true},
		{"{may 4 1980=}, {june 9 1983=}", detectors.DateOfBirth, false},
		{"{twelve hill road} and {fourth street}", detectors.StreetAddress, true},
		{"{ida quimby} {otto tarn}", detectors.PersonName, false},
	} {
		var d detectors.Document
		var found []detectors.Finding
		text, rest := "", c.text
		for {
			before, after, ok := strings.Cut(rest, "{")
			if text += before; !ok {
				break
			}
			inner, behind, _ := strings.Cut(after, "}")
			f := detectors.Finding{Start: len(text), Type: c.of, Evidence: detectors.ByModel}
			if strings.HasSuffix(inner, "=") {
				inner, f.Value = inner[:len(inner)-1], "1980-05-04"
			}
			text += inner
			f.End = len(text)
			found, rest = append(found, f), behind
		}
		d.Reset(text)
		spoken.Scan(&d)
		if got := joinParts(&d, slices.Clone(found)); (len(got) == 1) != c.joins {
			t.Errorf("%q: %d findings", c.text, len(got))
		}
	}
}
