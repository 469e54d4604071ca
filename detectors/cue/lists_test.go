package cue

import (
	"testing"

	"sotto/detectors/wordlist"
	"sotto/detectors/wordlist/listtest"
)

func TestLists(t *testing.T) {
	for _, f := range []*wordlist.File{cueLists, questionLists, nameLists, organizationLists, placeLists, healthLists, vehicleLists} {
		listtest.Check(t, f)
	}
}
