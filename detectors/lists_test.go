package detectors_test

import (
	"testing"

	"sotto/detectors"
	"sotto/internal/testkit/listtest"
)

func TestLists(t *testing.T) {
	listtest.Check(t, detectors.WordLists)
	listtest.Check(t, detectors.HotwordLists)
}
