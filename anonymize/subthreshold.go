package anonymize

import "sotto/detectors"

// unmasked returns the document's sub-threshold findings that no finding
// covers. found is
// disjoint and in order.
func unmasked(d *detectors.Document, found []detectors.Finding) []detectors.SubthresholdFinding {
	var out []detectors.SubthresholdFinding
next:
	for i := range d.Subthreshold {
		x := &d.Subthreshold[i]
		for k := range found {
			if found[k].Start < x.End && x.Start < found[k].End {
				continue next
			}
		}
		out = append(out, detectors.SubthresholdFinding{Text: d.Text[x.Start:x.End], Start: x.Start, Type: x.Type, Score: x.Score})
	}
	return out
}
