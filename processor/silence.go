package processor

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// silence is what a session knows of a partition's silence. A partition whose
// log end stays where it is, while the broker answers and no record of it
// arrives, is silent: its event-time clock then moves with the wall clock, so
// that the last calls of the day are closed. A partition whose broker does not
// answer is not silent, its events are only late.
type silence struct {
	heard bool      // records came since the last look
	known bool      // end and at are valid
	end   int64     // of the log at the last look
	at    time.Time // of the last look
}

// quietInterval is how often silent partitions are looked at.
func (s *session) quietInterval() time.Duration {
	every := s.p.settings.CallIdleTimeout / 10
	if set := &s.p.settings; set.HoldBack > 0 {
		every = min(every, set.HoldBackTime)
	}
	return min(max(every, 100*time.Millisecond), 10*time.Second)
}

// silentFor looks at the partitions that have open calls and returns, for
// those that have been silent since the last look, for how many milliseconds.
// Partitions that the client no longer counts as assigned are left out, and
// those of which nothing was ever committed: their calls could not be closed
// under the group's protection.
func (s *session) silentFor() map[int32]int64 {
	var look []*partition
	mine := s.gts.Client().CommittedOffsets()[s.p.settings.TopicRaw]
	for _, p := range s.parts {
		_, assigned := mine[p.id]
		if assigned && p.next >= 0 && !p.silence.heard && len(p.calls) > 0 {
			look = append(look, p)
		} else {
			p.silence = silence{}
		}
	}
	if len(look) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.hard, 2*time.Second)
	defer cancel()
	ends, err := kadm.NewClient(s.gts.Client()).ListEndOffsets(ctx, s.p.settings.TopicRaw)
	now := s.p.now()
	silent := map[int32]int64{}
	for _, p := range look {
		end, ok := ends.Lookup(s.p.settings.TopicRaw, p.id)
		if err != nil || !ok || end.Err != nil {
			p.silence = silence{}
			continue
		}
		if p.silence.known && p.silence.end == end.Offset {
			silent[p.id] = now.Sub(p.silence.at).Milliseconds()
		}
		p.silence = silence{known: true, end: end.Offset, at: now}
	}
	return silent
}

// wouldRing tells whether moving the clock by so many milliseconds would close
// a call, or let go what waits in one.
func (p *partition) wouldRing(by int64) bool {
	return p.holdWouldRing(p.clock+by) || len(p.alarms) > 0 && p.alarms[0].at <= p.clock+by
}
