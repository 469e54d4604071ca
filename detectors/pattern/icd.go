package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// diagnosis classifies a run as a diagnosis code: by the list, and either the dot of the
// written form or a hotword. A code of digits only needs the hotword.
func (t *classifier) diagnosis() candidate {
	n := len(t.code)
	if n < 3 || n > 7 {
		return candidate{}
	}
	hot := t.near[d.HotDiagnosis] < d.Far
	dot := t.dotAt(3) || t.dotAt(4) && t.code[0] == 'e'
	letters := ids.IsLetter(t.code[0])
	c := candidate{match: ids.Exact, evidence: d.ByShape | d.ByList, score: 0.8}
	if hot {
		c.evidence |= d.ByHotword
		c.score = 0.95
	}
	switch {
	case letters && (hot || dot && n >= 4) && ids.IsICD10(t.code):
		c.kind = d.ICD10Code
	case (hot || letters && dot) && ids.IsICD9(t.code):
		c.kind = d.ICD9Code
	default:
		return candidate{}
	}
	return c
}

// dotAt reports whether the only connector of the run is a dot after k symbols.
func (t *classifier) dotAt(k int) bool {
	symbols := t.doc.Symbols(t.run)
	return t.run.Connectors == 1 && k < len(symbols) && symbols[k].Kind == d.Connector && symbols[k].Ch == '.'
}
