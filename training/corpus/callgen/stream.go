package callgen

import (
	"cmp"
	"iter"
	"slices"
)

// Events yields the events of the calls from first to first+calls-1 in the
// order of their event times, with about overlap calls going on at once: when
// one ends, the next one starts a moment later. TimestampMS of the events is
// shifted accordingly; the order within each call is kept.
func (g *Generator) Events(first, calls, overlap int) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		next, last := first, first+calls
		var open []*openCall // by the times of their next events
		insert := func(c *openCall) {
			i, _ := slices.BinarySearchFunc(open, c, (*openCall).compare)
			open = slices.Insert(open, i, c)
		}
		add := func(shift int64) {
			insert(&openCall{events: g.Call(next).Events, shift: shift, order: next})
			next++
		}
		for range min(max(overlap, 1), calls) {
			// Neighbours start 1.7 seconds apart, so that they interleave
			// without going in step.
			add(int64(next-first) * 1700)
		}
		for len(open) > 0 {
			c := open[0]
			open = slices.Delete(open, 0, 1)
			e := &c.events[0]
			e.TimestampMS = c.time()
			if c.events = c.events[1:]; len(c.events) > 0 {
				insert(c)
			} else if next < last {
				add(e.TimestampMS - start + 1000)
			}
			if !yield(e) {
				return
			}
		}
	}
}

// openCall is a call of which some events are still to come.
type openCall struct {
	events []Event
	shift  int64
	order  int // breaks ties, so that the order is always the same
}

func (c *openCall) time() int64 { return c.events[0].TimestampMS + c.shift }

func (c *openCall) compare(d *openCall) int {
	return cmp.Or(cmp.Compare(c.time(), d.time()), cmp.Compare(c.order, d.order))
}
