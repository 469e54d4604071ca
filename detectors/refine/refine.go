// Package refine corrects what the other detectors found in one text: it drops
// the tagger's words that are no names, and completes or cuts findings whose ends
// are wrong.
package refine

import "sotto/detectors"

// Findings corrects the findings of a document. It comes after the detectors of
// one text, and before the user's own dictionaries and infoTypes, which it
// leaves alone.
func Findings(d *detectors.Document) {
	if len(d.Findings) == 0 {
		return
	}
	dropVerbs(d)
	trimEdges(d)
	completeDoubleNames(d)
	keepNumbersWhole(d)
	addHouseNumbers(d)
	joinAddresses(d)
}
