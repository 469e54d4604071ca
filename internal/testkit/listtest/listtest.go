// Package listtest checks the word lists of a package in its tests.
package listtest

import (
	"testing"

	"sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/wordhash"
)

// Check fails the test if a list is not used or if a word can never be found in a text: because it
// is not one token, as "mother's", or because its token has no hash, as a number.
func Check(t *testing.T, file *wordlist.File) {
	t.Helper()
	for _, name := range file.Unused() {
		t.Errorf("the list %q is not used", name)
	}
	file.EachWord(func(list, word string) {
		if !isToken(word) {
			t.Errorf("the list %q has %q, which is not a word of its own in any text", list, word)
		}
	})
}

// isToken reports whether a word is one token. An ending such as 's is one after another word.
func isToken(word string) bool {
	var d detectors.Document
	d.Reset("a" + word)
	if len(d.Tokens) == 2 && d.Tokens[1].Class == detectors.Clitic && string(d.Word(1)) == word {
		return true
	}
	d.Reset(word)
	return len(d.Tokens) == 1 && d.Tokens[0].Hash == wordhash.String(word)
}
