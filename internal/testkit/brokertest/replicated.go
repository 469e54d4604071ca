package brokertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// ReplicatedKafka is an Apache Kafka of three brokers on loopback, each with a controller of the
// quorum. All topics have three replicas, of which two must be in sync. It is a Cluster, and its
// methods are safe for concurrent use.
type ReplicatedKafka struct {
	names
	// Nodes are the brokers. A test may kill, pause and restart them.
	Nodes []*Kafka
}

const replicas = 3

// Rack is broker.rack of one of the three brokers, by its ID, which counts from 1.
func Rack(id int) string { return fmt.Sprint("rack-", id) }

// OpenReplicatedKafka starts three brokers for this test alone and closes them at
// the end. The test is skipped unless SOTTO_TEST_BROKER=kafka.
func OpenReplicatedKafka(t testing.TB, o KafkaOptions) *ReplicatedKafka {
	t.Helper()
	return openOwn(t, o, StartReplicatedKafka)
}

// StartReplicatedKafka starts three brokers and waits until all of them serve. The caller must
// close them.
func StartReplicatedKafka(ctx context.Context, o KafkaOptions) (*ReplicatedKafka, error) {
	if o.SeparateController || o.Secure {
		return nil, errors.New("brokertest: three brokers are their own controllers and have no secure listener")
	}
	return startOnFreePorts(ctx, o, startReplicated)
}

func startReplicated(ctx context.Context, jars string, o KafkaOptions) (*ReplicatedKafka, error) {
	c := &ReplicatedKafka{names: newNames()}
	var voters []string
	for id := 1; id <= replicas; id++ {
		k, err := newKafka(c.names, jars, o)
		c.Nodes = append(c.Nodes, k)
		if err != nil {
			return c, err
		}
		voters = append(voters, fmt.Sprintf("%d@%s", id, loopback(k.node.ports.controller)))
	}
	for i, k := range c.Nodes {
		k.node = node{role: brokerAndController, id: i + 1, ports: k.node.ports, voters: strings.Join(voters, ","), replicas: replicas}
		if o.Front != nil {
			var err error
			if k.node.front, err = o.Front(loopback(k.node.ports.second)); err != nil {
				return c, err
			}
		}
		if err := k.format(ctx, brokerName, k.node); err != nil {
			return c, err
		}
	}
	for _, k := range c.Nodes {
		if err := k.launch(); err != nil {
			return c, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*startTimeout)
	defer cancel()
	for _, k := range c.Nodes {
		if err := k.await(ctx); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *ReplicatedKafka) logs() (all string) {
	for _, k := range c.Nodes {
		all += k.logs()
	}
	return all
}

// Brokers implements Cluster.
func (c *ReplicatedKafka) Brokers() []string {
	addrs := make([]string, len(c.Nodes))
	for i, k := range c.Nodes {
		addrs[i] = k.Addr()
	}
	return addrs
}

// Fresh returns the same brokers as a cluster with other names, for one test of several. To close it
// removes what the names were used for.
func (c *ReplicatedKafka) Fresh() Cluster { return newRemote(c.Brokers(), c) }

// Close kills the brokers and removes their data and logs.
func (c *ReplicatedKafka) Close() error {
	var errs []error
	for _, k := range c.Nodes {
		errs = append(errs, k.Close())
	}
	return errors.Join(errs...)
}
