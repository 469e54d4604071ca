package refine

import (
	"testing"

	"sotto/detectors/wordlist/listtest"
)

func TestLists(t *testing.T) { listtest.Check(t, lists) }
