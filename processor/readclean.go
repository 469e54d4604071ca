package processor

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/schemas"
)

// ReadClean reads the committed events of a clean topic from a time on, up to its end as of
// now.
func ReadClean(ctx context.Context, s config.Settings, topic string, since time.Time, f func(*schemas.CleanEvent), opts ...kgo.Opt) error {
	security, err := s.KafkaSecurity()
	if err != nil {
		return err
	}
	codec, err := s.NewCodec(ctx)
	if err != nil {
		return err
	}
	// Control records move the position past the markers of transactions.
	all := append([]kgo.Opt{kgo.SeedBrokers(s.Brokers...), kgo.ClientID("sotto-diff"), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords()}, security...)
	cl, err := kgo.NewClient(append(all, opts...)...)
	if err != nil {
		return err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	starts, err := adm.ListOffsetsAfterMilli(ctx, since.UnixMilli(), topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return fmt.Errorf("cannot read topic %s: %w", topic, err)
	}
	ends, err := adm.ListCommittedOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return fmt.Errorf("cannot read topic %s: %w", topic, err)
	}
	left, from := map[int32]int64{}, map[int32]kgo.Offset{}
	ends.Each(func(end kadm.ListedOffset) {
		if start, _ := starts.Lookup(topic, end.Partition); start.Offset >= 0 && start.Offset < end.Offset {
			left[end.Partition], from[end.Partition] = end.Offset, kgo.NewOffset().At(start.Offset)
		}
	})
	cl.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: from})
	for len(left) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("cannot read topic %s: %w", topic, err)
		}
		var bad error
		fetches.EachRecord(func(rec *kgo.Record) {
			end, ok := left[rec.Partition]
			if !ok || rec.Offset >= end {
				return
			}
			if rec.Offset == end-1 {
				delete(left, rec.Partition)
			}
			if rec.Attrs.IsControl() || rec.Value == nil {
				return
			}
			e, err := codec.DecodeClean(rec.Value)
			if err != nil {
				bad = fmt.Errorf("%s partition %d offset %d: %w", topic, rec.Partition, rec.Offset, err)
				return
			}
			f(e)
		})
		if bad != nil {
			return bad
		}
	}
	return nil
}
