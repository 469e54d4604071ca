package brokertest

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// minSessionTimeout is the shortest session timeout that our brokers accept
// from a group's member, so that tests of failing members do not take long.
const minSessionTimeout = time.Second

// Kfake is the embedded broker, as a Cluster. The embedded type injects faults.
type Kfake struct {
	names
	*kfake.Cluster
}

// StartKfake starts an embedded broker of three nodes; the options come after
// our own. Close it, or use Open.
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

// CreateTopic implements Cluster.
func (k *Kfake) CreateTopic(ctx context.Context, name string, partitions int32, config map[string]string) error {
	return createTopic(ctx, k.Brokers(), name, partitions, config)
}

// Close implements Cluster. All records are gone.
func (k *Kfake) Close() error {
	k.Cluster.Close()
	return nil
}
