package ner

import "sotto/detectors"

// introductions are the phrases that say whose name follows them, or which part of a name. Their
// values are positions in introductionHints.
var introductions = detectors.PhrasesOf[uint8](lists, "own name", "other name", "given name", "surname", "own name in a greeting")

var introductionHints = [...]detectors.Hint{
	detectors.HintSelf, detectors.HintOther, detectors.HintGiven, detectors.HintSurname, inGreeting: detectors.HintSelf,
}

// inGreeting is the list of the phrases that introduce the speaker at the beginning of a clause or behind a greeting alone.
const inGreeting = 4

var greetings = lists.Set("greetings")

// IsGreeting reports whether token i is a word with which one greets somebody.
func IsGreeting(d *detectors.Document, i int) bool { return greetings.Has(d.Tokens[i].Hash) }

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
		kind, n := introductions.Longest(d, k, nil)
		if n > 0 && k+n == end && (kind != inGreeting || k == 0 || d.Tokens[k-1].Class == detectors.Punct || IsGreeting(d, k-1)) {
			return introductionHints[kind]
		}
	}
	return 0
}
