package anonymize

import (
	"testing"

	"sotto/detectors"
)

// Every list is used, and every word is one token, or it would never be found.
func TestLabelLists(t *testing.T) {
	if unused := labelLists.Unused(); unused != nil {
		t.Errorf("no rule reads %q", unused)
	}
	var d detectors.Document
	for _, w := range labelLists.Words("roles") {
		if d.Reset(w); string(d.Word(0)) != w || len(d.Tokens) > 1 {
			t.Errorf("%q is not read as one word", w)
		}
	}
}
