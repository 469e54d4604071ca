package processor

import (
	"testing"

	"sotto/internal/testkit/brokertest"
)

func TestMain(m *testing.M) { brokertest.Main(m) }
