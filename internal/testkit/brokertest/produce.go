package brokertest

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// batchBytes is the client's default batch size, which the default limit of every topic permits.
const batchBytes = 1_000_012

// Produce writes the records in order, outside of any transaction, and waits until all are
// acknowledged. Each record names its topic; its key chooses the partition. Produce fills in the
// offsets and partitions of the records.
func Produce(ctx context.Context, c Cluster, records ...*kgo.Record) error {
	limit := batchBytes
	for _, r := range records {
		if len(r.Key)+len(r.Value) > batchBytes/2 {
			limit = MaxRecord
		}
	}
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(c.Brokers()...),
		kgo.ProducerBatchMaxBytes(int32(limit)),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
	)
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := cl.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("producing %d records: %w", len(records), err)
	}
	return nil
}
