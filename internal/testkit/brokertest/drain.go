package brokertest

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
)

// AwaitDrained waits until the group has committed the current end of every partition of the topic.
// If the context ends first, the error says how many records are left.
func AwaitDrained(ctx context.Context, c Cluster, group, topic string) error {
	adm, err := admin(c.Brokers())
	if err != nil {
		return err
	}
	defer adm.Close()
	var ends kadm.ListedOffsets
	if err := WaitFor(ctx, "the ends of "+topic, func(ctx context.Context) (bool, error) {
		ends, err = adm.ListEndOffsets(ctx, topic)
		if err == nil {
			err = ends.Error()
		}
		return true, err
	}); err != nil {
		return err
	}
	return WaitFor(ctx, "group "+group+" to reach the end of "+topic, func(ctx context.Context) (bool, error) {
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
