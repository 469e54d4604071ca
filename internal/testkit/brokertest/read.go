package brokertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
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

func (e Extent) isolation() (level int8, processed kgo.IsolationLevel) {
	if e == Uncommitted {
		return 0, kgo.ReadUncommitted()
	}
	return 1, kgo.ReadCommitted()
}

// ReadAll reads a topic from its start to its end and returns the records in the order of partition
// and offset. It is exact: transaction markers, records of aborted transactions and compacted
// records count as positions reached. It retries while a broker is unreachable. If the context ends
// first, the error says which partition did not reach its end.
func ReadAll(ctx context.Context, c Cluster, topic string, e Extent) ([]*kgo.Record, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	r := &topicReader{cl: cl, adm: kadm.NewClient(cl), topic: topic, extent: e}

	if err := WaitFor(ctx, "the offsets of "+topic, r.bounds); err != nil {
		return nil, err
	}
	if err := WaitFor(ctx, "the end of "+topic, r.fetchOnce); err != nil {
		return nil, errors.Join(err, r.stuck())
	}
	slices.SortStableFunc(r.records, func(a, b *kgo.Record) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return r.records, nil
}

// span is the part of a partition that is left to read.
type span struct{ next, end int64 }

type topicReader struct {
	cl      *kgo.Client
	adm     *kadm.Client
	topic   string
	extent  Extent
	left    map[int32]span
	records []*kgo.Record
}

func (r *topicReader) bounds(ctx context.Context) (bool, error) {
	list := r.adm.ListEndOffsets
	if r.extent == Stable {
		list = r.adm.ListCommittedOffsets
	}
	starts, err := r.adm.ListStartOffsets(ctx, r.topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return false, err
	}
	ends, err := list(ctx, r.topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return false, err
	}
	r.left = make(map[int32]span)
	starts.Each(func(o kadm.ListedOffset) {
		if end, ok := ends.Lookup(r.topic, o.Partition); ok && o.Offset < end.Offset {
			r.left[o.Partition] = span{o.Offset, end.Offset}
		}
	})
	return true, nil
}

// fetchOnce sends one request to each leader and reports whether everything is read.
func (r *topicReader) fetchOnce(ctx context.Context) (bool, error) {
	// While there is progress, do not wait for WaitFor's tick.
	for len(r.left) > 0 {
		topics, err := r.adm.ListTopics(ctx, r.topic)
		if err != nil {
			return false, err
		}
		detail := topics[r.topic]
		if detail.Err != nil {
			return false, detail.Err
		}
		leaders := make(map[int32][]int32)
		for p := range r.left {
			leader := detail.Partitions[p].Leader
			leaders[leader] = append(leaders[leader], p)
		}
		before := maps.Clone(r.left)
		for leader, partitions := range leaders {
			if err := r.fetchFrom(ctx, leader, detail.ID, partitions); err != nil {
				return false, err
			}
		}
		if maps.Equal(before, r.left) {
			return false, nil
		}
	}
	return true, nil
}

func (r *topicReader) fetchFrom(ctx context.Context, leader int32, id kadm.TopicID, partitions []int32) error {
	level, isolation := r.extent.isolation()
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis = 200
	req.MinBytes = 1
	req.MaxBytes = 32 << 20
	req.IsolationLevel = level
	req.SessionEpoch = -1 // no fetch session
	t := kmsg.NewFetchRequestTopic()
	t.Topic = r.topic
	t.TopicID = id
	for _, n := range partitions {
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition = n
		p.CurrentLeaderEpoch = -1
		p.FetchOffset = r.left[n].next
		p.PartitionMaxBytes = 8 << 20
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)

	kresp, err := r.cl.Broker(int(leader)).RetriableRequest(ctx, req)
	if err != nil {
		return err
	}
	resp := kresp.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return err
	}
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			if err := r.take(&resp.Topics[i].Partitions[j], isolation); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *topicReader) take(rp *kmsg.FetchResponseTopicPartition, isolation kgo.IsolationLevel) error {
	s := r.left[rp.Partition]
	fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		Offset: s.next, IsolationLevel: isolation, Topic: r.topic, Partition: rp.Partition,
	}, rp, kgo.DefaultDecompressor(), nil)
	if fp.Err != nil {
		return fmt.Errorf("partition %d at %d: %w", rp.Partition, s.next, fp.Err)
	}
	for _, rec := range fp.Records {
		if rec.Offset < s.end {
			r.records = append(r.records, rec)
		}
	}
	s.next = next
	if s.next >= s.end {
		delete(r.left, rp.Partition)
	} else {
		r.left[rp.Partition] = s
	}
	return nil
}

// stuck returns the positions where reading stopped.
func (r *topicReader) stuck() error {
	var errs []error
	for _, p := range slices.Sorted(maps.Keys(r.left)) {
		errs = append(errs, fmt.Errorf("partition %d is read to %d of %d", p, r.left[p].next, r.left[p].end))
	}
	return errors.Join(errs...)
}
