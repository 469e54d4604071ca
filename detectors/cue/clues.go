package cue

import (
	"iter"

	"sotto/detectors"
	"sotto/detectors/lexicon"
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
	// askClue is for words by which a sentence asks, targetClue for the first
	// words of the things that are asked for.
	askClue
	targetClue
	// placeClue and givenClue are of the lexicon: for the first words of places, and for given names.
	placeClue
	givenClue
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
		askClue:     {questionWords},
	} {
		for _, set := range sets {
			for word := range set.All() {
				t.add(wordhash.Chain(0, word), c)
			}
		}
	}
	t.addKeys(cuePhrases.FirstWords(), phraseClue)
	t.addKeys(measuredComplaints.FirstWords(), healthClue)
	t.addKeys(asksForMore.FirstWords(), askClue)
	t.addKeys(againPhrases.FirstWords(), targetClue)
	t.addKeys(targets.FirstWords(), targetClue)
	return t
}

func (t *clues) addKeys(keys iter.Seq[uint64], c clue) {
	for key := range keys {
		t.add(key, c)
	}
}

func (t *clues) add(key uint64, c clue) { t[key>>(64-clueBits)] |= c }

// clueOf returns the clues of a token's word, less those of the lexicon.
func clueOf(t *detectors.Token) clue {
	return wordClues[wordhash.Chain(0, t.Hash)>>(64-clueBits)]
}

// lexiconClues returns the clues of a token's word by the lexicon: also healthClue, if it may be a medical
// term or end as one.
func lexiconClues(t *detectors.Token) clue {
	// Conditional moves instead of branches, which would be guessed wrong for one word in four.
	var given, place, term, ending int
	e := lexicon.Word(t.Lexicon).Entry()
	if e.Given() >= leastGiven {
		given = int(givenClue)
	}
	if lexicon.BeginsPlace(t) {
		place = int(placeClue)
	}
	if lexicon.BeginsTerm(t) {
		term = int(healthClue)
	}
	if t.Len() >= minWithEnding {
		ending = int(healthClue)
	}
	if !mayBeTerm(e) {
		ending = 0
	}
	return clue(given | place | term | ending)
}

// mayBegin reports whether a phrase with a clue may begin with a token. Numbers have no clues.
func mayBegin(t *detectors.Token, c clue) bool {
	return t.Class == detectors.Digits || t.Hash != 0 && clueOf(t)&c != 0
}
