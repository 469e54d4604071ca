package processor

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sessionHealth is the state of a session that the health endpoints report. It is
// safe for concurrent use.
type sessionHealth struct {
	polled  atomic.Int64 // time of the last poll, in ns
	heard   atomic.Int64 // time of the last answer of the group's coordinator, in ns
	blocked atomic.Bool  // a rebalance waits for the transaction to end

	mu      sync.Mutex
	joined  bool
	pending map[int32]bool  // assigned, not restored yet
	halted  map[int32]error // stopped until somebody acts
}

func (h *sessionHealth) join(assigned []int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.joined = true
	if h.pending == nil {
		h.pending, h.halted = map[int32]bool{}, map[int32]error{}
	}
	for _, id := range assigned {
		h.pending[id] = true
	}
}

// lost is called when the group has removed the member. The client joins again.
func (h *sessionHealth) lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.joined = false
	clear(h.pending)
	clear(h.halted)
}

// OnBrokerRead notes each answer of the group's coordinator. It implements
// kgo.HookBrokerRead.
func (h *sessionHealth) OnBrokerRead(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	switch kmsg.Key(key) {
	case kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.ConsumerGroupHeartbeat:
		if err == nil {
			h.heard.Store(time.Now().UnixNano())
		}
	}
}

func (h *sessionHealth) restored(id int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pending, id)
	delete(h.halted, id)
}

func (h *sessionHealth) halt(id int32, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pending, id)
	h.halted[id] = err
}

// stopped returns the number of partitions that are stopped until somebody acts.
func (h *sessionHealth) stopped() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.halted)
}

func (h *sessionHealth) gone(ids []int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		delete(h.pending, id)
		delete(h.halted, id)
	}
}

func (h *sessionHealth) started() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.joined:
		return fmt.Errorf("not yet in the group")
	case len(h.pending) > 0:
		return fmt.Errorf("%d partitions are being restored", len(h.pending))
	}
	return nil
}

// patience is how long a session may be silent and be ready.
type patience struct {
	group time.Duration // without an answer of the group's coordinator
	poll  time.Duration // without a poll
}

// ready returns why the session is not ready, or nil: it must be in the group and
// polling. A session without partitions is ready: a group may have more members
// than partitions.
func (h *sessionHealth) ready(patience patience) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.joined:
		return fmt.Errorf("not yet in the group")
	case len(h.halted) > 0:
		id := slices.Min(slices.Collect(maps.Keys(h.halted)))
		return fmt.Errorf("partition %d is stopped: %w", id, h.halted[id])
	case len(h.pending) > 0:
		return fmt.Errorf("%d partitions are being restored", len(h.pending))
	}
	if silent := since(&h.heard); silent > patience.group {
		return fmt.Errorf("the group's coordinator has not answered for %s; the group may have removed this member", silent.Round(time.Second))
	}
	if idle := since(&h.polled); idle > patience.poll {
		return fmt.Errorf("no poll for %s", idle.Round(time.Second))
	}
	return nil
}

// since returns how long ago a time was stored, 0 if none was.
func since(at *atomic.Int64) time.Duration {
	if t := at.Load(); t != 0 {
		return time.Since(time.Unix(0, t))
	}
	return 0
}

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
		var s *session
		if n < len(p.sessions) {
			s = p.sessions[n]
		}
		if err := fn(n, s); err != nil {
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
			return fmt.Errorf("not running")
		}
		if err := s.health.ready(patience{p.groupPatience, p.commitPatience}); err != nil {
			return err
		}
		if waiting := since(&p.uncommitted[n]); waiting > p.commitPatience {
			return fmt.Errorf("nothing was committed for %s although there are records", waiting.Round(time.Second))
		}
		return nil
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
		return s.health.started()
	})
}

// Live returns why the processor is stuck, or nil. It does not depend on the
// brokers.
func (p *Processor) Live() error {
	return p.each(func(_ int, s *session) error {
		if s == nil {
			return nil // it is being recreated
		}
		if idle := since(&s.health.polled); idle > pollStale {
			return fmt.Errorf("no poll for %s", idle.Round(time.Second))
		}
		return nil
	})
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
	mux.Handle("GET /metrics", MetricsHandler(p.registry))
	return mux
}

// MetricsHandler serves metrics in the format that the scraper asks for: text,
// OpenMetrics with exemplars, or protobuf with native histograms.
func MetricsHandler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{Registry: r, EnableOpenMetrics: true})
}
