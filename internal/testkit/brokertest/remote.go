package brokertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/processor/topic"
)

// remote is a cluster that other tests may use at the same time. It leaves nothing behind.
type remote struct {
	names
	addrs []string
	// owner is the cluster, if it is one of ours.
	owner Cluster
}

func newRemote(addrs []string, owner Cluster) *remote { return &remote{newNames(), addrs, owner} }

// Brokers implements Cluster.
func (r *remote) Brokers() []string { return slices.Clone(r.addrs) }

// Close implements Cluster.
func (r *remote) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
	defer cancel()
	adm, err := admin(r.addrs)
	if err != nil {
		return err
	}
	defer adm.Close()

	own := func(all []string) []string { return slices.DeleteFunc(all, func(s string) bool { return !r.made(s) }) }
	topics, err := adm.ListTopics(ctx)
	if err != nil {
		return fmt.Errorf("listing topics: %w", err)
	}
	if mine := own(topics.Names()); len(mine) > 0 {
		if _, err := topic.Checked(adm.DeleteTopics(ctx, mine...)); err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
			return fmt.Errorf("deleting topics: %w", err)
		}
	}

	groups, err := adm.ListGroups(ctx)
	if err != nil {
		return fmt.Errorf("listing groups: %w", err)
	}
	if mine := own(groups.Groups()); len(mine) > 0 {
		// A group that still has members (a killed process) stays until its offsets expire. Nobody
		// else uses its name.
		// A coordinator that is not available, on a busy machine, will be.
		for {
			_, err := adm.DeleteGroups(ctx, mine...)
			if err == nil {
				break
			}
			if !errors.Is(err, kerr.CoordinatorNotAvailable) || ctx.Err() != nil {
				return fmt.Errorf("deleting groups: %w", err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}

// admin connects an admin client; the caller must close it.
func admin(addrs []string) (*kadm.Client, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addrs...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		return nil, err
	}
	return kadm.NewClient(cl), nil
}

// CreateTopic creates a topic and waits until every partition has a leader. The name is used
// unchanged; Close removes the topic if Name made its name.
func CreateTopic(ctx context.Context, c Cluster, name string, partitions int32, config map[string]string) error {
	adm, err := admin(c.Brokers())
	if err != nil {
		return err
	}
	defer adm.Close()
	values := make(map[string]*string, len(config))
	for k, v := range config {
		values[k] = &v
	}
	_, err = adm.CreateTopic(ctx, partitions, -1, values, name)
	for errors.Is(err, kerr.InvalidReplicationFactor) && ctx.Err() == nil { // not all brokers are registered yet
		time.Sleep(pollInterval)
		_, err = adm.CreateTopic(ctx, partitions, -1, values, name)
	}
	if err != nil {
		return fmt.Errorf("creating topic %s: %w", name, err)
	}
	return WaitFor(ctx, "topic "+name+" to have leaders", func(ctx context.Context) (bool, error) {
		topics, err := adm.ListTopics(ctx, name)
		if err != nil {
			return false, err
		}
		d := topics[name]
		if d.Err != nil || len(d.Partitions) != int(partitions) {
			return false, d.Err
		}
		for _, p := range d.Partitions {
			if p.Err != nil || p.Leader < 0 {
				return false, p.Err
			}
		}
		return true, nil
	})
}
