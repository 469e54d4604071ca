package brokertest

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// batchBytes is the client's default for the size of a batch, which every
// topic's default limit lets pass.
const batchBytes = 1_000_012

// Produce writes the records in order, outside of any transaction, and waits
// until all are there. Each record names its topic; its key chooses the
// partition. The records' offsets and partitions are filled in.
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
