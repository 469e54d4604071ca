package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sotto/processor/partition"
	"sotto/processor/topic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// errHalted marks a partition that cannot continue until somebody acts: its
// state exists but cannot be read.
var errHalted = errors.New("the partition is stopped")

// restore reads a partition's calls from the state topic and returns the
// partition as it was at the committed offset.
//
// It reads committed records up to the end of the state topic, open transactions
// included. A predecessor may have committed its offsets while the markers on
// the state topic are still being written, and reading up to the last stable
// offset would silently miss them. Then it reads the raw topic from the oldest
// state to the committed offset. Only events that change a state write one, and
// this makes the counts and times of the other events exact.
func (s *session) restore(ctx context.Context, cl *kgo.Client, id int32, committed int64, at partition.Checkpoint) (*partition.Partition, error) {
	start := s.p.now()
	p := partition.New(id, s.limits())
	set := &s.p.settings
	keys := s.p.keys.Load()
	r := &topic.Reader{Client: cl, Stall: set.RestoreTimeout, Log: s.p.log.Warn}

	end, stateTopic, err := r.End(ctx, set.TopicState, id)
	if err != nil {
		return nil, err
	}
	p.StateTopic, p.StateEnd = stateTopic, end
	states := partition.NewStates(min(max(0, at.Calls), set.MaxOpenCalls))
	err = r.Read(ctx, set.TopicState, id, topic.Earliest, end, func(rec *kgo.Record) error {
		if call, expired := states.Add(rec.Key, rec.Value); expired {
			p.RestoreTombstone(call)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	group, own, err := s.p.rival(ctx, cl, states.Claims)
	if err != nil {
		return nil, err
	}
	if group != "" {
		return nil, s.p.claimed(group, id)
	}
	p.Claimed = own
	records := states.Read
	if err := states.Open(keys, p); err != nil {
		if s.p.keys.Load() != keys {
			return nil, errKeysRead
		}
		return nil, fmt.Errorf("%w: %s partition %d: %w", errHalted, set.TopicState, id, err)
	}
	if why := at.Contradiction(committed, stateTopic, records, p.Size()); why != "" {
		return nil, fmt.Errorf("%w: group %s and topic %s do not belong together at partition %d: %s; see \"Offsets and states that disagree\" in docs/operating.md",
			errHalted, set.Group, set.TopicState, id, why)
	}
	// A group that begins claims its partitions with their first records: a former release takes a
	// claim without an offset for a contradiction.
	if committed >= 0 {
		if err := s.claim(ctx, cl, p); err != nil {
			return nil, err
		}
	}
	if err := s.restoreGraph(ctx, r, p, at.Graph); err != nil {
		return nil, err
	}
	replayed, err := s.replay(ctx, r, p, committed)
	if err != nil {
		return nil, err
	}
	p.Ready(committed, at)
	took := s.p.now().Sub(start)
	s.p.metrics.Restored(records, took)
	s.p.log.Info("restored", "partition", id, "calls", p.Size(), "state_records", records, "raw_records", replayed, "took", took.Round(time.Millisecond))
	return p, nil
}

func (s *session) replay(ctx context.Context, r *topic.Reader, p *partition.Partition, committed int64) (n int, err error) {
	from := p.ReplayFrom(committed)
	prep := s.p.preparer()
	err = r.Read(ctx, s.p.settings.TopicRaw, p.ID, from, committed, func(rec *kgo.Record) error {
		n++
		pr := prep.decode(rec)
		if pr.retry != nil {
			return pr.retry
		}
		if pr.ev != nil {
			p.Replay(p.CallID(pr.id, pr.earlier), rec.Offset, pr.time(), pr.ev, pr.reason != "")
		}
		return nil
	})
	return n, err
}
