package eval

import (
	_ "embed"

	"sotto/detectors/wordlist"
)

//go:embed skipwords.txt
var skipWordsText string

var skipWordLists = wordlist.MustParse(skipWordsText)

// spanSkipWords are the words that the span evaluation of presidio-research skips: its own list,
// and the English stop words of spaCy. Single punctuation marks are skipped too.
var spanSkipWords = func() map[string]struct{} {
	m := make(map[string]struct{})
	for _, list := range skipWordLists.Names() {
		for _, w := range skipWordLists.Words(list) {
			m[w] = struct{}{}
		}
	}
	for _, r := range "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" {
		m[string(r)] = struct{}{}
	}
	return m
}()
