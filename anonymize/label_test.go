package anonymize

import (
	"testing"

	"sotto/detectors/wordlist/listtest"
)

func TestLabelLists(t *testing.T) { listtest.Check(t, labelLists) }
