package processor

import "sync"

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

// turn is the turn of one task.
type turn struct {
	of     *turns
	number uint64
}

func (t *turns) take() *turn {
	t.taken++
	return &turn{t, t.taken - 1}
}

// wait returns when all earlier turns are over.
func (t *turn) wait() {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	for t.of.next != t.number {
		t.of.changed.Wait()
	}
}

// done ends the turn, once it has come.
func (t *turn) done() {
	t.wait()
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.next++
	t.of.changed.Broadcast()
}
