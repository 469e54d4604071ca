package refine

import "sotto/detectors"

// keepNumbersWhole takes the beginning of a number that continues behind a finding
// of the tagger off that finding, "Leeton 531" of "Leeton 531 42", so that no
// number is cut in two.
func keepNumbersWhole(d *detectors.Document) {
	if len(d.Runs) == 0 {
		return
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Evidence != detectors.ByModel {
			continue
		}
		n := d.RunAt(d.TokenAt(f.End - 1))
		if n < 0 {
			continue
		}
		if r := &d.Runs[n]; r.Digits > 0 && f.Start < r.Start && r.Start < f.End && f.End < r.End {
			endBefore(d, f, r.First)
		}
	}
}

// endBefore ends a finding at the last word before token k that it covers.
func endBefore(d *detectors.Document, f *detectors.Finding, k int) {
	for ; k > 0 && int(d.Tokens[k-1].End) > f.Start; k-- {
		if d.Tokens[k-1].Class != detectors.Punct {
			f.End = int(d.Tokens[k-1].End)
			return
		}
	}
}
