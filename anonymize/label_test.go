package anonymize

import (
	"testing"

	"sotto/internal/testkit/listtest"
)

func TestLabelLists(t *testing.T) { listtest.Check(t, labelLists) }
