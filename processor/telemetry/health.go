package telemetry

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Health is the state of a session that the health endpoints report. It is
// safe for concurrent use.
type Health struct {
	Polled  atomic.Int64 // time of the last poll, in ns
	Heard   atomic.Int64 // time of the last answer of the group's coordinator, in ns
	Blocked atomic.Bool  // a rebalance waits for the transaction to end

	mu      sync.Mutex
	began   time.Time // when the session started, or lost its membership
	doing   string    // what the session does, which may keep it from polling
	joined  bool
	since   time.Time       // of the last assignment
	pending map[int32]bool  // assigned, not restored yet
	halted  map[int32]error // stopped until somebody acts
}

func (h *Health) Join(assigned []int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.joined, h.since = true, time.Now()
	if h.pending == nil {
		h.pending, h.halted = map[int32]bool{}, map[int32]error{}
	}
	for _, id := range assigned {
		h.pending[id] = true
	}
}

// Lost is called when the group has removed the member. The client joins again.
func (h *Health) Lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.joined, h.began = false, time.Now()
	clear(h.pending)
	clear(h.halted)
}

// OnBrokerRead notes each answer of the group's coordinator. It implements
// kgo.HookBrokerRead.
func (h *Health) OnBrokerRead(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	switch kmsg.Key(key) {
	case kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.ConsumerGroupHeartbeat:
		if err == nil {
			h.Heard.Store(time.Now().UnixNano())
		}
	}
}

func (h *Health) Halt(id int32, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pending, id)
	h.halted[id] = err
}

// Stopped returns the number of partitions that are stopped until somebody acts.
func (h *Health) Stopped() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.halted)
}

// StoppedBy reports whether a partition is stopped because of one of some errors.
func (h *Health) StoppedBy(causes ...error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.halted {
		if slices.ContainsFunc(causes, func(cause error) bool { return errors.Is(err, cause) }) {
			return true
		}
	}
	return false
}

// Clear notes that partitions were restored or revoked.
func (h *Health) Clear(ids ...int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		delete(h.pending, id)
		delete(h.halted, id)
	}
}

func (h *Health) Started() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.started()
}

// Begin notes that the session starts.
func (h *Health) Begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.began = time.Now()
}

// Does notes what the session does until it polls again.
func (h *Health) Does(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.doing = what
}

func (h *Health) started() error {
	switch {
	case !h.joined:
		return fmt.Errorf("not yet in the group, for %s: it waits for the group's coordinator and for the other members", ago(h.began))
	case len(h.pending) > 0:
		return fmt.Errorf("%d partitions are being restored, for %s: %v", len(h.pending), ago(h.since), slices.Sorted(maps.Keys(h.pending)))
	}
	return nil
}

func ago(t time.Time) time.Duration { return time.Since(t).Round(time.Second) }

// Ready returns why the session is not ready, or nil: it must be in the group and
// polling. A session without partitions is ready: a group may have more members
// than partitions. group is how long it may be without an answer of the group's
// coordinator, and poll without a poll.
func (h *Health) Ready(group, poll time.Duration) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.joined && len(h.halted) > 0 {
		id := slices.Min(slices.Collect(maps.Keys(h.halted)))
		return fmt.Errorf("partition %d is stopped: %w", id, h.halted[id])
	}
	if err := h.started(); err != nil {
		return err
	}
	if silent := Since(&h.Heard); silent > group {
		return fmt.Errorf("the group's coordinator has not answered for %s; the group may have removed this member", silent.Round(time.Second))
	}
	if idle := Since(&h.Polled); idle > poll {
		return fmt.Errorf("no poll for %s: the session %s", idle.Round(time.Second), h.doing)
	}
	return nil
}

// Since returns how long ago a time was stored, 0 if none was.
func Since(at *atomic.Int64) time.Duration {
	if t := at.Load(); t != 0 {
		return time.Since(time.Unix(0, t))
	}
	return 0
}
