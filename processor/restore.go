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

	"sotto/config/kafka"
	"sotto/processor/partition"
	"sotto/processor/topic"
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
	if why := at.CutOff(stateTopic, end); why != "" {
		return nil, s.p.contradiction(id, why)
	}
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
	if why := at.Contradiction(committed, p.Found(records)); why != "" {
		return nil, s.p.contradiction(id, why)
	}
	// A group that begins claims its partitions with their first records: a former release takes a
	// claim without an offset for a contradiction.
	if committed >= 0 {
		if err := s.claim(ctx, cl, p); err != nil {
			return nil, err
		}
	}
	if err := s.p.reachable(ctx, cl, p.MostOutputPartitions()); err != nil {
		return nil, err
	}
	if err := s.restoreGraph(ctx, r, p, &at); err != nil {
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

func (p *Processor) contradiction(id int32, why string) error {
	return fmt.Errorf("%w: group %s and topic %s do not belong together at partition %d: %s; see \"Offsets and states that disagree\" in docs/operating.md",
		errHalted, p.settings.Group, p.settings.TopicState, id, why)
}

func (s *session) replay(ctx context.Context, r *topic.Reader, p *partition.Partition, committed int64) (n int, err error) {
	from := p.ReplayFrom(committed)
	if from == committed {
		return 0, nil
	}
	prep := s.p.preparer()
	err = r.Read(ctx, s.p.settings.TopicRaw, p.ID, from, committed, func(rec *kgo.Record) error {
		n++
		for _, pr := range prep.messages([]*kgo.Record{rec}) {
			prep.decode(&pr)
			if pr.retry != nil {
				return pr.retry
			}
			if pr.ev != nil {
				p.Replay(p.CallID(pr.id, pr.earlier), rec.Offset, pr.time(), pr.ev, pr.mark, pr.reason != "")
			}
		}
		return nil
	})
	if err != nil {
		return n, err
	}
	start, err := r.Start(ctx, s.p.settings.TopicRaw, p.ID)
	if missed := p.CannotCount(start); missed > 0 {
		s.p.log.Warn("raw events of open calls are deleted already: these calls are not released, because the count of their utterances may lack some",
			"partition", p.ID, "calls", missed, "from", from, "topic_begins_at", start)
	}
	return n, err
}

// Two groups on the same topics would each write every output. So a group claims each partition of
// the state topic, by a record in it, before it processes the first record: the first claim in the
// order of the log is in force. A claim ends with its group, when that has neither members nor
// offsets.

// rival returns the group whose claim keeps this one from a partition, "" if none does. claims are
// in the order of the log. own reports whether this group has a claim.
func (p *Processor) rival(ctx context.Context, cl *kgo.Client, claims []string) (group string, own bool, err error) {
	adm := kadm.NewClient(cl)
	own = slices.Contains(claims, p.settings.Group)
	for _, group := range claims {
		if group == p.settings.Group {
			break
		}
		if live, err := p.isLive(ctx, adm, group); err != nil || live {
			return group, own, err
		}
	}
	return "", own, nil
}

// isLive reports whether a group has members or offsets of the raw topic. One that this group may
// not see counts as live.
func (p *Processor) isLive(ctx context.Context, adm *kadm.Client, group string) (bool, error) {
	what := "describe"
	described, err := topic.Checked(adm.DescribeGroups(ctx, group))
	live := len(described[group].Members) > 0
	if err == nil && !live {
		what = "read the offsets of"
		var offsets kadm.OffsetResponses
		offsets, err = adm.FetchOffsets(ctx, group)
		for _, o := range offsets[p.settings.TopicRaw] {
			live = live || o.At >= 0
		}
	}
	switch {
	case errors.Is(err, kerr.GroupAuthorizationFailed):
		return true, nil
	case errors.Is(err, kerr.GroupIDNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot %s group %s, which has claimed the state topic: %w", what, group, err)
	}
	return live, nil
}

func (p *Processor) claimed(group string, id int32) error {
	return fmt.Errorf("%w: group %s has claimed partition %d of topic %s: two groups on the same topics would write everything twice; see \"Two groups on the same topics\" in docs/operating.md",
		errHalted, group, id, p.settings.TopicState)
}

// claim claims a partition unless that is done. The error is errHalted if another group came first.
func (s *session) claim(ctx context.Context, cl *kgo.Client, part *partition.Partition) error {
	if part.Claimed {
		return nil
	}
	at, err := s.p.writeClaim(ctx, part.ID)
	if err != nil {
		return fmt.Errorf("cannot claim partition %d of %s: %w", part.ID, s.p.settings.TopicState, err)
	}
	// Reads up to the claim, although transactions of others may still be open.
	states := partition.NewStates(0)
	r := &topic.Reader{Client: cl, Stall: s.p.settings.RestoreTimeout, Log: s.p.log.Warn}
	err = r.Read(ctx, s.p.settings.TopicState, part.ID, part.StateEnd, at+1, func(rec *kgo.Record) error {
		if _, ok := partition.ParseClaimKey(string(rec.Key)); ok {
			states.Add(rec.Key, rec.Value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	group, _, err := s.p.rival(ctx, cl, states.Claims)
	if err == nil && group != "" {
		err = s.p.claimed(group, part.ID)
	}
	part.Claimed = err == nil
	return err
}

// writeClaim writes a claim, with a client without transactions, and returns its offset.
func (p *Processor) writeClaim(ctx context.Context, id int32) (int64, error) {
	key, value, err := partition.Claim(p.keys.Load(), p.settings.Group)
	if err != nil {
		return 0, err
	}
	cl, err := p.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.settings.RestoreTimeout)
	defer cancel()
	defer kafka.CloseWith(ctx, cl)()
	rec := &kgo.Record{Topic: p.settings.TopicState, Partition: id, Key: key, Value: value}
	err = cl.ProduceSync(ctx, rec).FirstErr()
	return rec.Offset, err
}

// claimPolled claims the partitions whose first records a poll has brought. A partition that
// another group has claimed is stopped, which aborts the transaction.
func (s *session) claimPolled(fetches kgo.Fetches) error {
	s.applyAssignmentChanges() // a restore may have finished during the poll
	var err error
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		part := s.parts[f.Partition]
		if err != nil || part == nil || len(f.Records) == 0 {
			return
		}
		if err = s.claim(s.hard, s.gts.Client(), part); errors.Is(err, errHalted) {
			s.stopWith(part.ID, err)
			err = nil
		}
	})
	return err
}
