package brokertest

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"sotto/internal/testkit/brokertest/proc"
)

// controller is the controller of a broker that may be killed while there are transactions. Nil
// means that the broker is its own controller.
//
// A broker that is its own controller restarts with the metadata from before its death, in which it
// leads its partitions, and its transaction coordinator starts to work. Then the controller notices
// that the previous broker is dead, and for a moment no partition has a leader. Kafka treats these
// partitions as deleted and drops the markers that it has to write there ("these partitions are
// likely deleted already and hence can be skipped"). The records of the killed transactions then
// stay undecided until the producer's next transaction decides them together with its own. In
// clusters where another replica takes over, this does not happen. Here, the broker is restarted
// only after the controller has noticed its death, so that its metadata is correct from the start.
type controller struct {
	proc *proc.Process
	// fenced is how often a broker had lost its session when it was killed, -1 if it was not
	// killed.
	fenced int
}

const (
	controllerName = "controller"
	// startedLine is logged by a process of Kafka that has started.
	startedLine = "Kafka Server started"
	// fencedLine is logged by the controller when a broker loses its session.
	fencedLine = "because its session has timed out"
)

func (k *Kafka) startController(ctx context.Context) error {
	if err := k.format(ctx, controllerName, singleNode(controllerOnly, k.node.ports)); err != nil {
		return err
	}
	p, err := proc.Start(k.command(controllerName, "kafka.Kafka", k.config(controllerName)))
	if err != nil {
		return err
	}
	k.controller = &controller{proc: p, fenced: -1}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := p.AwaitOutput(ctx, startedLine); err != nil {
		return fmt.Errorf("starting the controller of Apache Kafka: %w; end of its log:\n%s", err, p.Tail(30))
	}
	return nil
}

func (c *controller) count() (int, error) {
	log, err := os.ReadFile(c.proc.Stderr)
	return bytes.Count(log, []byte(fencedLine)), err
}

// willFence must be called before the broker is killed.
func (c *controller) willFence() (err error) {
	if c != nil {
		c.fenced, err = c.count()
	}
	return err
}

// awaitFenced waits until the controller has noticed that the broker was killed, if it was.
func (c *controller) awaitFenced(ctx context.Context) error {
	if c == nil || c.fenced < 0 {
		return nil
	}
	err := WaitFor(ctx, "the controller to notice the broker's death", func(context.Context) (bool, error) {
		n, err := c.count()
		return n > c.fenced, err
	})
	if err == nil {
		c.fenced = -1
	}
	return err
}
