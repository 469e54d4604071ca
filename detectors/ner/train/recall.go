package train

import "sotto/detectors/ner/internal/crf"

// Recall is the share of held-out words that the most likely labels find, by
// infoType and over all. InfoTypes of which nothing was held out are left out.
func (r *Report) Recall() (overall float64, byType map[string]float64) {
	byType = map[string]float64{}
	var right, labelled int
	for k, t := range crf.Kinds {
		c := r.Words[0][k]
		right, labelled = right+c.right, labelled+c.labelled
		if c.labelled > 0 {
			byType[string(t)] = float64(c.right) / float64(c.labelled)
		}
	}
	return float64(right) / float64(max(labelled, 1)), byType
}
