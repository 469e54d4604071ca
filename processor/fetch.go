package processor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func (s *session) poll(soft context.Context) kgo.Fetches {
	wait := idlePoll
	if s.open {
		wait = max(0, time.Until(s.due()))
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
	size := min(s.pollSize.records(), s.p.settings.CommitRecords-s.inTxn)
	fetches := s.gts.PollRecords(ctx, size)
	s.backlog = fetches.NumRecords() >= size
	s.p.replay.cut(s.gts.Client(), s.p.settings.TopicRaw, fetches)
	now := time.Now().UnixNano()
	s.health.Polled.Store(now)
	s.p.polled[s.n].Store(now)
	return fetches
}

// pollSize is the number of records of the next poll. A transaction ends between
// polls only, so a poll that takes long makes its transaction long, and the broker
// aborts a transaction that is open for too long. The zero value is minPoll: a new
// session, perhaps after such an abort, does not know how large the records are.
type pollSize int

func (n *pollSize) records() int { return max(minPoll, int(*n)) }

// took adapts the size to the time that a poll of some records took: fewer records in
// proportion if it took too long, up to twice as many if it was full and fast.
func (n *pollSize) took(records int, d, target time.Duration) {
	next := n.records()
	switch {
	case d > target:
		next = int(float64(next) * float64(target) / float64(d))
	case records >= next:
		next *= 2
	}
	*n = pollSize(min(maxPoll, next))
}

// work is how long the workers took for events, and for how many.
type work struct {
	mu     sync.Mutex
	time   time.Duration // of all workers together
	events int
	// perEvent is the mean of the last take. Only the session uses it.
	perEvent time.Duration
}

func (w *work) add(d time.Duration, events int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.time += d
	w.events += events
}

// take updates perEvent. It reports false if no worker has finished anything since the last time.
func (w *work) take() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.events == 0 {
		return false
	}
	w.perEvent = w.time / time.Duration(w.events)
	w.time, w.events = 0, 0
	return true
}

// unfinishedPolls is how many polls may be unfinished when a transaction ends: one that the workers
// are busy with, and those in their queues.
const unfinishedPolls = workerQueue + 1

// resizePolls adapts the size of the polls after one of n records, which took some time to route. A
// poll should take little enough that all unfinished ones take half of the commit interval. How long
// the workers take is known only after they have finished some events, so until then polls do not grow.
func (s *session) resizePolls(n int, routed time.Duration) {
	target := s.p.settings.CommitInterval / 2 / unfinishedPolls
	if !s.work.take() && routed <= target {
		return
	}
	s.pollSize.took(n, max(routed, s.work.perEvent*time.Duration(n)/time.Duration(len(s.workers))), target)
}

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
		case errors.Is(e.Err, kerr.OffsetOutOfRange):
			return fmt.Errorf("%w: %s partition %d no longer has the committed offset of group %s (retention is too short, or the topic was recreated); find out what was lost, then set the group's offset and start again: %w",
				errFatal, e.Topic, e.Partition, s.p.settings.Group, e.Err)
		case errors.Is(e.Err, kerr.FencedInstanceID):
			return s.fenced(e.Err)
		case errors.Is(e.Err, kgo.ErrClientClosed):
			return e.Err
		case errors.Is(e.Err, kerr.GroupAuthorizationFailed):
			return refusalOf(&s.p.settings, e.Err, "Read", "group", s.p.settings.Group)
		case isDenied(e.Err):
			return refusalOf(&s.p.settings, e.Err, "Read", "topic", e.Topic)
		default:
			s.p.metrics.FetchErrors.Inc()
			s.p.log.Warn("a fetch failed", "topic", e.Topic, "partition", e.Partition, "err", e.Err)
			failed = e.Err
		}
	}
	return s.fetchesFailed(failed, fetches.NumRecords())
}

// fetchPatience is how long fetches may fail, without a record between them,
// before the session is recreated. Before that, the topics are checked, so that
// the log names one that is gone.
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
