package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// awaitDrained waits until the group has committed the current end of every partition of the topic.
// If the context ends first, the error says how many records are left.
func awaitDrained(ctx context.Context, c brokertest.Cluster, group, topic string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	var ends kadm.ListedOffsets
	if err := brokertest.WaitFor(ctx, "the ends of "+topic, func(ctx context.Context) (bool, error) {
		ends, err = adm.ListEndOffsets(ctx, topic)
		if err == nil {
			err = ends.Error()
		}
		return true, err
	}); err != nil {
		return err
	}
	return brokertest.WaitFor(ctx, "group "+group+" to reach the end of "+topic, func(ctx context.Context) (bool, error) {
		committed, err := adm.FetchOffsets(ctx, group)
		if err == nil {
			err = committed.Error()
		}
		if err != nil {
			return false, err
		}
		var left int64
		ends.Each(func(end kadm.ListedOffset) {
			at, _ := committed.Lookup(topic, end.Partition)
			left += max(0, end.Offset-at.At)
		})
		if left > 0 {
			return false, fmt.Errorf("%d records left", left)
		}
		return true, nil
	})
}
