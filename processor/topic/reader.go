package topic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Reader reads a range of one partition with plain fetch requests. A consumer
// only returns records, but who reads up to an end must know the exact position: a
// log may end in control records, aborted records or compacted batches, which a
// consumer does not report. It is safe for concurrent use.
type Reader struct {
	Client *kgo.Client
	// Stall is the time without progress after which a read fails.
	Stall time.Duration
	// Uncommitted also reads the records of transactions that are open or aborted.
	Uncommitted bool
	// Log is told about fetches that are retried; nil tells nobody.
	Log func(msg string, args ...any)
}

var errStalled = errors.New("no progress")

const (
	fetchMaxBytes = 8 << 20
	fetchWaitMS   = 250
	fetchPause    = 100 * time.Millisecond
)

// Earliest as a start offset means the oldest record of the log.
const Earliest = -2

// Read calls fn for each committed record from offset from until the position is
// at least to. If the log begins after from, it starts there. It returns an error
// of fn unchanged. It returns an error with position and goal if it
// makes no progress for too long, because a broker hangs or a transaction stays
// open.
func (r *Reader) Read(ctx context.Context, topic string, partition int32, from, to int64, fn func(*kgo.Record) error) error {
	position, progress := from, time.Now()
	var at *place // nil: it must be looked up
	var last error
	for position < to {
		if time.Since(progress) > r.Stall {
			if last == nil {
				last = errors.New("the records after it belong to a transaction that is still open")
			}
			return fmt.Errorf("%w for %s on %s partition %d, at offset %d of %d: %w", errStalled, r.Stall, topic, partition, position, to, last)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case at == nil:
			at, last = r.place(ctx, topic, partition)
		case position < 0:
			if position, last = r.offset(ctx, at, Earliest); last != nil {
				position = Earliest
			}
		default:
			records, next, err := r.batch(ctx, at, position)
			for _, rec := range records {
				if rec.Offset >= to {
					break
				}
				if err := fn(rec); err != nil {
					return err
				}
			}
			if last = err; err == nil && next > position {
				position, progress = next, time.Now()
			}
			if errors.Is(err, kerr.OffsetOutOfRange) { // compaction or retention removed the records before
				position = Earliest
			}
		}
		if last != nil {
			at = nil
			r.pause(ctx)
		}
	}
	return nil
}

// First returns the first record that Read would pass on, nil for none.
func (r *Reader) First(ctx context.Context, topic string, partition int32, from, to int64) (first *kgo.Record, err error) {
	errFound := errors.New("a record")
	err = r.Read(ctx, topic, partition, from, to, func(rec *kgo.Record) error {
		first = rec
		return errFound
	})
	if first != nil {
		err = nil
	}
	return first, err
}

// batch fetches the records from an offset on, and returns the offset after them.
func (r *Reader) batch(ctx context.Context, at *place, offset int64) (records []*kgo.Record, next int64, err error) {
	// No request may take longer than the time for progress.
	reqCtx, cancel := context.WithTimeout(ctx, r.Stall)
	defer cancel()
	part, err := r.fetch(reqCtx, at, offset)
	if err != nil {
		if r.Log != nil && ctx.Err() == nil && !errors.Is(err, kerr.OffsetOutOfRange) {
			r.Log("a fetch failed and is retried", "topic", at.topic, "partition", at.partition, "err", err)
		}
		return nil, 0, err
	}
	isolation := kgo.ReadCommitted()
	if r.Uncommitted {
		isolation = kgo.ReadUncommitted()
	}
	fetched, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		Offset: offset, IsolationLevel: isolation, Topic: at.topic, Partition: at.partition,
	}, &part, kgo.DefaultDecompressor(), nil)
	return fetched.Records, next, fetched.Err
}

func (r *Reader) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(fetchPause):
	}
}

type place struct {
	topic     string
	id        [16]byte // of the topic
	partition int32
	leader    *kgo.Broker
}

func (r *Reader) place(ctx context.Context, topic string, partition int32) (*place, error) {
	req := kmsg.NewPtrMetadataRequest()
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = &topic
	req.Topics = append(req.Topics, t)
	ctx, cancel := context.WithTimeout(ctx, r.Stall)
	defer cancel()
	resp, err := req.RequestWith(ctx, r.Client)
	if err != nil {
		return nil, err
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return nil, err
		}
		for _, p := range t.Partitions {
			if p.Partition == partition {
				return &place{topic, t.TopicID, partition, r.Client.Broker(int(p.Leader))}, kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	return nil, kerr.UnknownTopicOrPartition
}

var errLacks = errors.New("the broker's response lacks the partition")

func (r *Reader) fetch(ctx context.Context, at *place, offset int64) (part kmsg.FetchResponseTopicPartition, err error) {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis = fetchWaitMS
	req.MinBytes = 1
	req.MaxBytes = fetchMaxBytes
	if !r.Uncommitted {
		req.IsolationLevel = 1
	}
	req.SessionEpoch = -1 // no fetch session
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = at.topic, at.id
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes, p.CurrentLeaderEpoch = at.partition, offset, fetchMaxBytes, -1
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, at.leader)
	if err != nil {
		return part, err
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return part, err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.Partition == at.partition {
				return p, kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	return part, errLacks
}

// latest as a timestamp stands for the end of the log, open transactions included.
const latest = -1

// offset returns an offset by one of Kafka's special timestamps, Earliest or latest.
func (r *Reader) offset(ctx context.Context, at *place, timestamp int64) (int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	req.IsolationLevel = 0 // read uncommitted
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = at.topic
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp, p.CurrentLeaderEpoch = at.partition, timestamp, -1
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	ctx, cancel := context.WithTimeout(ctx, r.Stall)
	defer cancel()
	resp, err := req.RequestWith(ctx, at.leader)
	if err != nil {
		return 0, err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.Partition == at.partition {
				return p.Offset, kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	return 0, errLacks
}

func (r *Reader) bound(ctx context.Context, topic string, partition int32, timestamp int64) (offset int64, at *place, err error) {
	if at, err = r.place(ctx, topic, partition); err == nil {
		offset, err = r.offset(ctx, at, timestamp)
	}
	return offset, at, err
}

// Try fetches once from the end of a partition, and returns why that is not possible.
func (r *Reader) Try(ctx context.Context, topic string, partition int32) error {
	end, at, err := r.bound(ctx, topic, partition, latest)
	if err == nil {
		_, err = r.fetch(ctx, at, end)
	}
	return err
}

// End returns the end of the log, open transactions included, and the topic's ID.
func (r *Reader) End(ctx context.Context, topic string, partition int32) (int64, [16]byte, error) {
	end, at, err := r.patiently(ctx, topic, partition, latest)
	if err != nil {
		return 0, [16]byte{}, err
	}
	return end, at.id, nil
}

// Start returns the offset at which the log begins.
func (r *Reader) Start(ctx context.Context, topic string, partition int32) (int64, error) {
	start, _, err := r.patiently(ctx, topic, partition, Earliest)
	return start, err
}

// patiently returns a bound of the log, and tries for as long as a read may make no progress.
func (r *Reader) patiently(ctx context.Context, topic string, partition int32, timestamp int64) (int64, *place, error) {
	var last error
	for until := time.Now().Add(r.Stall); time.Now().Before(until) && ctx.Err() == nil; r.pause(ctx) {
		offset, at, err := r.bound(ctx, topic, partition, timestamp)
		if err == nil {
			return offset, at, nil
		}
		last = err
	}
	if ctx.Err() != nil {
		return 0, nil, ctx.Err()
	}
	return 0, nil, fmt.Errorf("%w for %s on %s partition %d: cannot read where the log begins and ends: %w", errStalled, r.Stall, topic, partition, last)
}
