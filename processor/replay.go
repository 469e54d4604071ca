package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/processor/topic"
)

// replay bounds a run by the timestamps of raw records: it starts at the first record
// from a time on, and ends before the first one of another time.
type replay struct {
	from, until time.Time
	ends        map[int32]int64
}

// WithReplay makes Run process the raw records of a span of time, and return when their
// outputs are committed. The group must be new, because the replay sets its offsets.
func WithReplay(from, until time.Time) Option {
	return func(p *Processor) { p.replay = &replay{from: from, until: until} }
}

const (
	replayInterval = 500 * time.Millisecond
	// replaySettled is how long a ready processor may commit nothing before the rest of a
	// partition counts as transaction markers, which are never delivered.
	replaySettled = 30 * time.Second
)

func (r *replay) prepare(ctx context.Context, p *Processor) error {
	cl, err := p.client(kgo.WithContext(ctx))
	if err != nil {
		return err
	}
	defer cl.Close()
	adm, set := kadm.NewClient(cl), &p.settings
	committed, err := adm.FetchOffsets(ctx, set.Group)
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return fmt.Errorf("cannot read the offsets of group %s: %w", set.Group, err)
	}
	used := false
	committed.Each(func(o kadm.OffsetResponse) { used = used || o.Topic == set.TopicRaw && o.At >= 0 })
	if used {
		return fmt.Errorf("group %s has offsets already: a replay needs a SOTTO_KAFKA_GROUP of its own, and its own output topics", set.Group)
	}
	starts, err := topic.Checked(adm.ListOffsetsAfterMilli(ctx, r.from.UnixMilli(), set.TopicRaw))
	if err != nil {
		return fmt.Errorf("cannot look up the offsets of a time: %w", err)
	}
	ends, err := topic.Checked(adm.ListOffsetsAfterMilli(ctx, r.until.UnixMilli(), set.TopicRaw))
	if err != nil {
		return fmt.Errorf("cannot look up the offsets of a time: %w", err)
	}
	r.ends = map[int32]int64{}
	records := int64(0)
	ends.Each(func(end kadm.ListedOffset) {
		start, _ := starts.Lookup(end.Topic, end.Partition)
		r.ends[end.Partition] = max(start.Offset, end.Offset)
		records += max(0, end.Offset-start.Offset)
	})
	if _, err := topic.Checked(adm.CommitOffsets(ctx, set.Group, starts.Offsets())); err != nil {
		return fmt.Errorf("cannot set the offsets of group %s: %w", set.Group, err)
	}
	for id, start := range starts[set.TopicRaw] {
		p.positions.note(id, start.Offset, false)
	}
	p.log.Info("replay", "from", r.from, "until", r.until, "offsets", records, "partitions", len(r.ends))
	return nil
}

func (r *replay) await(ctx context.Context, p *Processor) error {
	cl, err := p.client(kgo.WithContext(ctx))
	if err != nil {
		return err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	left, moved := int64(-1), time.Now()
	for sleep(ctx, replayInterval) {
		committed, err := adm.FetchOffsets(ctx, p.settings.Group)
		if err != nil {
			continue // the sessions have the same trouble, and report it
		}
		rest := int64(0)
		for id, end := range r.ends {
			at, _ := committed.Lookup(p.settings.TopicRaw, id)
			rest += max(0, end-at.At)
		}
		if rest != left || p.Ready() != nil {
			left, moved = rest, time.Now()
		}
		if rest == 0 || time.Since(moved) > replaySettled {
			p.log.Info("the replay is complete", "offsets_without_records", rest)
			return nil
		}
	}
	return ctx.Err()
}

// cut drops the records of a poll that are beyond the end of the replay, and stops fetching
// their partitions.
func (r *replay) cut(cl *kgo.Client, raw string, fetches kgo.Fetches) {
	if r == nil {
		return
	}
	var finished []int32
	for f := range fetches {
		for t := range fetches[f].Topics {
			for i := range fetches[f].Topics[t].Partitions {
				part := &fetches[f].Topics[t].Partitions[i]
				end := r.ends[part.Partition]
				if n := slices.IndexFunc(part.Records, func(rec *kgo.Record) bool { return rec.Offset >= end }); n >= 0 {
					part.Records = part.Records[:n]
					finished = append(finished, part.Partition)
				}
			}
		}
	}
	if len(finished) > 0 {
		cl.PauseFetchPartitions(map[string][]int32{raw: finished})
	}
}

// clamp keeps the offset that is committed within the replay: the client counts records that
// cut dropped.
func (r *replay) clamp(partition int32, offset int64) int64 {
	if r == nil {
		return offset
	}
	return min(offset, r.ends[partition])
}
