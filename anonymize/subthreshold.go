package anonymize

import (
	"slices"

	"sotto/detectors"
)

// unmasked returns the document's sub-threshold findings that no finding covers.
func unmasked(d *detectors.Document, found []detectors.Finding) []detectors.SubthresholdFinding {
	var out []detectors.SubthresholdFinding
	for i := range d.Subthreshold {
		x := &d.Subthreshold[i]
		if !slices.ContainsFunc(found, func(f detectors.Finding) bool { return overlap(&f, x) }) {
			out = append(out, detectors.SubthresholdFinding{Text: d.Text[x.Start:x.End], Start: x.Start, Type: x.Type, Score: x.Score})
		}
	}
	return out
}
