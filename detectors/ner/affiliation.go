package ner

import (
	_ "embed"

	"sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

//go:embed words.txt
var wordText string

var (
	lists        = wordlist.MustParse(ruledata.Text("detectors/ner/words.txt", wordText))
	calls        = lists.Set("calls")
	prepositions = lists.Set("prepositions")
	belonging    = lists.Set("belonging")
)

// affiliation reports, as a hint, whether the words before token i say that the
// speaker, or whom he has called, belongs to what is named there: "calling from
// X", "thank you for calling X", "I work for X".
func affiliation(d *detectors.Document, i int) detectors.Hint {
	i--
	for i >= 0 && (d.Tokens[i].Is(detectors.Filler) || d.Tokens[i].Ch == ',' || d.WordIs(i, "the")) {
		i--
	}
	if d.WordIn(i, calls) {
		return detectors.HintOfSpeaker
	}
	if !d.WordIn(i, prepositions) {
		return 0
	}
	for n := 1; n <= 3; n++ {
		if d.WordIn(i-n, belonging) {
			return detectors.HintOfSpeaker
		}
	}
	return 0
}
