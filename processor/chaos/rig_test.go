// Package chaos has the tests that run the programs of the stream, several of them, on Apache Kafka
// and on Kubernetes, and disturb everything that may fail. They take minutes, so that each needs a
// make target or an environment variable. What they write must be what the oracle writes.
package chaos

import (
	"context"
	"os"
	"sync"
	"testing"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/brokertest/proc"
	"sotto/internal/testkit/streamtest"
	_ "sotto/processor" // explains the reasons of dead letters to the oracle
)

func TestMain(m *testing.M) {
	brokertest.Main(m, func() error { return os.RemoveAll(programs) })
}

// programs is the folder of program, "" if no test has asked for it.
var programs string

// program is the stream, which is linked once for all tests.
var program = sync.OnceValues(func() (_ string, err error) {
	if programs, err = os.MkdirTemp("", "sotto-chaos-"); err != nil {
		return "", err
	}
	return proc.Build(context.Background(), "sotto/cmd/sotto-stream", programs)
})

// rig is a cluster with the five topics, and programs on it.
type rig struct{ streamtest.Rig }

func newRigOn(t testing.TB, c brokertest.Cluster, partitions int32) *rig {
	t.Helper()
	return &rig{streamtest.NewRig(t, c, partitions)}
}
