package ner

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// minCommon is how common a word of small talk is that carries no grammar.
const minCommon = 11

// smallTalk reports whether a text is made of words that everybody says and nobody is
// called, "how may I help you today": four turns in ten, which need no tagging unless
// they may answer a question. Capital letters within a sentence and single letters make
// something else of a text.
func smallTalk(d *detectors.Document) bool {
	begins := true
	for i := range d.Tokens {
		t := &d.Tokens[i]
		switch t.Class {
		case detectors.Punct:
			begins = begins || t.Ch == '.' || t.Ch == '?' || t.Ch == '!'
			continue
		case detectors.Digits, detectors.Clitic:
			begins = false
			continue
		case detectors.Lower, detectors.Cap:
		default:
			if t.Ch != 'i' || t.Class != detectors.Letter {
				return false
			}
		}
		if t.Class == detectors.Cap && !begins {
			return false
		}
		begins = false
		if t.Is(detectors.Function | detectors.Backchannel | detectors.Filler) {
			continue
		}
		if e := lexicon.LookupHash(t.Hash); e.Common() < minCommon || e.Name() > 1 {
			return false
		}
	}
	return true
}
