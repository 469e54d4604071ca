package processor

import (
	"testing"

	"sotto/internal/brokertest"
)

func TestMain(m *testing.M) { brokertest.Main(m) }
