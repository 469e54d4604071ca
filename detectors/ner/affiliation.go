package ner

import "sotto/detectors"

// affiliation tells whether the words before token i say that the speaker, or
// whom he has called, belongs to what is named there: "calling from X", "thank
// you for calling X", "I work for X".
func affiliation(d *detectors.Document, i int) detectors.Hint {
	i--
	for i >= 0 && (d.Tokens[i].Is(detectors.Filler) || d.Tokens[i].Ch == ',' || string(d.Word(i)) == "the") {
		i--
	}
	if i < 0 {
		return 0
	}
	switch string(d.Word(i)) {
	case "calling", "contacting", "choosing", "reached":
		return detectors.HintOfSpeaker
	case "from", "with", "at", "for", "of", "our":
	default:
		return 0
	}
	for n := 0; n < 3 && i > 0; n++ {
		i--
		switch string(d.Word(i)) {
		case "calling", "speaking", "call", "here", "over", "work", "working", "works", "behalf", "employed", "am", "'m":
			return detectors.HintOfSpeaker
		}
	}
	return 0
}
