package anonymize

import (
	"cmp"
	"slices"

	"sotto/detectors"
)

// unmasked returns the document's sub-threshold findings that no finding covers. found is
// disjoint and in order.
func unmasked(d *detectors.Document, found []detectors.Finding) []detectors.SubthresholdFinding {
	var out []detectors.SubthresholdFinding
	for i := range d.Subthreshold {
		x := &d.Subthreshold[i]
		k, _ := slices.BinarySearchFunc(found, x.Start, func(f detectors.Finding, start int) int { return cmp.Compare(f.End, start+1) })
		if k == len(found) || found[k].Start >= x.End {
			out = append(out, detectors.SubthresholdFinding{Text: d.Text[x.Start:x.End], Start: x.Start, Type: x.Type, Score: x.Score})
		}
	}
	return out
}
