package brokertest

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// MaxRecord is the largest record in bytes that the raw topic of CreateTopics accepts, so that
// oversized texts reach the processor.
const MaxRecord = 16 << 20

// Topics are the names of the five topics of DESIGN 1.1.
type Topics struct{ Raw, Clean, Audit, State, DeadLetter string }

// Env returns the settings that give `sotto run` these topics, as "NAME=value".
func (t Topics) Env() []string {
	return []string{
		"SOTTO_TOPIC_RAW=" + t.Raw,
		"SOTTO_TOPIC_CLEAN=" + t.Clean,
		"SOTTO_TOPIC_AUDIT=" + t.Audit,
		"SOTTO_TOPIC_STATE=" + t.State,
		"SOTTO_TOPIC_DEAD_LETTER=" + t.DeadLetter,
	}
}

// CreateTopics creates the five topics with unique names, all with the same number of partitions.
// The state topic is compacted.
func CreateTopics(ctx context.Context, c Cluster, partitions int32) (Topics, error) {
	t := Topics{
		Raw:        c.Name("calls.raw"),
		Clean:      c.Name("calls.clean"),
		Audit:      c.Name("calls.risk-audit"),
		State:      c.Name("calls.state"),
		DeadLetter: c.Name("calls.dead-letter"),
	}
	for _, topic := range []struct {
		name   string
		config map[string]string
	}{
		{t.Raw, map[string]string{"max.message.bytes": fmt.Sprint(MaxRecord)}},
		{t.Clean, nil},
		{t.Audit, nil},
		{t.State, map[string]string{"cleanup.policy": "compact"}},
		{t.DeadLetter, nil},
	} {
		if err := CreateTopic(ctx, c, topic.name, partitions, topic.config); err != nil {
			return Topics{}, err
		}
	}
	return t, nil
}

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
