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

// errStalled means that a read made no progress.
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
	position := from
	progress := time.Now()
	var leader int32
	var topicID [16]byte
	known := false
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
		if !known {
			leader, topicID, last = r.leader(ctx, topic, partition)
			if last != nil {
				r.pause(ctx)
				continue
			}
			known = true
		}
		if position < 0 {
			position, last = r.offset(ctx, leader, topic, partition, Earliest)
			if last != nil {
				known, position = false, Earliest
				r.pause(ctx)
			}
			continue
		}
		// No request may take longer than the time for progress.
		reqCtx, cancel := context.WithTimeout(ctx, r.Stall)
		part, err := r.fetch(reqCtx, leader, topic, topicID, partition, position)
		cancel()
		if err == nil {
			err = kerr.ErrorForCode(part.ErrorCode)
		}
		if errors.Is(err, kerr.OffsetOutOfRange) {
			// Compaction or retention removed the records before.
			position, known = Earliest, false
			r.pause(ctx)
			last = err
			continue
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if r.Log != nil {
				r.Log("a fetch failed and is retried", "topic", topic, "partition", partition, "err", err)
			}
			known, last = false, err
			r.pause(ctx)
			continue
		}
		fetched, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
			Offset: position, IsolationLevel: r.isolation(), Topic: topic, Partition: partition,
		}, &part, kgo.DefaultDecompressor(), nil)
		for _, rec := range fetched.Records {
			if rec.Offset >= to {
				break
			}
			if err := fn(rec); err != nil {
				return err
			}
		}
		if fetched.Err != nil {
			last = fetched.Err
			r.pause(ctx)
			continue
		}
		if next > position {
			position, progress, last = next, time.Now(), nil
		}
	}
	return nil
}

func (r *Reader) isolation() kgo.IsolationLevel {
	if r.Uncommitted {
		return kgo.ReadUncommitted()
	}
	return kgo.ReadCommitted()
}

func (r *Reader) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(fetchPause):
	}
}

func (r *Reader) leader(ctx context.Context, topic string, partition int32) (int32, [16]byte, error) {
	req := kmsg.NewPtrMetadataRequest()
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = &topic
	req.Topics = append(req.Topics, t)
	ctx, cancel := context.WithTimeout(ctx, r.Stall)
	defer cancel()
	resp, err := req.RequestWith(ctx, r.Client)
	if err != nil {
		return 0, [16]byte{}, err
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return 0, [16]byte{}, err
		}
		for _, p := range t.Partitions {
			if p.Partition == partition {
				return p.Leader, t.TopicID, kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	return 0, [16]byte{}, kerr.UnknownTopicOrPartition
}

func (r *Reader) fetch(ctx context.Context, leader int32, topic string, id [16]byte, partition int32, offset int64) (kmsg.FetchResponseTopicPartition, error) {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis = fetchWaitMS
	req.MinBytes = 1
	req.MaxBytes = fetchMaxBytes
	if !r.Uncommitted {
		req.IsolationLevel = 1
	}
	req.SessionEpoch = -1 // no fetch session
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = topic, id
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition = partition
	p.FetchOffset = offset
	p.PartitionMaxBytes = fetchMaxBytes
	p.CurrentLeaderEpoch = -1
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	kresp, err := r.Client.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return kmsg.FetchResponseTopicPartition{}, err
	}
	resp := kresp.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return kmsg.FetchResponseTopicPartition{}, err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.Partition == partition {
				return p, nil
			}
		}
	}
	return kmsg.FetchResponseTopicPartition{}, errors.New("the broker's response lacks the partition")
}

// latest as a timestamp stands for the end of the log, open transactions included.
const latest = -1

// offset returns an offset by one of Kafka's special timestamps, Earliest or latest.
func (r *Reader) offset(ctx context.Context, leader int32, topic string, partition int32, timestamp int64) (int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	req.IsolationLevel = 0 // read uncommitted
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition = partition
	p.Timestamp = timestamp
	p.CurrentLeaderEpoch = -1
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	ctx, cancel := context.WithTimeout(ctx, r.Stall)
	defer cancel()
	kresp, err := r.Client.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return 0, err
	}
	for _, t := range kresp.(*kmsg.ListOffsetsResponse).Topics {
		for _, p := range t.Partitions {
			if p.Partition == partition {
				return p.Offset, kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	return 0, errors.New("the broker's response lacks the partition")
}

// Try fetches once from the end of a partition, and returns why that is not possible.
func (r *Reader) Try(ctx context.Context, topic string, partition int32) error {
	leader, id, err := r.leader(ctx, topic, partition)
	if err != nil {
		return err
	}
	end, err := r.offset(ctx, leader, topic, partition, latest)
	if err != nil {
		return err
	}
	got, err := r.fetch(ctx, leader, topic, id, partition, end)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(got.ErrorCode)
}

// End returns the end of the log, open transactions included, and the topic's ID.
func (r *Reader) End(ctx context.Context, topic string, partition int32) (int64, [16]byte, error) {
	var last error
	for until := time.Now().Add(r.Stall); time.Now().Before(until) && ctx.Err() == nil; r.pause(ctx) {
		leader, topicID, err := r.leader(ctx, topic, partition)
		if err == nil {
			var off int64
			if off, err = r.offset(ctx, leader, topic, partition, latest); err == nil {
				return off, topicID, nil
			}
		}
		last = err
	}
	if ctx.Err() != nil {
		return 0, [16]byte{}, ctx.Err()
	}
	return 0, [16]byte{}, fmt.Errorf("%w for %s on %s partition %d: cannot read the end of the log: %w", errStalled, r.Stall, topic, partition, last)
}
