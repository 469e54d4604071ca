package processor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize/intake/mapping"
	"sotto/internal/lifecycle"
	"sotto/processor/partition"
	"sotto/processor/telemetry"
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
		part.Next = pr.rec.Offset + 1
		s.idle[part.ID] = idleness{active: true}
	}
	s.send(queues)
}

func (s *session) routeRecord(part *partition.Partition, pr *preparedRecord, queues [][]task) {
	if reason, ok := s.refused(pr); ok {
		pr.reason = reason
	}
	switch {
	case pr.dropped != "":
		s.counts.AddDropped(pr.dropped)
		return
	case pr.ev == nil:
		s.deadLetter(pr, part.ID, "", &s.counts)
		return
	}
	id := part.CallID(pr.id, pr.earlier)
	own := part.Call(id)
	s.dispatchFired(part, part.Advance(pr.time(), own), queues)
	if pr.reason != "" {
		if own != nil && !own.Gone() {
			// A restore must not count this event, so it must not read it.
			part.Touch(own)
			own.Write = true
		}
		s.deadLetter(pr, part.ID, id, &s.counts)
		return
	}
	if pr.ev.Interim() {
		s.counts.Interim++
		return
	}
	if !s.judge(part, pr, id) {
		return
	}
	ended := own != nil && own.Meta.Ended
	c, admission := part.Admit(id, pr.ev)
	switch admission {
	case lifecycle.Full:
		pr.reason = reasonOpenCalls
	case lifecycle.Late:
		s.counts.Late++
		pr.reason = reasonLate
	}
	if c == nil {
		s.deadLetter(pr, part.ID, id, &s.counts)
		return
	}
	c.Remember(pr.ev, pr.mark)
	c.Asks = pr.doubt.Asks
	t := task{kind: taskEvent, call: c, record: pr, id: id, meta: c.Meta, closes: pr.ev.Type == schemas.End && !ended,
		partition: part.ID, vault: part.Vault}
	if t.meta.Ended {
		t.inTurn(part)
	}
	queues[c.Owner] = append(queues[c.Owner], t)
}

// judge gives the event of a message of others its number and reports whether it is new to its call. It counts
// events of ours whose number does not grow.
func (s *session) judge(part *partition.Partition, pr *preparedRecord, id string) bool {
	c := part.Call(id)
	if !pr.mapped {
		if c != nil && pr.ev.Seq <= c.Meta.LastSeq {
			s.counts.AddOutOfSequence(pr.ev.Seq == c.Meta.LastSeq)
		}
		return true
	}
	switch c.Judge(pr.ev, pr.mark) {
	case mapping.Repeated:
		s.counts.AddDropped(mapping.Again)
	case mapping.RevisedQuietly:
		s.counts.AddDropped(mapping.Revision)
	case mapping.Revised:
		pr.reason = mapping.ReasonRevised
		s.deadLetter(pr, part.ID, id, &s.counts)
	default:
		return true
	}
	return false
}

func (s *session) dispatchFired(part *partition.Partition, fired []lifecycle.Fired[*partition.Call], queues [][]task) {
	for _, d := range fired {
		c := d.Call
		t := task{kind: taskIdleEnd, call: c, id: c.ID, meta: c.Meta, closes: true, partition: part.ID, vault: part.Vault}
		if d.Expired { // its state goes away
			t.kind, t.closes = taskReleaseStaged, false
		}
		t.inTurn(part)
		queues[c.Owner] = append(queues[c.Owner], t)
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

func (q *queues) get(n int) [][]task {
	lists := make([][]task, n)
	for i := range lists {
		if free, ok := q.free.Get().(*[]task); ok {
			lists[i] = *free
		}
	}
	return lists
}

func (q *queues) put(tasks []task) {
	if cap(tasks) == 1 { // most likely a barrier, not worth keeping
		return
	}
	clear(tasks)
	tasks = tasks[:0]
	q.free.Put(&tasks)
}

// advanceIdlePartitions moves the clock of partitions without events
// by the wall-clock time. See idleness.
func (s *session) advanceIdlePartitions() error {
	if time.Since(s.lastIdleCheck) < s.idleCheckInterval() {
		return nil
	}
	s.lastIdleCheck = time.Now()
	for id, by := range s.idleFor() {
		part := s.parts[id]
		if part.Skip(by, s.open) {
			continue
		}
		if err := s.begin(); err != nil {
			return err
		}
		queues := s.queues.get(len(s.workers))
		s.dispatchFired(part, part.AdvanceIdle(by), queues)
		s.send(queues)
		s.fence = append(s.fence, id)
	}
	return nil
}

// deadLetter writes a dead letter for a raw record, which may be staged, and counts it. id is that of its
// call, "" if it is not known.
func (s *session) deadLetter(pr *preparedRecord, partition int32, id string, counts *telemetry.Counts) {
	dl := schemas.DeadLetter{
		Topic: s.p.settings.TopicRaw, Partition: partition, CallID: id, Reason: pr.reason, Detail: schemas.ExplainField(pr.reason, pr.field),
	}
	var trace context.Context
	if at := pr.stagedAt; at != nil {
		dl.Offset, dl.TimestampMS = at.Offset, at.TimestampMS
	} else {
		dl.Offset, dl.TimestampMS = pr.rec.Offset, pr.rec.Timestamp.UnixMilli()
		trace = s.p.tracing.Follow(s.hard, pr.rec)
	}
	value, err := s.p.codec.AppendDeadLetter(nil, &dl)
	if err != nil {
		s.breakTransaction(fmt.Errorf("cannot encode a dead letter: %w", err))
		return
	}
	rec := &kgo.Record{Topic: s.p.settings.TopicDeadLetter, Value: value, Context: trace}
	if id != "" {
		rec.Key = []byte(id)
	}
	s.produce(rec)
	counts.AddDead(pr.reason)
}

// refuse writes a dead letter for an event of an open call, whose state stays as it is.
func (w *worker) refuse(t *task, reason string) {
	t.record.reason = reason
	w.s.deadLetter(t.record, t.partition, t.id, &w.counts)
}
