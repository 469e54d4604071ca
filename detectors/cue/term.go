package cue

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Terms is the detector of diseases, symptoms and drugs. It has no state.
type Terms struct{}

// Name returns "terms".
func (Terms) Name() string { return "terms" }

// Trigger starts the detector for every text with a word in it.
func (Terms) Trigger() detectors.Trigger { return Detector{}.Trigger() }

// termWords speak of health: a term that is an everyday word counts only beside
// one of them.
var termWords = setOf("diagnosed diagnosis take takes taking took having has suffering suffer suffers prescription prescribed medication " +
	"medications medicine symptom symptoms allergic allergy treated treatment condition disease doctor refill pharmacy dose chronic severe")

// Detect adds findings of MEDICAL_TERM.
func (Terms) Detect(doc *detectors.Document) {
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
		if n == 1 && lexicon.LookupHash(t.Hash).Common() > 3 {
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
