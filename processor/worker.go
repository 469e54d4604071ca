package processor

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/schemas"
)

// worker owns the calls whose IDs hash to it: it alone uses their memories
// until it has answered the barrier, so a call's events are worked on one after
// the other.
type worker struct {
	s  *session
	in chan []task
	// counts of the open transaction, read by the session at the barrier.
	counts counts
	doc    detectors.Document // for the second look
}

type taskKind uint8

const (
	taskEvent   taskKind = iota
	taskIdleEnd          // the call has gone idle: its END is made up
	taskRelease          // what waits in the call may have waited for long enough
	taskLate             // no memory of the call is left
	taskSeal             // write the call's state
	taskKeep             // write what was added to the call's transcript
	taskBarrier          // answer
)

// task is one piece of work. What of the call's meta the work needs is copied
// into it, since the session goes on counting meanwhile.
type task struct {
	kind    taskKind
	call    *call
	item    *item
	id      string
	meta    callMeta
	closes  bool  // the event ends the call
	clock   int64 // the partition's
	barrier *sync.WaitGroup
	// partition is that of the call's events and of its state.
	partition int32
}

func (w *worker) run() {
	for tasks := range w.in {
		for i := range tasks {
			t := &tasks[i]
			switch t.kind {
			case taskBarrier:
				t.barrier.Done()
			case taskEvent:
				w.event(t)
			case taskIdleEnd:
				w.idleEnd(t)
			case taskRelease:
				w.release(t)
			case taskLate:
				w.late(t)
			case taskSeal:
				w.seal(t)
			case taskKeep:
				w.writeTranscript(t)
			}
		}
	}
}

// event anonymizes an event with the memory of its call.
func (w *worker) event(t *task) {
	defer w.poisoned(t)
	t.call.begin()
	if t.item.engine.Holds(t.call.pending) {
		w.hold(t)
		return
	}
	w.apply(t)
}

// apply anonymizes an event whose turn has come, and tells whether its output
// fits.
func (w *worker) apply(t *task) bool {
	c := t.call
	clean, changed := t.item.engine.Apply(c.pending, t.item.prep)
	c.changed = c.changed || changed
	clean.CallID = t.id
	return w.finish(t, &clean, schemas.ClosedByEnd)
}

// finish takes a second look at a clean event of a call that is in memory and
// writes it.
func (w *worker) finish(t *task, clean *schemas.CleanEvent, by schemas.ClosedBy) bool {
	c, p := t.call, w.s.p
	if clean.Type == schemas.Utterance {
		var changed bool
		c.doubted.ledger, changed = c.doubted.ledger.Observe(&w.doc, clean.Text, clean.Entities, t.item.prep.Subthreshold)
		c.changed = c.changed || changed
	}
	var final final
	if t.closes {
		if p.settings.TopicFinal != "" {
			final = w.review(t)
		}
		c.text.closing = true
	}
	estimated := c.doubted.risk(&t.meta, c.pending)
	if clean.Type == schemas.End {
		clean.Call = &schemas.CallSummary{Utterances: t.meta.Utterances, Entities: c.pending.Entities(), EstimatedRisk: &estimated, ClosedBy: by}
		over := p.gate.Judge(t.meta.Context, clean.Call)
		if t.closes {
			w.counts.ends = append(w.counts.ends, callEnd{t.meta.Context, estimated, over})
		}
	}
	sampling, changed := p.audit.decide(&t.meta, &c.doubted, estimated, clean.Type)
	c.changed = c.changed || changed
	if !w.emit(t, clean, sampling) {
		return false
	}
	switch {
	case p.settings.TopicFinal == "":
	case clean.Type == schemas.End:
		w.writeFinal(t, clean, &final)
	case t.meta.Ended: // it came within the grace
		w.produceFinal(t, clean)
	default:
		w.keep(c, clean)
	}
	return true
}

// late anonymizes an event without memory.
func (w *worker) late(t *task) {
	defer w.poisoned(t)
	clean := t.item.engine.ApplyLate(t.item.prep)
	clean.CallID = t.id
	var sampling *schemas.Sampling
	if rate := t.meta.AuditRate; rate > 0 {
		sampling = &schemas.Sampling{Rate: rate, Reason: schemas.SampledByContext}
	}
	w.emit(t, &clean, sampling)
	w.counts.late++
}

// poisoned catches a panic of the engine. The call's memory may be half
// changed, so the transaction is aborted; when the event comes again it becomes
// a dead letter and the engine never sees it. The panic's value may hold text
// of the call: only where it happened is logged.
func (w *worker) poisoned(t *task) {
	if r := recover(); r != nil {
		w.s.p.log.Error("the engine panicked; the event becomes a dead letter",
			"partition", t.item.rec.Partition, "offset", t.item.rec.Offset, "at", panicSite())
		w.s.poison(t.item.rec)
	}
}

// panicSite names the functions on the stack below the panic.
func panicSite() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var site []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "sotto/") {
			site = append(site, fmt.Sprintf("%s:%d", f.Function, f.Line))
		}
		if !more || len(site) == 6 {
			return strings.Join(site, " < ")
		}
	}
}

// idleEnd writes the END of a call that has gone idle. Its sequence number
// follows the call's last one and its time is when the call went idle.
func (w *worker) idleEnd(t *task) {
	c := t.call
	c.begin()
	w.releaseAll(t, w.s.p.engine.Load().engine)
	ev := &schemas.RawEvent{
		CallID: t.id, Seq: t.meta.LastSeq + 1, Type: schemas.End, Context: t.meta.Context, Tenant: t.meta.Tenant,
		TimestampMS: t.meta.Active + w.s.p.settings.CallIdleTimeout.Milliseconds(),
	}
	clean := schemas.CleanEvent{Seq: ev.Seq, Type: schemas.End, TimestampMS: ev.TimestampMS, Policy: w.s.p.Policy(), Strategy: w.s.p.settings.Strategy}
	func() {
		// An END has no text to fail on; should it fail all the same, the
		// plain one goes out.
		defer func() { _ = recover() }()
		e := w.s.p.engine.Load()
		var changed bool
		clean, changed = e.Apply(c.pending, e.Prepare(ev))
		c.changed = c.changed || changed
	}()
	clean.CallID = t.id
	w.finish(t, &clean, schemas.ClosedByIdle)
	w.counts.idleEnds++
}

// sizeHint is about the size of an encoded event, so that its buffer need not
// grow.
func sizeHint(e *schemas.CleanEvent) int { return 384 + len(e.Text) + 128*len(e.Entities) }

// emit writes a clean event and, where sampling is not nil, its audit event. It
// writes neither and returns false when one of them does not fit.
func (w *worker) emit(t *task, clean *schemas.CleanEvent, sampling *schemas.Sampling) bool {
	value, err := w.s.p.codec.AppendClean(make([]byte, 0, sizeHint(clean)), clean)
	if err != nil || len(value) > maxRecordBytes {
		w.unfit(t)
		return false
	}
	var audit []byte
	if sampling != nil {
		ae := schemas.AuditEvent{CleanEvent: *clean, Sampling: *sampling}
		if audit, err = w.s.p.codec.AppendAudit(nil, &ae); err != nil || len(audit) > maxRecordBytes {
			w.unfit(t)
			return false
		}
	}
	set := &w.s.p.settings
	var trace context.Context
	if t.item != nil {
		trace = w.s.p.tracing.follow(w.s.hard, t.item.rec)
	}
	w.s.produce(&kgo.Record{Topic: set.TopicClean, Key: []byte(t.id), Value: value, Context: trace})
	w.counts.clean++
	if audit != nil {
		w.s.produce(&kgo.Record{Topic: set.TopicAudit, Key: []byte(t.id), Value: audit, Context: trace})
		w.counts.audit++
	}
	if clean.Type == schemas.Utterance {
		w.counts.utterances++
		if t.item != nil {
			w.counts.characters(t.item.ev.Text, clean)
		}
	}
	for i := range clean.Entities {
		w.counts.entity(&clean.Entities[i])
	}
	return true
}

// unfit makes a dead letter of a record whose output does not fit. It goes the
// way of a panic, since the memory has already taken the event in. An END that was
// made up has no record and is never large; what has waited has none either, and
// waited sees to it.
func (w *worker) unfit(t *task) {
	if t.item != nil && t.item.note == nil {
		w.s.poisonFor(t.item.rec, reasonOutputTooLarge)
	}
}

// stateBody is what is sealed.
type stateBody struct {
	Meta   callMeta `cbor:"1,keyasint"`
	Memory []byte   `cbor:"2,keyasint"`
	// Doubt is absent in the states of earlier versions.
	Doubt wireDoubt `cbor:"3,keyasint,omitempty"`
}

// seal writes a call's state.
func (w *worker) seal(t *task) {
	c := t.call
	mem, d := c.pending, c.doubted
	if mem == nil {
		mem, d = c.memory, c.doubt
	}
	sealed, err := w.s.sealState(c, t.meta, mem, d)
	if err != nil {
		w.s.breakTransaction(fmt.Errorf("a call's state cannot be sealed: %w", err))
		return
	}
	w.s.produce(&kgo.Record{Topic: w.s.p.settings.TopicState, Partition: t.partition, Key: []byte(t.id), Value: sealed})
	c.sealedBytes = len(sealed)
	w.counts.states++
	w.counts.stateBytes += len(sealed)
}

// counts are what a worker did in the open transaction; they reach the metrics
// when it commits.
type counts struct {
	clean, audit, late, interim, utterances, idleEnds, states, stateBytes int
	held                                                                  int
	inputChars, redactedChars, final, leftovers                           int
	ends                                                                  []callEnd
	dead, byType, byDetector                                              map[string]int // by reason, by infoType
}

func (c *counts) entity(e *schemas.Entity) {
	if c.byType == nil {
		c.byType, c.byDetector = map[string]int{}, map[string]int{}
	}
	c.byType[e.Type]++
	c.byDetector[e.Detector]++
}

// characters counts how much of an utterance was replaced: what of the clean
// text lies outside the tags is what is left of the raw text.
func (c *counts) characters(raw string, clean *schemas.CleanEvent) {
	input := utf8.RuneCountInString(raw)
	left := utf8.RuneCountInString(clean.Text)
	for i := range clean.Entities {
		left -= clean.Entities[i].End - clean.Entities[i].Start
	}
	c.inputChars += input
	c.redactedChars += max(0, input-left)
}

var _ engine = (*anonymize.Engine)(nil)
