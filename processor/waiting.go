package processor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/processor/telemetry"
)

// waiting is what the sessions of one number have to commit. It outlives each of them: a stream that
// cannot write recreates its session again and again, and must not look ready in between.
type waiting struct {
	since atomic.Int64 // since when there is something to commit, in ns; 0 for nothing
	why   atomic.Pointer[failure]
	// ends is the offset after the last record that was read and not committed, by partition. Only
	// the running session uses it.
	ends map[int32]int64
}

// failure is why nothing is committed.
type failure struct {
	err error
	// lasting is set if a further try is not expected to help: then the session is not ready until a
	// commit succeeds.
	lasting bool
}

// begins notes that there is something to commit.
func (w *waiting) begins() { w.since.CompareAndSwap(0, time.Now().UnixNano()) }

// read notes the records of a poll.
func (w *waiting) read(fetches kgo.Fetches) {
	w.begins()
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		if n := len(f.Records); n > 0 {
			w.until(f.Partition, f.Records[n-1].Offset+1)
		}
	})
}

// until notes that a partition has something to commit as long as its offset is before end.
func (w *waiting) until(partition int32, end int64) {
	if w.ends == nil {
		w.ends = map[int32]int64{}
	}
	w.ends[partition] = end
}

// failed notes why nothing was committed.
func (w *waiting) failed(err error, lasting bool) {
	if before := w.why.Load(); before != nil {
		lasting = lasting || before.lasting
	}
	w.why.Store(&failure{err, lasting})
}

// done notes that a transaction was committed, or that there is nothing to commit.
func (w *waiting) done() {
	clear(w.ends)
	w.since.Store(0)
	w.why.Store(nil)
}

// ready returns why a session is not ready, or nil.
func (w *waiting) ready(patience time.Duration) error {
	why, since := w.why.Load(), telemetry.Since(&w.since)
	switch {
	case why != nil && (why.lasting || since > patience):
		return fmt.Errorf("nothing was committed for %s: %w", since.Round(time.Second), why.err)
	case since > patience:
		return fmt.Errorf("nothing was committed for %s although there are records", since.Round(time.Second))
	}
	return nil
}

// caughtUp reports whether a poll shows that there is nothing to commit: it brought nothing, and what
// this session or one before it has read of its partitions is committed.
func (s *session) caughtUp(fetches kgo.Fetches) bool {
	if s.open || fetches.NumRecords() > 0 || s.health.Started() != nil {
		return false
	}
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, context.Canceled) {
			return false
		}
	}
	s.applyAssignmentChanges() // of a restore that has just finished
	for id, p := range s.parts {
		if p.Next < s.waiting().ends[id] {
			return false
		}
	}
	return true
}

func (s *session) waiting() *waiting { return &s.p.waiting[s.n] }
