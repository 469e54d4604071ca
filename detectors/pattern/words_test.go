package pattern

import (
	"testing"

	"sotto/internal/testkit/listtest"
)

func TestLists(t *testing.T) { listtest.Check(t, lists) }
