package brokertest

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"sotto/internal/testkit/brokertest/proc"
)

// A broker that may be killed while there are transactions needs a controller in another process.
// A broker that is its own controller restarts with the metadata from before its death, in which it
// leads its partitions, and its transaction coordinator starts to work. Then the controller notices
// that the previous broker is dead, and for a moment no partition has a leader. Kafka treats these
// partitions as deleted and drops the markers that it has to write there ("these partitions are
// likely deleted already and hence can be skipped"). The records of the killed transactions then
// stay undecided until the producer's next transaction decides them together with its own. In
// clusters where another replica takes over, this does not happen. Here, the broker is restarted
// only after the controller has noticed its death, so that its metadata is correct from the start.

const (
	controllerName = "controller"
	// startedLine is logged by a process of Kafka that has started.
	startedLine = "Kafka Server started"
	// fencedLine is logged by the controller when a broker loses its session.
	fencedLine = "because its session has timed out"
)

func (k *Kafka) startController(ctx context.Context) (err error) {
	if err := k.format(ctx, controllerName, singleNode(controllerOnly, k.node.ports)); err != nil {
		return err
	}
	if k.controller, err = proc.Start(k.command(controllerName, "kafka.Kafka", k.config(controllerName))); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := k.controller.AwaitOutput(ctx, startedLine); err != nil {
		return fmt.Errorf("starting the controller of Apache Kafka: %w; end of its log:\n%s", err, k.controller.Tail(30))
	}
	return nil
}

// timesFenced is how often a broker has lost its session.
func (k *Kafka) timesFenced() (int, error) {
	log, err := os.ReadFile(k.controller.Stderr)
	return bytes.Count(log, []byte(fencedLine)), err
}

// awaitFenced waits until the controller has noticed that the broker was killed, if it was.
func (k *Kafka) awaitFenced(ctx context.Context) error {
	if k.controller == nil || !k.killed {
		return nil
	}
	err := WaitFor(ctx, "the controller to notice the broker's death", func(context.Context) (bool, error) {
		n, err := k.timesFenced()
		return n > k.fenced, err
	})
	k.killed = err != nil
	return err
}
