package brokertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"sotto/processor/topic"
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

// Configure changes settings of a topic; one that is empty becomes the brokers' own again.
func Configure(ctx context.Context, c Cluster, topic string, settings map[string]string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...))
	if err != nil {
		return err
	}
	defer cl.Close()
	var changes []kadm.AlterConfig
	for name, value := range settings {
		change := kadm.AlterConfig{Name: name, Value: &value}
		if value == "" {
			change = kadm.AlterConfig{Op: kadm.DeleteConfig, Name: name}
		}
		changes = append(changes, change)
	}
	adm := kadm.NewClient(cl)
	answers, err := adm.AlterTopicConfigs(ctx, changes, topic)
	if err == nil {
		err = answers[0].Err
	}
	if err != nil {
		return err
	}
	// The controller answers before a busy broker has it.
	return WaitFor(ctx, "the settings of "+topic, func(ctx context.Context) (bool, error) {
		found, err := adm.DescribeTopicConfigs(ctx, topic)
		if err == nil {
			err = found[0].Err
		}
		if err != nil {
			return false, err
		}
		for _, c := range found[0].Configs {
			if want := settings[c.Key]; want != "" && c.MaybeValue() != want {
				return false, nil
			}
		}
		return true, nil
	})
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

// Extent says which records a read of a whole topic returns and where it ends.
type Extent int

const (
	// Committed reads the committed records up to the current high watermark. If a transaction is
	// open, the read waits for its outcome.
	Committed Extent = iota
	// Stable reads the committed records up to the current last stable offset: everything that a
	// read_committed reader can see now.
	Stable
	// Uncommitted reads every record up to the current high watermark, including those of open and
	// aborted transactions.
	Uncommitted
)

// ReadAll reads a topic from its start to its end and returns the records in the order of partition
// and offset. It is exact: transaction markers, records of aborted transactions and compacted
// records count as positions reached. It retries while a broker is unreachable, until the context ends.
func ReadAll(ctx context.Context, c Cluster, name string, e Extent) ([]*kgo.Record, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	list := adm.ListEndOffsets
	if e == Stable {
		list = adm.ListCommittedOffsets
	}
	var ends kadm.ListedOffsets
	if err := WaitFor(ctx, "the end of "+name, func(ctx context.Context) (bool, error) {
		ends, err = list(ctx, name)
		return true, errors.Join(err, ends.Error())
	}); err != nil {
		return nil, err
	}
	r := &topic.Reader{Client: cl, Stall: time.Hour, Uncommitted: e == Uncommitted}
	var mu sync.Mutex
	var records []*kgo.Record
	all, ctx := errgroup.WithContext(ctx)
	ends.Each(func(end kadm.ListedOffset) {
		all.Go(func() error {
			err := r.Read(ctx, name, end.Partition, topic.Earliest, end.Offset, func(rec *kgo.Record) error {
				mu.Lock()
				defer mu.Unlock()
				records = append(records, rec)
				return nil
			})
			if err != nil {
				err = fmt.Errorf("partition %d of %s cannot be read to %d: %w", end.Partition, name, end.Offset, err)
			}
			return err
		})
	})
	if err := all.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(records, func(a, b *kgo.Record) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return records, nil
}
