// Package noise rewrites labelled conversations as a recognizer would have written them: words that
// sound alike, lost case and punctuation, numbers in words or digits, spelled letters in other
// forms, split and fused words, misheard names, disfluencies, turns that are cut in the middle or
// given to the wrong speaker. Labels stay on the words that they were on.
//
// It is a function of the conversation, the seed and the profile: it uses no clock and no other
// random source. With another seed, a conversation gives another form of itself.
package noise

import (
	"math/rand/v2"

	"sotto/internal/gold"
	"sotto/internal/wordhash"
)

// Apply returns a copy of a conversation with the noise of a profile. Its ID is kept.
//
// No label is lost. A label may become several: a filler within a value splits it, as the guide
// says, and so does a cut of the turn. The words of a label stay, in their order, but for what
// these kinds of noise rewrite: DigitsToWords, WordsToDigits, Addresses, Spelling, Homophones, Misheard and
// Split (other letters or digits), Repeated (a word twice), Fused (two words as one), and Form
// (case, punctuation, symbols).
//
// A turn with overlapping labels keeps its text.
func Apply(c gold.Conversation, seed uint64, p Profile) gold.Conversation {
	n := newNoiser(rand.New(rand.NewPCG(seed, wordhash.String(c.ID))), &p)
	turns := make([]turn, len(c.Utterances))
	for i := range c.Utterances {
		turns[i] = takeApart(&c.Utterances[i])
		n.words(&turns[i])
	}
	turns = n.turns(turns)
	c.Utterances = make([]gold.Utterance, len(turns))
	for i := range turns {
		n.form(&turns[i])
		c.Utterances[i] = turns[i].utterance()
	}
	return c
}

type noiser struct {
	*Profile
	rng *rand.Rand
	// quality multiplies the rates of errors: some recordings are better than others.
	quality float64
	// zero is the word that the speakers prefer for 0.
	zero string
}

func newNoiser(rng *rand.Rand, p *Profile) *noiser {
	n := &noiser{Profile: p, rng: rng, quality: 0.25 + 1.5*rng.Float64(), zero: "oh"}
	if rng.IntN(10) < 3 {
		n.zero = "zero"
	}
	return n
}

func (n *noiser) chance(rate float64) bool { return n.rng.Float64() < rate }

// mistake is chance for errors, which depend on the quality of the recording.
func (n *noiser) mistake(rate float64) bool { return n.chance(rate * n.quality) }

func (n *noiser) pick(of []string) string { return of[n.rng.IntN(len(of))] }

// words rewrites the words of a turn. Numbers come first: what they are rewritten to can be
// misheard.
func (n *noiser) words(t *turn) {
	n.digitsToWords(t)
	n.wordsToDigits(t)
	n.addresses(t)
	n.spelling(t)
	n.misheard(t)
	n.homophones(t)
	n.compounds(t)
	n.disfluencies(t)
}
