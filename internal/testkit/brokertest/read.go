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
