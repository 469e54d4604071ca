package processor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/processor/telemetry"
)

// pollStale is the time without a poll after which a session counts as stuck. A
// poll returns within a second. A transaction may wait for brokers that are
// unreachable, which is no reason to restart the process, so the bound is
// generous.
const pollStale = 5 * time.Minute

// each calls fn for every configured session, with nil for one that is not
// running.
func (p *Processor) each(fn func(n int, s *session) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := range p.settings.Sessions {
		if err := fn(n, p.sessions[n]); err != nil {
			return fmt.Errorf("session %d: %w", n, err)
		}
	}
	return nil
}

// Ready returns why the processor is not ready, or nil. It is ready if every
// session is in the group, polls, has restored its partitions, and commits if
// there is something to commit, and if nobody else reads the events in its group.
func (p *Processor) Ready() error {
	err := p.each(func(n int, s *session) error {
		if s == nil {
			return p.waiting[n].notRunning()
		}
		if err := s.health.Ready(p.groupPatience, p.commitPatience); err != nil {
			return err
		}
		return p.waiting[n].ready(p.commitPatience)
	})
	if err == nil {
		err = p.foreign.reading()
	}
	if wrong := p.wrongTopics.Load(); err == nil && wrong != nil {
		err = *wrong
	}
	return err
}

// Started returns why the processor has not started, or nil. It has started if
// every session is in the group and has restored its partitions. A stopped
// partition does not count, because a restart would not help it.
func (p *Processor) Started() error {
	return p.each(func(n int, s *session) error {
		if s == nil {
			return p.waiting[n].notRunning()
		}
		return s.health.Started()
	})
}

// Live returns why the processor is stuck, or nil. It does not depend on the
// brokers.
func (p *Processor) Live() error {
	return p.each(func(_ int, s *session) error {
		if s == nil {
			return nil // it is being recreated
		}
		if idle := telemetry.Since(&s.health.Polled); idle > pollStale {
			return fmt.Errorf("no poll for %s", idle.Round(time.Second))
		}
		return nil
	})
}

// longest returns a function for a gauge: of the times that the sessions have, how many seconds ago the earliest was; 0
// if there is none.
func (p *Processor) longest(of func(n int) *atomic.Int64) func() float64 {
	return func() float64 {
		var age time.Duration
		for n := range p.settings.Sessions {
			age = max(age, telemetry.Since(of(n)))
		}
		return age.Seconds()
	}
}

// Handler serves /livez, /readyz, /startupz and /metrics.
func (p *Processor) Handler() http.Handler {
	mux := http.NewServeMux()
	probe := func(check func() error) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			status := map[string]string{"status": "ok"}
			if err := check(); err != nil {
				w.WriteHeader(http.StatusServiceUnavailable)
				status = map[string]string{"status": "unavailable", "why": err.Error()}
			}
			_ = json.NewEncoder(w).Encode(status) // whoever asked may be gone
		}
	}
	mux.HandleFunc("GET /livez", probe(p.Live))
	mux.HandleFunc("GET /readyz", probe(p.Ready))
	mux.HandleFunc("GET /startupz", probe(p.Started))
	mux.Handle("GET /metrics", telemetry.Handler(p.registry))
	return mux
}

// waiting is what the sessions of one number have to commit. It outlives each of them: a stream that
// cannot write recreates its session again and again, and must not look ready in between.
type waiting struct {
	since atomic.Int64 // since when there is something to commit, in ns; 0 for nothing
	why   atomic.Pointer[failure]
	// ends is the offset after the last record that was read and not committed, by partition. Only
	// the running session uses it.
	ends map[int32]int64
	// step is what must be done before the session runs.
	step atomic.Pointer[step]
}

type step struct {
	what  string
	began time.Time
}

// does notes what is done next before the session runs.
func (w *waiting) does(what string) { w.step.Store(&step{what, time.Now()}) }

// notRunning says why there is no session.
func (w *waiting) notRunning() error {
	if why := w.why.Load(); why != nil {
		return fmt.Errorf("not running: %w", why.err)
	}
	if at := w.step.Load(); at != nil {
		return fmt.Errorf("not running: for %s it %s", time.Since(at.began).Round(time.Second), at.what)
	}
	return errors.New("not running: it begins")
}

type failure struct {
	err error
	// lasting is set if a further try is not expected to help: then the session is not ready until a
	// commit succeeds.
	lasting bool
}

func (w *waiting) begins() { w.since.CompareAndSwap(0, time.Now().UnixNano()) }

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
