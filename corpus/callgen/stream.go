package callgen

import (
	"container/heap"
	"iter"
)

// Events yields the events of the calls from first to first+calls-1 in the
// order of their event times, with about overlap calls going on at once: when
// one ends, the next one starts a moment later. TimestampMS of the events is
// shifted accordingly; the order within each call is kept.
func (g *Generator) Events(first, calls, overlap int) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		next, last := first, first+calls
		var open openCalls
		add := func(shift int64) {
			c := &openCall{call: g.Call(next), shift: shift, order: next}
			c.apply()
			heap.Push(&open, c)
			next++
		}
		for range min(max(overlap, 1), calls) {
			// Neighbours start 1.7 seconds apart, so that they interleave
			// without going in step.
			add(int64(next-first) * 1700)
		}
		for len(open) > 0 {
			c := open[0]
			e := &c.call.Events[c.at]
			c.at++
			if c.at == len(c.call.Events) {
				heap.Pop(&open)
				if next < last {
					add(e.TimestampMS - start + 1000)
				}
			} else {
				c.apply()
				heap.Fix(&open, 0)
			}
			if !yield(e) {
				return
			}
		}
	}
}

// openCall is a call of which some events are still to come.
type openCall struct {
	call  *Call
	at    int
	shift int64
	order int // breaks ties, so that the order is always the same
}

func (c *openCall) apply() { c.call.Events[c.at].TimestampMS += c.shift }

type openCalls []*openCall

func (o openCalls) Len() int { return len(o) }
func (o openCalls) Less(i, j int) bool {
	a, b := o[i], o[j]
	ta, tb := a.call.Events[a.at].TimestampMS, b.call.Events[b.at].TimestampMS
	if ta != tb {
		return ta < tb
	}
	return a.order < b.order
}
func (o openCalls) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *openCalls) Push(x any)   { *o = append(*o, x.(*openCall)) }
func (o *openCalls) Pop() any {
	old := *o
	x := old[len(old)-1]
	*o = old[:len(old)-1]
	return x
}
