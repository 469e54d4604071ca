package processor

import (
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// route decodes the records of a poll and dispatches them in the order of each
// partition.
func (s *session) route(recs []*kgo.Record) {
	s.applyAssignmentChanges() // a restore may have finished during the poll
	s.inTxn += len(recs)
	s.progress.consumed(recs)
	prepared := s.p.preparer().all(recs, len(s.workers))
	if err := s.askRemote(prepared); err != nil {
		s.breakTransaction(err)
		return
	}
	queues := s.queues.get(len(s.workers))
	for i := range prepared {
		pr := &prepared[i]
		part := s.parts[pr.rec.Partition]
		switch {
		case part == nil:
			s.breakTransaction(fmt.Errorf("partition %d delivered records before it was restored", pr.rec.Partition))
		case pr.retry != nil:
			s.breakTransaction(pr.retry)
		}
		if part == nil || pr.retry != nil {
			s.send(queues) // later tasks wait for their turns
			return
		}
		s.routeRecord(part, pr, queues)
		part.next = pr.rec.Offset + 1
		part.idleness.active = true
	}
	s.send(queues)
}

func (s *session) routeRecord(part *partition, pr *preparedRecord, queues [][]task) {
	if reason, ok := s.refused(pr.rec); ok {
		pr.reason, pr.detail = reason, ""
	}
	if pr.ev == nil {
		s.deadLetter(pr, "")
		return
	}
	if pr.mismatch {
		s.counts.mismatches++
	}
	id := part.callID(pr)
	own := part.calls[id]
	s.dispatchTimers(part, part.advance(pr.ev.TimestampMS, own), queues)
	if pr.reason != "" {
		if own != nil && !own.gone {
			// A restore must not count this event, so it must not read it.
			part.touch(own)
			own.write = true
		}
		s.deadLetter(pr, id)
		return
	}
	ended := own != nil && own.meta.Ended
	c, v := part.admit(id, pr.ev)
	switch v {
	case drop:
		s.counts.interim++
	case overflow:
		pr.reason = reasonOpenCalls
		s.deadLetter(pr, id)
	case late:
		s.counts.late++
		pr.reason = reasonLate
		s.deadLetter(pr, id)
	case process:
		c.asks = pr.doubt.Asks
		t := task{kind: taskEvent, call: c, record: pr, id: id, meta: c.meta, closes: pr.ev.Type == schemas.End && !ended,
			clock: part.clock, partition: part.id, vault: part.vault}
		if t.meta.Ended {
			part.inTurn(&t)
		}
		queues[c.owner] = append(queues[c.owner], t)
	}
}

// dispatchTimers passes the timers that fired to the workers of their calls.
func (s *session) dispatchTimers(part *partition, fired []firedTimer, queues [][]task) {
	for _, d := range fired {
		c := d.call
		t := task{call: c, id: c.id, meta: c.meta, clock: part.clock, partition: part.id, vault: part.vault}
		switch d.what {
		case timerGrace:
			if s.p.remote == nil {
				continue
			}
			t.kind = taskReleaseStaged // its state goes away
			part.inTurn(&t)
		case timerIdle:
			t.kind, t.closes = taskIdleEnd, true
			part.inTurn(&t)
		case timerHold:
			t.kind = taskRelease
		}
		queues[c.owner] = append(queues[c.owner], t)
	}
}

func (s *session) send(queues [][]task) {
	for i, q := range queues {
		if len(q) > 0 {
			s.workers[i].in <- q
		} else if q != nil {
			s.queues.put(q)
		}
	}
}

// queues recycles the task lists of workers. It is safe for concurrent use.
type queues struct{ free sync.Pool }

// get returns n empty lists.
func (q *queues) get(n int) [][]task {
	lists := make([][]task, n)
	for i := range lists {
		if free, ok := q.free.Get().(*[]task); ok {
			lists[i] = *free
		}
	}
	return lists
}

// put takes a list back when its tasks are done.
func (q *queues) put(tasks []task) {
	if cap(tasks) == 1 { // most likely a barrier, not worth keeping
		return
	}
	clear(tasks)
	tasks = tasks[:0]
	q.free.Put(&tasks)
}

// advanceIdlePartitions moves the event-time clock of partitions without events
// by the wall-clock time. See idleness.
func (s *session) advanceIdlePartitions() error {
	if time.Since(s.lastIdleCheck) < s.idleCheckInterval() {
		return nil
	}
	s.lastIdleCheck = time.Now()
	for id, by := range s.idleFor() {
		part := s.parts[id]
		if !part.timersDue(by) {
			part.clock += by
			if !s.open {
				part.savedClock = part.clock
			}
			continue
		}
		if err := s.begin(); err != nil {
			return err
		}
		queues := s.queues.get(len(s.workers))
		s.dispatchTimers(part, part.advanceIdle(by), queues)
		s.send(queues)
		s.fence = append(s.fence, id)
	}
	return nil
}
