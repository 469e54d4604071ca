package processor

import (
	"context"
	"errors"
	"fmt"

	"sotto/processor/partition"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"
)

type assignmentChange struct {
	assigned *partition.Partition
	revoked  []int32
}

func (s *session) applyAssignmentChanges() {
	s.mu.Lock()
	changes := s.changes
	s.changes = nil
	s.mu.Unlock()
	for _, n := range changes {
		for _, id := range n.revoked {
			delete(s.parts, id)
			delete(s.waiting().ends, id) // its next owner commits
		}
		if n.assigned != nil {
			n.assigned.Begin()
			s.parts[n.assigned.ID] = n.assigned
			s.acked.restored(s.p.settings.TopicState, n.assigned.ID, n.assigned.StateEnd)
			s.acked.restored(s.p.settings.TopicIndirect, n.assigned.ID, n.assigned.GraphEnd)
			delete(s.idle, n.assigned.ID)
		}
	}
}

func (s *session) queueAssignmentChange(c assignmentChange) {
	s.mu.Lock()
	s.changes = append(s.changes, c)
	s.mu.Unlock()
	s.rebalanced.Store(true)
	s.wake()
}

func (s *session) onAssigned(_ context.Context, _ *kgo.Client, assigned map[string][]int32) {
	s.p.metrics.Rebalances.Inc()
	s.p.foreign.look()
	s.health.Join(assigned[s.p.settings.TopicRaw])
	s.rebalanced.Store(true)
}

func (s *session) onRevoked(_ context.Context, cl *kgo.Client, gone map[string][]int32) {
	ids := gone[s.p.settings.TopicRaw]
	if len(ids) == 0 {
		return
	}
	s.p.foreign.look()
	s.health.Clear(ids...)
	cl.ResumeFetchPartitions(map[string][]int32{s.p.settings.TopicRaw: ids})
	s.p.log.Info("partitions revoked", "session", s.n, "partitions", ids)
	s.queueAssignmentChange(assignmentChange{revoked: ids})
}

// onLost is called when the group has removed this member. It joins again.
func (s *session) onLost(ctx context.Context, cl *kgo.Client, gone map[string][]int32) {
	s.health.Lost()
	s.onRevoked(ctx, cl, gone)
}

const restoreParallel = 4

// onOffsets restores the partitions that were just assigned, before the first
// of their records is fetched. Heartbeats continue meanwhile. A partition whose
// state cannot be read is stopped and the others continue; any other failure
// fails the session.
func (s *session) onOffsets(ctx context.Context, cl *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	var assigned []kmsg.OffsetFetchResponseGroupTopicPartition
	var ids []int32
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, o := range t.Partitions {
				if o.ErrorCode == 0 {
					assigned, ids = append(assigned, o), append(ids, o.Partition)
				}
			}
		}
	}
	seen, err := s.p.sight(ctx, cl, ids)
	var all errgroup.Group
	all.SetLimit(restoreParallel)
	for _, o := range assigned {
		all.Go(func() error {
			if err != nil {
				return s.restored(ctx, cl, o.Partition, nil, err)
			}
			at, err := s.p.checkpointOf(ctx, cl, &seen, &o)
			if err != nil {
				return s.restored(ctx, cl, o.Partition, nil, err)
			}
			part, err := s.restore(ctx, cl, o.Partition, o.Offset, at)
			if err == nil {
				part.Partitions, part.RawTopic = seen.partitions, seen.rawTopic
			}
			return s.restored(ctx, cl, o.Partition, part, err)
		})
	}
	return all.Wait()
}

func (s *session) halt(cl *kgo.Client, id int32, err error) {
	cl.PauseFetchPartitions(map[string][]int32{s.p.settings.TopicRaw: {id}})
	s.health.Halt(id, err)
	s.p.log.Error("the partition is stopped until somebody acts", "partition", id, "err", err)
}

// stopPartition aborts the open transaction, because a call's state does not open.
// The partition is stopped then. It is safe for concurrent use.
func (s *session) stopPartition(id int32, err error) {
	s.stopWith(id, fmt.Errorf("%w: a restart reads its states again: %w", errHalted, err))
}

func (s *session) stopWith(id int32, reason error) {
	s.mu.Lock()
	s.stops[id] = reason
	s.mu.Unlock()
	s.breakTransaction(errHalted)
}

// applyStops stops the partitions whose states do not open, after the transaction
// was aborted.
func (s *session) applyStops() {
	s.mu.Lock()
	stops := s.stops
	s.stops = map[int32]error{}
	s.mu.Unlock()
	for id, err := range stops {
		if s.parts[id] != nil {
			s.halt(s.gts.Client(), id, err)
			delete(s.parts, id)
		}
	}
}

// restored takes over a partition, or notes why it could not be restored.
func (s *session) restored(ctx context.Context, cl *kgo.Client, id int32, part *partition.Partition, err error) error {
	switch {
	case err == nil:
		s.queueAssignmentChange(assignmentChange{assigned: part})
		s.health.Clear(id)
		return nil
	case errors.Is(err, errHalted):
		s.halt(cl, id, err)
		s.p.metrics.RestoreFailures.WithLabelValues("halted").Inc()
		s.queueAssignmentChange(assignmentChange{revoked: []int32{id}})
		return nil
	case ctx.Err() != nil:
		return ctx.Err() // a rebalance; the partition will be assigned again
	}
	s.p.metrics.RestoreFailures.WithLabelValues("failed").Inc()
	err = fmt.Errorf("the restore of partition %d failed: %w", id, err)
	s.fail(err)
	return err
}
