package brokertest

import (
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// minSessionTimeout is the shortest session timeout that our brokers accept, so that tests of
// failing group members are fast.
const minSessionTimeout = time.Second

// Kfake is the embedded broker as a Cluster. The embedded type injects faults.
type Kfake struct {
	names
	*kfake.Cluster
}

// StartKfake starts an embedded cluster of three nodes; opts are applied after our own options. The
// caller must close it, or use Open instead.
func StartKfake(opts ...kfake.Opt) (*Kfake, error) {
	own := []kfake.Opt{kfake.NumBrokers(3), kfake.GroupMinSessionTimeout(minSessionTimeout)}
	c, err := kfake.NewCluster(append(own, opts...)...)
	if err != nil {
		return nil, err
	}
	return &Kfake{newNames(), c}, nil
}

// Brokers implements Cluster.
func (k *Kfake) Brokers() []string { return k.ListenAddrs() }

// Close implements Cluster. It discards all records.
func (k *Kfake) Close() error {
	k.Cluster.Close()
	return nil
}
