// Package chaos has the tests that run the programs of the stream, several of them, on Apache Kafka
// and on Kubernetes, and disturb everything that may fail. They take minutes, so that each needs a
// make target or an environment variable. What they write must be what the oracle writes.
package chaos

import (
	"testing"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	_ "sotto/processor" // explains the reasons of dead letters to the oracle
)

func TestMain(m *testing.M) { brokertest.Main(m) }

// rig is a cluster with the five topics, and programs on it.
type rig struct{ streamtest.Rig }

func newRigOn(t testing.TB, c brokertest.Cluster, partitions int32) *rig {
	t.Helper()
	return &rig{streamtest.NewRig(t, c, partitions)}
}
