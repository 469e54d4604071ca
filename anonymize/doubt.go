package anonymize

import "sotto/detectors"

// Doubt is a stretch of a text that may be personal and was not masked, because
// it is under the threshold.
type Doubt struct {
	// Text is what stands there and Start its byte offset in the raw text. It
	// goes out in the clean text; all the same nobody may log it.
	Text  string
	Start int
	Type  detectors.InfoType
	// Score is how likely it is personal, from 0 to 1.
	Score float32
}

// doubts returns the document's doubts that no finding covers. found is
// disjoint and in order.
func doubts(d *detectors.Document, found []detectors.Finding) []Doubt {
	var out []Doubt
next:
	for i := range d.Doubts {
		x := &d.Doubts[i]
		for k := range found {
			if found[k].Start < x.End && x.Start < found[k].End {
				continue next
			}
		}
		out = append(out, Doubt{d.Text[x.Start:x.End], x.Start, x.Type, x.Score})
	}
	return out
}
