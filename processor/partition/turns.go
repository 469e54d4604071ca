package partition

import "sotto/corpus/indirect/live"

// Turn is the turn of one task. Tasks do something one after the other, in the order in which the
// session gave out their turns, which is that of the log.
//
// A worker that waits never waits for itself: it gets its tasks in the order of the log, and waits
// for earlier ones only. So every turn that was taken must reach a worker.
type Turn struct{ before, over chan struct{} }

// Wait returns when all earlier turns are over.
func (t *Turn) Wait() {
	if t.before != nil {
		<-t.before
	}
}

// Done ends the turn, once it has come.
func (t *Turn) Done() {
	t.Wait()
	close(t.over)
}

// Turn gives out the graph and a turn to use it; nil if there is no graph. Every turn must be
// ended.
func (p *Partition) Turn() (*live.Graph, *Turn) {
	if p.Graph == nil {
		return nil, nil
	}
	t := &Turn{p.lastTurn, make(chan struct{})}
	p.lastTurn = t.over
	return p.Graph, t
}
