package processor

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// deadLetter puts a dead letter in the place of a record.
func (s *session) deadLetter(it *item, id string) {
	dl := schemas.DeadLetter{
		Topic: it.rec.Topic, Partition: it.rec.Partition, Offset: it.rec.Offset, CallID: id,
		Reason: it.reason, Detail: it.detail, TimestampMS: it.rec.Timestamp.UnixMilli(),
	}
	if dl.Detail == "" {
		dl.Detail = reasonDetails[it.reason]
	}
	s.writeDeadLetter(&dl, s.p.tracing.follow(s.hard, it.rec))
	s.counts.addDead(it.reason)
}

// writeDeadLetter writes a dead letter as a part of a trace, which may be nil.
func (s *session) writeDeadLetter(dl *schemas.DeadLetter, trace context.Context) {
	value, err := s.p.codec.AppendDeadLetter(nil, dl)
	if err != nil {
		s.breakTransaction(fmt.Errorf("a dead letter cannot be encoded: %w", err))
		return
	}
	rec := &kgo.Record{Topic: s.p.settings.TopicDeadLetter, Value: value, Context: trace}
	if dl.CallID != "" {
		rec.Key = []byte(dl.CallID)
	}
	s.produce(rec)
}

// refuse makes a dead letter of an event that has waited.
func (w *worker) refuse(t *task, reason string) {
	n := t.item.note
	w.s.writeDeadLetter(&schemas.DeadLetter{
		Topic: w.s.p.settings.TopicRaw, Partition: t.partition, Offset: n.Offset, CallID: t.id,
		Reason: reason, Detail: reasonDetails[reason], TimestampMS: n.TimestampMS,
	}, nil)
	w.counts.addDead(reason)
}
