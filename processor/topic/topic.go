// Package topic reads a topic, or a partition of it, up to its present end: for restores, and for tools that work
// on a corpus rather than on a stream.
package topic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/config/kafka"
	"sotto/schemas"
)

// Stall is the time without progress after which reading fails.
const Stall = time.Minute

// Event is an event with its position.
type Event struct {
	*schemas.CleanEvent
	Partition int32
	Offset    int64
}

// Read calls fn with the committed events of a topic, one partition after the other, from the offset in from
// (or the oldest) to the end that the topic has now. Records of transactions that are still open
// count as after the end. It returns the offsets that follow.
func Read(ctx context.Context, s *config.Settings, topic string, from map[int32]int64, fn func(Event) error) (map[int32]int64, error) {
	return read(ctx, s, topic, func(_ *kadm.Client, start, end map[int32]int64) error { return resume(topic, from, start, end) }, fn)
}

// ReadSince is Read from the first events that were written at a time or later.
func ReadSince(ctx context.Context, s *config.Settings, topic string, since time.Time, fn func(Event) error) error {
	_, err := read(ctx, s, topic, func(adm *kadm.Client, start, end map[int32]int64) error {
		listed, err := Checked(adm.ListOffsetsAfterMilli(ctx, since.UnixMilli(), topic))
		if err != nil {
			return fmt.Errorf("cannot read the offsets of %s: %w", topic, err)
		}
		listed.Each(func(o kadm.ListedOffset) {
			start[o.Partition] = min(max(start[o.Partition], o.Offset), end[o.Partition])
		})
		return nil
	}, fn)
	return err
}

// read is Read from where begin moves the start of the partitions.
func read(ctx context.Context, s *config.Settings, topic string, begin func(adm *kadm.Client, start, end map[int32]int64) error, fn func(Event) error) (map[int32]int64, error) {
	codec, err := kafka.NewCodec(ctx, s)
	if err != nil {
		return nil, err
	}
	opts, err := Client(s)
	if err != nil {
		return nil, err
	}
	return records(ctx, opts, topic, begin, func(r *kgo.Record) error {
		if r.Value == nil {
			return nil
		}
		e, err := codec.DecodeClean(r.Value)
		if err != nil {
			return fmt.Errorf("%s partition %d offset %d: %w", topic, r.Partition, r.Offset, err)
		}
		return fn(Event{e, r.Partition, r.Offset})
	})
}

// Client returns the options of a client of the settings' brokers.
func Client(s *config.Settings) ([]kgo.Opt, error) {
	opts, err := kafka.Options(s)
	return append(opts, kgo.ClientID("sotto-topic")), err
}

// Records calls fn with the committed records of a topic, from the oldest to the end that the topic has now. The
// records are of any kind, also without a value.
func Records(ctx context.Context, opts []kgo.Opt, topic string, fn func(*kgo.Record) error) error {
	_, err := records(ctx, opts, topic, func(*kadm.Client, map[int32]int64, map[int32]int64) error { return nil }, fn)
	return err
}

func records(ctx context.Context, opts []kgo.Opt, topic string, begin func(adm *kadm.Client, start, end map[int32]int64) error, fn func(*kgo.Record) error) (map[int32]int64, error) {
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	start, end, err := bounds(ctx, cl, topic, begin)
	if err != nil {
		return nil, err
	}
	r := &Reader{Client: cl, Stall: Stall}
	for _, p := range slices.Sorted(maps.Keys(start)) {
		if err := r.Read(ctx, topic, p, start[p], end[p], fn); err != nil {
			return nil, err
		}
		start[p] = max(start[p], end[p])
	}
	return start, nil
}

// Checked returns the answers of an admin client, whose errors may be in them.
func Checked[T interface{ Error() error }](answers T, err error) (T, error) {
	if err == nil {
		err = answers.Error()
	}
	return answers, err
}

func bounds(ctx context.Context, cl *kgo.Client, topic string, begin func(*kadm.Client, map[int32]int64, map[int32]int64) error) (start, end map[int32]int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, Stall)
	defer cancel()
	adm := kadm.NewClient(cl)
	first, err := Checked(adm.ListStartOffsets(ctx, topic))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the offsets of %s: %w", topic, err)
	}
	last, err := Checked(adm.ListCommittedOffsets(ctx, topic))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the offsets of %s: %w", topic, err)
	}
	start, end = map[int32]int64{}, map[int32]int64{}
	first.Each(func(o kadm.ListedOffset) { start[o.Partition] = o.Offset })
	last.Each(func(o kadm.ListedOffset) { end[o.Partition] = o.Offset })
	return start, end, begin(adm, start, end)
}

// resume moves the start to where the last run stopped.
func resume(topic string, from, start, end map[int32]int64) error {
	for _, p := range slices.Sorted(maps.Keys(from)) {
		switch {
		case from[p] > end[p]:
			return fmt.Errorf("%s partition %d ends at offset %d, before offset %d where the last run stopped: "+
				"the topic was recreated; use another output folder", topic, p, end[p], from[p])
		case from[p] < start[p]:
			return fmt.Errorf("%s partition %d begins at offset %d, after offset %d where the last run stopped: "+
				"records are gone; run more often than the topic's retention, or use another output folder", topic, p, start[p], from[p])
		}
		start[p] = from[p]
	}
	return nil
}
