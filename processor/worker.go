package processor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/detectors"
	"sotto/internal/panics"
	"sotto/internal/pieces"
	"sotto/processor/partition"
	"sotto/processor/telemetry"
	"sotto/schemas"
	"sotto/training/corpus/indirect/live"
)

// worker owns the calls whose IDs hash to it. Only it uses their states until it
// has answered the barrier, so the events of a call are processed one by one.
type worker struct {
	s  *session
	in chan []task
	// counts of the open transaction, which the session reads at the barrier.
	counts  telemetry.Counts
	outputs outputs
	headers headers
	doc     detectors.Document // for the risk estimate
	texts   reader             // for the graph of indirect identifiers
	body    bytes.Buffer       // for the state that is sealed
}

type taskKind uint8

const (
	taskEvent         taskKind = iota
	taskIdleEnd                // write the END of a call that has become idle
	taskReleaseStaged          // release the events that were staged
	taskSeal                   // write the call's state
	taskKeep                   // write what was added to the call's transcript
	taskBarrier                // answer the session
)

var actions = [...]func(*worker, *task){
	taskEvent: (*worker).event, taskIdleEnd: (*worker).idleEnd, taskReleaseStaged: (*worker).releaseStaged,
	taskSeal: (*worker).seal, taskKeep: (*worker).writeTranscript, taskBarrier: func(_ *worker, t *task) { t.barrier.Done() },
}

// task is one piece of work. It has a copy of the call's meta, because the
// session continues to count meanwhile.
type task struct {
	kind    taskKind
	call    *partition.Call
	record  *preparedRecord
	id      string
	meta    partition.Meta
	closes  bool // the event ends the call
	barrier *sync.WaitGroup
	// partition of the call's events and of its state, and its vault.
	partition int32
	vault     *partition.Vault
	// graph is that of the partition, if the task may use it: when its turn comes. entered is what
	// the graph was then.
	graph   *live.Graph
	turn    *partition.Turn
	entered *live.Savepoint
}

// key is the key of the call's output records: that of the raw record, if they are equal. The
// client does not write to it.
func (t *task) key() []byte {
	if t.record != nil && t.record.rec != nil && string(t.record.rec.Key) == t.id {
		return t.record.rec.Key
	}
	return []byte(t.id)
}

func (w *worker) run() {
	for tasks := range w.in {
		began, events := time.Now(), 0
		for i := range tasks {
			w.do(&tasks[i])
			if tasks[i].kind < taskSeal {
				events++
			}
		}
		if events > 0 {
			w.s.work.add(time.Since(began), events)
		}
		w.s.queues.put(tasks)
	}
}

func (w *worker) do(t *task) {
	actions[t.kind](w, t)
	if t.turn != nil {
		t.turn.Done()
	}
}

// begin makes a call ready for a task. It reports false, and stops the partition, if
// the call is dormant and its state does not open.
func (w *worker) begin(t *task) bool {
	if err := t.call.Begin(t.vault); err != nil {
		w.s.stopPartition(t.partition, err)
		return false
	}
	return true
}

// event anonymizes an event with the state of its call, or stages it. An event
// that fails is quarantined, which aborts the transaction.
//
// The state is not copied before each event, because every part that changes
// after a copy must be copied, too. So after a failure there is no state to
// continue the call from, and its later events are left out until the records
// are read again. Then the session is careful: the call continues as if the
// failed event had never been there, so that the transaction finds all bad
// records.
func (w *worker) event(t *task) {
	c := t.call
	if !w.begin(t) || c.HasFailed() {
		return
	}
	var before partition.Snapshot
	if w.s.careful {
		before = c.Snapshot()
	}
	reason := w.tryEvent(t)
	if reason == "" {
		return
	}
	if w.s.careful {
		c.RestoreTo(before)
	} else {
		c.Fail()
	}
	w.s.quarantine(t.record, reason)
}

// tryEvent returns why the event failed, "" if it did not.
func (w *worker) tryEvent(t *task) (reason string) {
	defer w.recoverFromPanic(t, &reason)
	r := t.record
	if r.prep == nil {
		r.prep = r.engine.Prepare(r.ev)
	}
	if w.stage(t) {
		return ""
	}
	return w.apply(t, r.prep)
}

// apply anonymizes an event that is next in its call. It returns why that failed,
// "" if it did not.
func (w *worker) apply(t *task, p *anonymize.Prepared) (reason string) {
	c := t.call
	out := c.Conversation(t.record.engine).Apply(p)
	c.Changed = c.Changed || out.Changed
	w.counts.Language(out.LanguageDecision, w.s.p.settings.OtherLanguages)
	if out.Held {
		w.refuse(t, reasonOtherLanguage)
		return ""
	}
	out.Clean.CallID = t.id
	return w.finish(t, &out, schemas.ClosedByEnd)
}

// finish estimates the risk of a clean event of an open call and writes the
// event. It returns why that failed, "" if it did not.
func (w *worker) finish(t *task, out *anonymize.Output, by schemas.ClosedBy) (reason string) {
	c, p, clean := t.call, w.s.p, &out.Clean
	tenant := t.meta.Tenant // of an END that the stream itself writes
	if t.record != nil {
		tenant = t.record.ev.Tenant
	}
	clean.Tenant = p.rules.Metadata.Tenant(tenant)
	if clean.Type == schemas.Utterance {
		var changed bool
		c.PendingRisk.Candidates, changed = c.PendingRisk.Candidates.Observe(&w.doc, clean.Text, clean.Entities, out.Subthreshold)
		c.Changed = c.Changed || changed
		w.counts.AddSubthreshold(out.Subthreshold)
	}
	var closed closedCall
	if t.closes {
		if p.settings.TopicFinal != "" {
			closed = w.closingPass(t)
		}
		c.Text.Closing = true
	}
	estimated := c.PendingRisk.Estimate(p.weights(&t.meta), &t.meta, c.Pending)
	if clean.Type == schemas.End {
		published := c.Pending // countCall may mask more, in the final version only
		indirect := w.countCall(t, &closed)
		var over bool
		clean.Call, over = p.gate.Summary(published, ending.Facts{Context: t.meta.Context, Utterances: t.meta.Utterances,
			Estimated: estimated, By: by, Indirect: indirect, Uncounted: t.meta.Uncounted, Renumbered: published.Renumbered()})
		if t.closes {
			w.counts.Ends = append(w.counts.Ends, telemetry.CallEnd{Context: t.meta.Context, Estimated: estimated, Over: over, Released: clean.Call.Release})
		}
	}
	sampling, changed := p.audit.Decide(&t.meta, &c.PendingRisk, estimated, clean.Type)
	c.Changed = c.Changed || changed
	if !w.stateFits(t) {
		return reasonStateTooLarge
	}
	if !w.emit(t, clean, sampling) {
		return reasonOutputTooLarge
	}
	switch {
	case p.settings.TopicFinal == "":
	case clean.Type == schemas.End:
		w.writeFinal(t, clean, &closed)
	case t.meta.Ended: // it arrived within the grace period
		w.produceFinal(t, w.lateFinal(t, clean))
	default:
		w.keep(c, clean)
	}
	return ""
}

// recoverFromPanic is for defer. It recovers from a panic of the engine and sets
// the reason. The panic's value may contain text of the call, so only the place
// of the panic is logged.
func (w *worker) recoverFromPanic(t *task, reason *string) {
	if r := recover(); r != nil {
		w.s.p.log.Error("the engine panicked; the event becomes a dead letter",
			"partition", t.record.rec.Partition, "offset", t.record.rec.Offset, "at", panics.Site(6))
		*reason = reasonPanic
	}
}

// idleEnd writes the END of a call that has become idle. Its sequence number
// follows the call's last one, and its time is when the call became idle.
func (w *worker) idleEnd(t *task) {
	c := t.call
	if !w.begin(t) {
		return
	}
	e := w.s.p.engine.Load().engine
	w.release(t, e)
	ev := &schemas.RawEvent{
		CallID: t.id, Seq: t.meta.LastSeq + 1, Type: schemas.End, Context: t.meta.Context, Tenant: t.meta.Tenant,
		TimestampMS: t.meta.IdleAt(w.s.p.settings.CallIdleTimeout.Milliseconds()),
	}
	out := anonymize.Output{Clean: schemas.CleanEvent{
		Seq: ev.Seq, Type: schemas.End, TimestampMS: ev.TimestampMS, Policy: w.s.p.Policy(), Strategy: w.s.p.settings.Strategy,
	}}
	func() {
		// An END has no text that could make the engine panic. If it panics
		// nevertheless, the plain END is written.
		defer func() { _ = recover() }()
		out = c.Conversation(e).Add(ev)
		c.Changed = c.Changed || out.Changed
	}()
	out.Clean.CallID = t.id
	w.finish(t, &out, schemas.ClosedByIdle)
	w.counts.IdleEnds++
}

// sizeHint is about the size of an encoded event, so that its buffer need not
// grow.
func sizeHint(e *schemas.CleanEvent) int { return 384 + len(e.Text) + 128*len(e.Entities) }

// emit writes a clean event and, if sampling is not nil, its audit event. If one
// of them does not fit, it writes neither and returns false.
func (w *worker) emit(t *task, clean *schemas.CleanEvent, sampling *schemas.Sampling) bool {
	headers := w.headers.of(clean)
	value, err := w.s.p.codec.AppendClean(w.outputs.Room(sizeHint(clean)), clean)
	if err == nil && !w.s.p.fits(t.id, value, headers.bytes) && clean.Call != nil && clean.Call.Indirect != nil {
		clean.Call.Indirect.Words = nil // their count says that they are missing
		value, err = w.s.p.codec.AppendClean(value[:0], clean)
	}
	if err != nil || !w.s.p.fits(t.id, value, headers.bytes) {
		return false
	}
	value = w.outputs.Keep(value)
	var audit []byte
	if sampling != nil {
		ae := schemas.AuditEvent{CleanEvent: *clean, Sampling: *sampling}
		if audit, err = w.s.p.codec.AppendAudit(w.outputs.Room(sizeHint(clean)), &ae); err != nil || !w.s.p.fits(t.id, audit, headers.bytes) {
			return false
		}
		audit = w.outputs.Keep(audit)
	}
	set := &w.s.p.settings
	var trace context.Context
	if t.record != nil {
		trace = w.s.p.tracing.Follow(w.s.hard, t.record.rec)
	}
	w.put(kgo.Record{Topic: set.TopicClean, Key: t.key(), Value: value, Headers: headers.list, Context: trace}, t.meta.OutputPartitions.Clean)
	w.counts.Clean++
	if audit != nil {
		w.put(kgo.Record{Topic: set.TopicAudit, Key: t.key(), Value: audit, Headers: headers.list, Context: trace}, t.meta.OutputPartitions.Audit)
		w.counts.Audit++
	}
	if clean.Type == schemas.Utterance {
		w.counts.Utterances++
		if t.record != nil {
			w.counts.Characters(t.record.ev.Text, clean)
		}
	}
	for i := range clean.Entities {
		w.counts.Entity(&clean.Entities[i])
	}
	return true
}

func (w *worker) produce(rec kgo.Record) {
	w.s.produce(w.outputs.record(rec))
}

// put writes an output of a call to the topic that had so many partitions when the call was opened.
func (w *worker) put(rec kgo.Record, partitions int32) {
	r := w.outputs.record(rec)
	r.Partition = int32(keyed.Partition(r, int(partitions)))
	w.s.produce(r)
}

// fits reports whether a topic takes a record with so many bytes of headers. There is room for the header of a trace (batchRoom).
func (p *Processor) fits(key string, value []byte, headers int) bool {
	return len(key)+len(value)+headers <= p.recordLimit()
}

// stateGrowth bounds how much an event makes the state of its call grow: by a
// multiple of its own size and by some bookkeeping.
const (
	stateGrowthFactor = 16
	stateGrowthBase   = 4 << 10
	// stateSlack is left for what changes in a state without an event.
	stateSlack = 4 << 10
)

// stateFits reports whether the state of the call fits a record after an event.
// It keeps an upper bound of the size and measures only if that is large.
func (w *worker) stateFits(t *task) bool {
	c := t.call
	if !c.Changed || t.record == nil {
		return true
	}
	size := len(t.record.ev.Text)
	if t.record.rec != nil {
		size = len(t.record.rec.Value)
	}
	if c.StateBound += stateGrowthFactor*size + stateGrowthBase; c.StateBound < w.s.p.recordLimit()/2 {
		return true
	}
	w.body.Reset()
	err := partition.EncodeState(&w.body, t.meta, c.Pending, c.PendingRisk)
	c.StateBound = w.body.Len() + len(t.id)
	return err == nil && c.StateBound <= w.s.p.recordLimit()-stateSlack
}

func (w *worker) seal(t *task) {
	c, p := t.call, w.s.p
	sealed, err := c.Seal(t.vault, p.keys.Load(), t.meta, &w.body, w.outputs.Room)
	switch {
	case errors.Is(err, partition.ErrDamaged):
		w.s.stopPartition(t.partition, err)
		return
	case err == nil && !p.fits(t.id, sealed, 0):
		err = fmt.Errorf("the state has %d bytes and the limit is %d", len(sealed), p.recordLimit())
	}
	if err != nil {
		w.s.breakTransaction(fmt.Errorf("cannot seal a call's state: %w", err))
		return
	}
	sealed = w.outputs.Keep(sealed)
	w.produce(kgo.Record{Topic: w.s.p.settings.TopicState, Partition: t.partition, Key: []byte(t.id), Value: sealed})
	c.StateBytes = int32(len(sealed))
	w.counts.States++
	w.counts.StateBytes += len(sealed)
}

// outputs is memory for the records that a worker writes, in pieces that many records share. A piece
// is freed with the last of its records, which the client keeps until the broker has them. So pieces
// are small, and a large value is in none. Not safe for concurrent use.
type outputs struct {
	pieces.Pieces
	records []kgo.Record
}

const recordsPerPiece = 64

// record returns the record as one that the client may keep.
func (o *outputs) record(rec kgo.Record) *kgo.Record {
	if len(rec.Value) >= pieces.Large { // the other records of a piece would keep the value, too
		return new(rec)
	}
	if len(o.records) == 0 {
		o.records = make([]kgo.Record, recordsPerPiece)
	}
	r := &o.records[0]
	*r, o.records = rec, o.records[1:]
	return r
}
