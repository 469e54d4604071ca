package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// extensionEnd returns where the telephone number of the run ends, with the extension
// that is said after it: "extension twelve".
func (t *classifier) extensionEnd() int {
	k := nextWord(t.doc, t.run.Last+1)
	if k+1 >= len(t.doc.Tokens) {
		return t.run.End
	}
	if !t.doc.WordIn(k, extensionWords) {
		return t.run.End
	}
	for k++; k < len(t.doc.Tokens) && (t.doc.WordIs(k, "number") || t.doc.Tokens[k].Is(d.Copula) || t.doc.Tokens[k].Class == d.Punct); k++ {
	}
	if k >= len(t.doc.Tokens) {
		return t.run.End
	}
	if n := t.doc.RunAt(k); n >= 0 && t.doc.Runs[n].First == k && t.doc.Runs[n].Digits <= ids.MaxExtension && t.doc.Runs[n].Digits > 0 {
		return t.doc.Runs[n].End
	}
	return t.run.End
}
