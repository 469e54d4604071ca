package processor

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// deadLetter writes a dead letter for a raw record.
func (s *session) deadLetter(pr *preparedRecord, id string) {
	dl := schemas.DeadLetter{
		Topic: pr.rec.Topic, Partition: pr.rec.Partition, Offset: pr.rec.Offset, CallID: id,
		Reason: pr.reason, Detail: pr.detail, TimestampMS: pr.rec.Timestamp.UnixMilli(),
	}
	if dl.Detail == "" {
		dl.Detail = reasonDetails[pr.reason]
	}
	s.writeDeadLetter(&dl, s.p.tracing.Follow(s.hard, pr.rec))
	s.counts.AddDead(pr.reason)
}

// writeDeadLetter writes a dead letter as part of a trace, which may be nil.
func (s *session) writeDeadLetter(dl *schemas.DeadLetter, trace context.Context) {
	value, err := s.p.codec.AppendDeadLetter(nil, dl)
	if err != nil {
		s.breakTransaction(fmt.Errorf("cannot encode a dead letter: %w", err))
		return
	}
	rec := &kgo.Record{Topic: s.p.settings.TopicDeadLetter, Value: value, Context: trace}
	if dl.CallID != "" {
		rec.Key = []byte(dl.CallID)
	}
	s.produce(rec)
}

// refuse writes a dead letter for an event of an open call, whose state stays as it is.
func (w *worker) refuse(t *task, reason string) {
	dl := schemas.DeadLetter{
		Topic: w.s.p.settings.TopicRaw, Partition: t.partition, CallID: t.id, Reason: reason, Detail: reasonDetails[reason],
	}
	var trace context.Context
	if at := t.record.stagedAt; at != nil {
		dl.Offset, dl.TimestampMS = at.Offset, at.TimestampMS
	} else {
		dl.Offset, dl.TimestampMS = t.record.rec.Offset, t.record.rec.Timestamp.UnixMilli()
		trace = w.s.p.tracing.Follow(w.s.hard, t.record.rec)
	}
	w.s.writeDeadLetter(&dl, trace)
	w.counts.AddDead(reason)
}
