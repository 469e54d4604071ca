package processor

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

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
// there is something to commit.
func (p *Processor) Ready() error {
	return p.each(func(n int, s *session) error {
		if s == nil {
			if why := p.waiting[n].why.Load(); why != nil {
				return fmt.Errorf("not running: %w", why.err)
			}
			return errors.New("not running")
		}
		if err := s.health.Ready(p.groupPatience, p.commitPatience); err != nil {
			return err
		}
		return p.waiting[n].ready(p.commitPatience)
	})
}

// Started returns why the processor has not started, or nil. It has started if
// every session is in the group and has restored its partitions. A stopped
// partition does not count, because a restart would not help it.
func (p *Processor) Started() error {
	return p.each(func(_ int, s *session) error {
		if s == nil {
			return fmt.Errorf("not running")
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

// longest returns how to compute the time, in seconds, since the earliest of a time that each session has; 0 for
// none.
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
