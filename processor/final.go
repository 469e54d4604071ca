package processor

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize/ending"
	"sotto/detectors"
	"sotto/internal/panics"
	"sotto/processor/partition"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// writeTranscript writes what the transaction added to a call's transcript, or
// tombstones for all of it.
func (w *worker) writeTranscript(t *task) {
	p := w.s.p
	err := t.call.Text.Write(t.id, p.keys.Load(), min(partition.ChunkBytes, p.maxChunk()), func(key, value []byte) {
		w.s.produce(&kgo.Record{Topic: p.settings.TopicState, Partition: t.partition, Key: key, Value: value})
	})
	if err != nil {
		w.s.breakTransaction(fmt.Errorf("cannot seal a call's transcript: %w", err))
	}
}

var keptCodec = func() *schemas.Codec {
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		panic(err) // cannot happen: JSON needs no registry
	}
	return c
}()

func (p *Processor) maxChunk() int { return p.recordLimit() - p.recordLimit()/16 }

// keep adds a clean event to the transcript of a call that continues. An event
// that is too large is missing in the final version.
func (w *worker) keep(c *partition.Call, clean *schemas.CleanEvent) {
	if value, err := keptCodec.AppendClean(nil, clean); err == nil && len(value) <= w.s.p.maxChunk() {
		c.Text.Keep(value, w.s.p.settings.FinalMaxBytes)
	}
}

type closedCall struct {
	events []closedEvent
	added  int // masks
	// asPublished means that all persons have the numbers that were published.
	asPublished bool
}

type closedEvent struct {
	clean *schemas.CleanEvent // as published
	final schemas.CleanEvent
	lost  bool // the final version lacks it
}

// closingPass applies everything learned during a call to its transcript when the call
// ends. It adds the risk of what had been missed to the call's risk.
func (w *worker) closingPass(t *task) (f closedCall) {
	c := t.call
	var events []*schemas.CleanEvent
	var tenants []string // as published
	for _, value := range c.Text.All() {
		if clean, err := keptCodec.DecodeClean(value); err == nil { // the count of utterances shows what is missing
			tenants = append(tenants, clean.Tenant)
			clean.Tenant = t.meta.Tenant // the policy is that of the raw one
			events = append(events, clean)
		}
	}
	left := map[state.Ref]bool{}
	again := w.reread(events)
	for i, clean := range events {
		closed, added := w.closeEvent(c, clean, again[i])
		clean.Tenant, closed.Tenant = tenants[i], tenants[i]
		f.events = append(f.events, closedEvent{clean: clean, final: closed})
		f.added += len(added)
		for _, e := range added {
			if k := (state.Ref{Type: e.Type, N: e.ID}); !left[k] && e.Score >= 0.5 {
				left[k] = true
				c.PendingRisk.Leftover += estimate.Leftover(e.Type, c.Pending.OfSpeaker(k))
			}
		}
	}
	w.settle(t, &f)
	return f
}

// settle gives persons who turned out to be one the same number in the final version. If the engine panics, all keep
// the numbers that were published.
func (w *worker) settle(t *task, f *closedCall) {
	c := t.call
	memory := c.Pending.Clone()
	if !memory.Settle() {
		c.Pending, c.Changed = memory, true
		return
	}
	defer func() {
		if recover() != nil {
			f.asPublished = true
			w.s.p.log.Error("the engine panicked when it renumbered persons; the final version has the numbers that were published", "at", panics.Site(6))
		}
	}()
	finals := make([]schemas.CleanEvent, len(f.events))
	for i := range f.events {
		finals[i] = w.renumber(t, memory, &f.events[i].final)
	}
	for i := range finals {
		f.events[i].final = finals[i]
	}
	c.Pending, c.Changed = memory, true
}

// renumber is the engine's Renumber.
func (w *worker) renumber(t *task, memory *state.Call, clean *schemas.CleanEvent) schemas.CleanEvent {
	of := *clean
	of.Tenant = t.meta.Tenant // the policy is that of the raw one
	final := w.s.p.engine.Load().Renumber(memory, &of)
	final.Tenant = clean.Tenant
	return final
}

// lateFinal returns what the final topic gets of an event that arrives after the END of its call. If the engine panics, that
// is nothing: with other numbers than the call it would be somebody else's.
func (w *worker) lateFinal(t *task, clean *schemas.CleanEvent) (final *schemas.CleanEvent) {
	defer func() {
		if recover() != nil {
			w.s.p.log.Error("the engine panicked when it renumbered persons; the final version lacks the event", "at", panics.Site(6))
			final = nil
		}
	}()
	renumbered := w.renumber(t, t.call.Pending, clean)
	return w.countLate(t, &renumbered)
}

// reread is the engine's Reread. If that panics, nothing is found.
func (w *worker) reread(events []*schemas.CleanEvent) (again [][]detectors.Finding) {
	defer func() {
		if recover() != nil {
			w.s.p.log.Error("the engine panicked in the second reading; the call's events stay as they were published", "at", panics.Site(6))
			again = make([][]detectors.Finding, len(events))
		}
	}()
	again, _ = w.s.p.engine.Load().Reread(context.Background(), events) // a session ends between two events
	return again
}

// closeEvent is the engine's ClosingPass. If that panics, the event and the call's
// state stay unchanged.
func (w *worker) closeEvent(c *partition.Call, clean *schemas.CleanEvent, again []detectors.Finding) (closed schemas.CleanEvent, added []schemas.Entity) {
	memory := c.Pending.Clone()
	defer func() {
		if recover() != nil {
			w.s.p.log.Error("the engine panicked in the closing pass; the event stays as it was published", "at", panics.Site(6))
			closed, added = *clean, nil
		}
	}()
	closed, added, changed := w.s.p.engine.Load().ClosingPass(memory, clean, again)
	if changed {
		c.Pending, c.Changed = memory, true
	}
	return closed, added
}

// writeFinal writes the final version of a call and its END, which has the
// estimated risk of that version.
func (w *worker) writeFinal(t *task, end *schemas.CleanEvent, closed *closedCall) {
	utterances := w.writeClosed(t, closed)
	last := *end
	estimated := t.call.PendingRisk.EstimateOwn(w.s.p.weights(&t.meta), &t.meta, t.call.Pending)
	f := ending.Facts{Context: t.meta.Context, Utterances: end.Call.Utterances, Estimated: estimated, By: end.Call.ClosedBy, Uncounted: t.meta.Uncounted}
	if t.closes {
		f.Lacking = t.meta.Utterances - utterances
	}
	if in := end.Call.Indirect; in != nil {
		f.Indirect = &schemas.IndirectSummary{Calls: in.Calls, Judged: in.Judged, Count: in.Count}
	}
	memory := t.call.Pending.Clone()
	if !closed.asPublished {
		f.Renumbered = memory.Renumbered()
		memory.Unite()
	}
	last.Call, _ = w.s.p.gate.Summary(memory, f)
	w.produceFinal(t, &last)
	w.counts.Leftovers += closed.added
}

func (w *worker) writeClosed(t *task, f *closedCall) (utterances int64) {
	for i := range f.events {
		e := &f.events[i] // if it is left out, the count of utterances shows it
		if !e.lost && w.putFinal(t, &e.final) && e.final.Type == schemas.Utterance {
			utterances++
		}
	}
	return utterances
}

// produceFinal writes an event to the final topic; nil is none.
func (w *worker) produceFinal(t *task, clean *schemas.CleanEvent) {
	if clean != nil && !w.putFinal(t, clean) {
		// The same event fitted the clean topic; only the marks of indirect identifiers make it larger.
		w.s.p.log.Error("an event does not fit a record with its marks; the final version lacks it", "seq", clean.Seq)
	}
}

func (w *worker) putFinal(t *task, clean *schemas.CleanEvent) bool {
	headers := w.headers.of(clean)
	value, err := w.s.p.codec.AppendClean(nil, clean)
	if err != nil || !w.s.p.fits(t.id, value, headers.bytes) {
		return false
	}
	w.put(kgo.Record{Topic: w.s.p.settings.TopicFinal, Key: []byte(t.id), Value: value, Headers: headers.list}, t.meta.OutputPartitions.Final)
	w.counts.Final++
	return true
}
