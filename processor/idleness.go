package processor

import (
	"context"
	"time"

	"sotto/processor/partition"

	"github.com/twmb/franz-go/pkg/kadm"
)

// idleness tracks whether a raw partition is idle. A partition is idle if the
// broker answers, the end of its log does not move and no record arrives. The
// clock of an idle partition moves with the wall clock, so that the
// last calls of the day are closed. A partition whose broker does not answer is
// not idle: its events may only be delayed.
type idleness struct {
	active bool      // records arrived since the last check
	known  bool      // end and at are valid
	end    int64     // end of the log at the last check
	at     time.Time // time of the last check
}

// idleCheckInterval is the time between two checks for idle partitions.
func (s *session) idleCheckInterval() time.Duration {
	return min(max(s.p.settings.CallIdleTimeout/10, 100*time.Millisecond), 10*time.Second)
}

// idleFor checks the partitions that have open calls. For those that have been
// idle since the last check it returns the time since then, in ms. It skips
// partitions that the client no longer counts as assigned, and those without a
// committed offset: the group could not fence a commit that closes their calls.
func (s *session) idleFor() map[int32]int64 {
	var candidates []*partition.Partition
	mine := s.gts.Client().CommittedOffsets()[s.p.settings.TopicRaw]
	for _, p := range s.parts {
		_, assigned := mine[p.ID]
		if assigned && p.Next >= 0 && !s.idle[p.ID].active && p.Size() > 0 {
			candidates = append(candidates, p)
		} else {
			delete(s.idle, p.ID)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.hard, 2*time.Second)
	defer cancel()
	ends, err := kadm.NewClient(s.gts.Client()).ListEndOffsets(ctx, s.p.settings.TopicRaw)
	now := s.p.now()
	idle := map[int32]int64{}
	for _, p := range candidates {
		end, ok := ends.Lookup(s.p.settings.TopicRaw, p.ID)
		if err != nil || !ok || end.Err != nil {
			delete(s.idle, p.ID)
			continue
		}
		if last := s.idle[p.ID]; last.known && last.end == end.Offset {
			idle[p.ID] = now.Sub(last.at).Milliseconds()
		}
		s.idle[p.ID] = idleness{known: true, end: end.Offset, at: now}
	}
	return idle
}
