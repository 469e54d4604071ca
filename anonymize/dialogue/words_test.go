package dialogue

import (
	"testing"

	"sotto/detectors/wordlist"
	"sotto/internal/testkit/listtest"
)

func TestLists(t *testing.T) {
	for _, f := range []*wordlist.File{lists, requestLists} {
		listtest.Check(t, f)
	}
}
