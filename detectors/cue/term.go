package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// termWords speak of health: a term that is an everyday word counts only beside
// one of them.
var termWords = setOf("diagnosed diagnosis take takes taking took having has suffering suffer suffers prescription prescribed medication " +
	"medications medicine symptom symptoms allergic allergy treated treatment condition disease doctor refill pharmacy dose chronic severe")

// terms adds diseases, symptoms and drugs.
func (d text) terms() {
	doc := d.Document
	spoken := -1 // whether the text speaks of health, -1 while not known
	for i := 0; i < len(doc.Tokens); {
		t := &doc.Tokens[i]
		if !t.Class.IsWord() && t.Class != detectors.Alnum || t.Class == detectors.Letter || t.Is(detectors.Function) {
			i++
			continue
		}
		n := lexicon.TermAt(doc, i)
		if n == 0 {
			i++
			continue
		}
		if n == 1 && d.entry(i).Common() > 3 {
			if spoken < 0 {
				spoken = speaksOf(doc, termWords)
			}
			if spoken == 0 {
				i++
				continue
			}
		}
		doc.Add(detectors.Finding{
			Start: int(t.Start), End: int(doc.Tokens[i+n-1].End), Type: detectors.MedicalTerm, Likelihood: detectors.Likely,
			Score: detectors.ScoreOf(detectors.Likely), Detector: "terms", Evidence: detectors.ByDictionary,
		})
		i += n
	}
}
