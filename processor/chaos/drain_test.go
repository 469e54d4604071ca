package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/processor/topic"
)

// If more offsets than fewLeft are left, awaitDrained does not fetch them to see whether a record is among them.
const fewLeft = 500

// awaitDrained waits until the group has committed the offset after the last record of every partition that a
// consumer of the topic can read now. Markers and records of aborted transactions may follow; no consumer
// gets those, so nobody commits an offset after them. If the context ends first, the error says what is left.
func awaitDrained(ctx context.Context, c brokertest.Cluster, group, topicName string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	var ends kadm.ListedOffsets
	if err := brokertest.WaitFor(ctx, "the ends of "+topicName, func(ctx context.Context) (bool, error) {
		ends, err = adm.ListEndOffsets(ctx, topicName)
		if err == nil {
			err = ends.Error()
		}
		return true, err
	}); err != nil {
		return err
	}
	r := topic.Reader{Client: cl, Stall: 10 * time.Second}
	return brokertest.WaitFor(ctx, "group "+group+" to reach the end of "+topicName, func(ctx context.Context) (bool, error) {
		committed, err := adm.FetchOffsets(ctx, group)
		if err == nil {
			err = committed.Error()
		}
		if err != nil {
			return false, err
		}
		for _, end := range ends[topicName] {
			at := int64(topic.Earliest)
			if o, ok := committed.Lookup(topicName, end.Partition); ok && o.At >= 0 {
				at = o.At
			}
			if n := end.Offset - at; n > fewLeft {
				return false, fmt.Errorf("partition %d: %d offsets left", end.Partition, n)
			}
			left, err := r.First(ctx, topicName, end.Partition, at, end.Offset)
			if left != nil {
				err = fmt.Errorf("partition %d: %d offsets left, the first record at %d", end.Partition, end.Offset-at, left.Offset)
			}
			if err != nil {
				return false, err
			}
		}
		return true, nil
	})
}
