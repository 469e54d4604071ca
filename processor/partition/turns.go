package partition

import (
	"sync"

	"sotto/corpus/indirect/live"
)

// turns has the workers do something one after the other, in the order in which the session gave
// out the turns, which is that of the log.
//
// A worker that waits never waits for itself: it gets its tasks in the order of the log, and waits
// for earlier ones only. So every turn that was taken must reach a worker.
type turns struct {
	mu      sync.Mutex
	changed sync.Cond
	taken   uint64 // by the session
	next    uint64
}

func newTurns() *turns {
	t := &turns{}
	t.changed.L = &t.mu
	return t
}

// Turn is the turn of one task.
type Turn struct {
	of     *turns
	number uint64
}

func (t *turns) take() *Turn {
	t.taken++
	return &Turn{t, t.taken - 1}
}

// Wait returns when all earlier turns are over.
func (t *Turn) Wait() {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	for t.of.next != t.number {
		t.of.changed.Wait()
	}
}

// Done ends the turn, once it has come.
func (t *Turn) Done() {
	t.Wait()
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.next++
	t.of.changed.Broadcast()
}

// Turn gives out the graph and a turn to use it; nil if there is no graph. Every turn must be
// ended.
func (p *Partition) Turn() (*live.Graph, *Turn) {
	if p.Graph == nil {
		return nil, nil
	}
	return p.Graph, p.turns.take()
}
