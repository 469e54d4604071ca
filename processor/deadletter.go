package processor

import (
	"cmp"
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/processor/telemetry"
	"sotto/schemas"
)

// deadLetter writes a dead letter for a raw record, which may be staged, and counts it. id is that of its
// call, "" if it is not known.
func (s *session) deadLetter(pr *preparedRecord, partition int32, id string, counts *telemetry.Counts) {
	dl := schemas.DeadLetter{
		Topic: s.p.settings.TopicRaw, Partition: partition, CallID: id, Reason: pr.reason, Detail: cmp.Or(pr.detail, reasonDetails[pr.reason]),
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
	t.record.reason, t.record.detail = reason, ""
	w.s.deadLetter(t.record, t.partition, t.id, &w.counts)
}
