package dialogue

import (
	"testing"

	"sotto/detectors"
)

// Every list is used, and every word is one token, or it would never be found.
func TestLists(t *testing.T) {
	if unused := lists.Unused(); unused != nil {
		t.Errorf("no rule reads %q", unused)
	}
	var d detectors.Document
	for _, list := range lists.Names() {
		for _, w := range lists.Words(list) {
			d.Reset(w)
			if w[0] == '\'' {
				d.Reset("x" + w)
			}
			if n := len(d.Tokens); string(d.Word(n-1)) != w {
				t.Errorf("%s: %q is not read as one word", list, w)
			}
		}
	}
}
