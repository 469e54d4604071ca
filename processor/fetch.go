package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func (s *session) poll(soft context.Context) kgo.Fetches {
	wait := idlePoll
	if s.open {
		wait = max(0, s.p.settings.CommitInterval-time.Since(s.opened))
	}
	wait = min(wait, s.idleCheckInterval())
	ctx, cancel := context.WithTimeout(s.hard, wait)
	defer cancel()
	s.mu.Lock()
	s.cancelPoll = cancel
	s.mu.Unlock()
	if soft.Err() != nil {
		cancel()
	}
	fetches := s.gts.PollRecords(ctx, min(s.pollSize.records(), s.p.settings.CommitRecords-s.inTxn))
	s.p.replay.cut(s.gts.Client(), s.p.settings.TopicRaw, fetches)
	now := time.Now().UnixNano()
	s.health.polled.Store(now)
	s.p.polled[s.n].Store(now)
	return fetches
}

// caughtUp reports whether a poll shows that there is nothing to commit.
func (s *session) caughtUp(fetches kgo.Fetches) bool {
	if s.open || s.aborts > 0 || fetches.NumRecords() > 0 {
		return false
	}
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, context.Canceled) {
			return false
		}
	}
	return true
}

// pollSize is the number of records of the next poll. A transaction ends between
// polls only, so a poll that takes long makes its transaction long, and the broker
// aborts a transaction that is open for too long. The zero value is minPoll: a new
// session, perhaps after such an abort, does not know how large the records are.
type pollSize struct{ more int }

func (n *pollSize) records() int { return minPoll + n.more }

// took adapts the size to the time that a poll of some records took, including the
// wait for workers that lag behind: fewer records in proportion if it took too long,
// up to twice as many if it was full and fast.
func (n *pollSize) took(records int, d, target time.Duration) {
	next := n.records()
	switch {
	case d > target:
		next = int(float64(next) * float64(target) / float64(d))
	case records >= next:
		next *= 2
	}
	n.more = min(maxPoll, max(minPoll, next)) - minPoll
}

// wake ends a poll that is waiting.
func (s *session) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancelPoll != nil {
		s.cancelPoll()
	}
}

func (s *session) fetchErrors(fetches kgo.Fetches) error {
	var failed error
	for _, e := range fetches.Errors() {
		var gone *kgo.ErrDataLoss
		switch {
		case errors.Is(e.Err, context.DeadlineExceeded), errors.Is(e.Err, context.Canceled):
		case errors.As(e.Err, &gone):
			return fmt.Errorf("%w: %s partition %d lost records before they were consumed: %w", errFatal, e.Topic, e.Partition, e.Err)
		case isOffsetGone(e.Err):
			return fmt.Errorf("%w: %s partition %d no longer has the committed offset of group %s (retention is too short, or the topic was recreated); find out what was lost, then set the group's offset and start again: %w",
				errFatal, e.Topic, e.Partition, s.p.settings.Group, e.Err)
		case errors.Is(e.Err, kgo.ErrClientClosed):
			return e.Err
		default:
			s.p.metrics.fetchErrors.Inc()
			s.p.log.Warn("a fetch failed", "topic", e.Topic, "partition", e.Partition, "err", e.Err)
			failed = e.Err
		}
	}
	return s.fetchesFailed(failed, fetches.NumRecords())
}

// fetchPatience is how long fetches may fail, without a record between them,
// before the session is recreated: the client does not recover from a topic that
// was recreated.
const fetchPatience = 30 * time.Second

func (s *session) fetchesFailed(err error, records int) error {
	switch {
	case records > 0:
		s.failingSince = time.Time{}
	case err != nil && s.failingSince.IsZero():
		s.failingSince = time.Now()
	case err != nil && time.Since(s.failingSince) > s.p.fetchPatience:
		return fmt.Errorf("fetches have failed for %v: %w", s.p.fetchPatience, err)
	}
	return nil
}
