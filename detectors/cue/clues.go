package cue

import (
	"sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/wordhash"
)

// clue is the set of the detector's steps that a word may concern.
type clue uint8

const (
	// formClue is for legal forms, kinds of organizations and words that follow a speaker's own name.
	formClue clue = 1 << iota
	// phraseClue is for the first words of phrases that introduce names.
	phraseClue
	healthClue
	vehicleClue
)

// clues has the clues of all words by the highest bits of a key, wordhash.Chain(0, the word's hash). A
// word shares those of other words with the same bits, so that a clue is only a reason to look. Most
// words of a text have none, and the table stays in the cache.
type clues [1 << clueBits]clue

const clueBits = 15

var wordClues = readClues()

func readClues() *clues {
	t := new(clues)
	for c, sets := range map[clue][]wordlist.Set{
		formClue:    {legalForms, afterOwnName, orgHeads, secondHeads},
		healthClue:  {illnesses, everydayIllnesses, bodyParts, beforeBodyPart, injuries},
		vehicleClue: {makes, wordMakes},
	} {
		for _, set := range sets {
			for word := range set.All() {
				t.add(wordhash.Chain(0, word), c)
			}
		}
	}
	for key := range cuePhrases.FirstWords() {
		t.add(key, phraseClue)
	}
	for key := range measuredComplaints.FirstWords() {
		t.add(key, healthClue)
	}
	return t
}

func (t *clues) add(key uint64, c clue) { t[key>>(64-clueBits)] |= c }

// clue returns the clues of a token's word.
func (d text) clue(t *detectors.Token) clue {
	return wordClues[wordhash.Chain(0, t.Hash)>>(64-clueBits)]
}
