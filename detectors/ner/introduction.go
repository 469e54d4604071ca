package ner

import "sotto/detectors"

// introductions are the phrases that say whose name follows them, or which part of a name. Their
// values are positions in introductionHints.
var introductions = detectors.PhrasesOf[uint8](lists, "own name", "other name", "given name", "surname")

var introductionHints = [...]detectors.Hint{
	detectors.HintSelf, detectors.HintOther, detectors.HintGiven, detectors.HintSurname,
}

// maxIntroduction bounds the tokens of a phrase of introductions and the tokens that may stand between it and
// the name.
const maxIntroduction = 8

// introduction reports, as a hint, what the words before token i say of the name that is there: "my
// name is X", "may I speak to X". A name of one word behind a title is a surname.
func introduction(d *detectors.Document, i, words int) detectors.Hint {
	if i > 0 && words == 1 && (d.Tokens[i-1].Is(detectors.Title) || i > 1 && d.Tokens[i-1].Ch == '.' && d.Tokens[i-2].Is(detectors.Title)) {
		return detectors.HintSurname
	}
	end := i
	for end > 0 && (d.Tokens[end-1].Is(detectors.Filler) || d.Tokens[end-1].Class == detectors.Punct && d.Tokens[end-1].Ch != '?') {
		end--
	}
	for k := max(0, i-maxIntroduction); k < end; k++ {
		if kind, n := introductions.Longest(d, k, nil); n > 0 && k+n == end {
			return introductionHints[kind]
		}
	}
	return 0
}
