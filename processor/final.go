package processor

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/internal/panics"
	"sotto/risk/estimate"
	"sotto/schemas"
	"sotto/state"
)

// transcript holds a call's clean events until it ends, so that they can be
// reviewed with everything learnt during the call. It belongs to the call's
// worker. Each transaction writes what it adds as one or a few records with keys
// of their own (chunkKey) to the state topic, and never rewrites them. When the
// call ends, they get tombstones.
type transcript struct {
	events [][]byte // as of the last commit, encoded
	bytes  int
	chunks uint32 // in the state topic

	// The open transaction.
	added   [][]byte
	grown   int    // bytes of added
	written uint32 // chunks that it writes
	closing bool   // the call ends in it, and the transcript with it
}

func newTranscript(chunks uint32, events [][]byte) transcript {
	t := transcript{events: events, chunks: chunks}
	for _, e := range events {
		t.bytes += len(e)
	}
	return t
}

// begin discards what an aborted transaction had added.
func (t *transcript) begin() {
	t.added, t.grown, t.written, t.closing = nil, 0, 0, false
}

func (t *transcript) commit() {
	if t.closing {
		*t = transcript{}
		return
	}
	t.events = append(t.events, t.added...)
	t.bytes += t.grown
	t.chunks += t.written
	t.begin()
}

// keep keeps an event if there is room for it.
func (t *transcript) keep(event []byte, room int) {
	if t.bytes+t.grown+len(event) <= room {
		t.added = append(t.added, event)
		t.grown += len(event)
	}
}

// changed reports whether the transaction has to write any of it.
func (t *transcript) changed() bool { return len(t.added) > 0 || t.closing && t.chunks > 0 }

// chunkMark begins the key of a chunk. No call ID begins with it, because call IDs
// are valid UTF-8.
const chunkMark = 0xff

// chunkKey is the key of the nth chunk of a call.
func chunkKey(id string, n uint32) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{chunkMark}, n), id...)
}

func parseChunkKey(key string) (id string, n uint32, ok bool) {
	if len(key) < 5 || key[0] != chunkMark {
		return "", 0, false
	}
	return key[5:], binary.BigEndian.Uint32([]byte(key[1:5])), true
}

// chunkBytes is about the maximum size of a chunk.
const chunkBytes = 512 << 10

// chunkBody is the plaintext of a chunk.
type chunkBody struct {
	Events [][]byte `cbor:"16,keyasint"`
}

var errChunk = errors.New("the sealed record does not contain a transcript")

// openChunk returns the events of a chunk.
func openChunk(keys *state.Keyring, key string, sealed []byte) ([][]byte, error) {
	body, err := keys.Open(key, sealed)
	if err != nil {
		return nil, err
	}
	var b chunkBody
	if err := cbor.Unmarshal(body, &b); err != nil || len(b.Events) == 0 {
		return nil, errChunk
	}
	return b.Events, nil
}

// writeTranscript writes what the transaction added to a call's transcript, or
// tombstones for all of it.
func (w *worker) writeTranscript(t *task) {
	c := &t.call.text
	put := func(n uint32, value []byte) {
		w.s.produce(&kgo.Record{Topic: w.s.p.settings.TopicState, Partition: t.partition, Key: chunkKey(t.id, n), Value: value})
	}
	if c.closing {
		for n := range c.chunks {
			put(n, nil)
		}
		return
	}
	most := min(chunkBytes, w.s.p.maxChunk())
	for from := 0; from < len(c.added); {
		to, size := from, 0
		for to < len(c.added) && (to == from || size+len(c.added[to]) <= most) {
			size += len(c.added[to])
			to++
		}
		sealed, err := w.sealChunk(chunkKey(t.id, c.chunks+c.written), c.added[from:to])
		if err != nil {
			w.s.breakTransaction(fmt.Errorf("cannot seal a call's transcript: %w", err))
			return
		}
		put(c.chunks+c.written, sealed)
		c.written++
		from = to
	}
}

func (w *worker) sealChunk(key []byte, events [][]byte) ([]byte, error) {
	sealer, err := w.s.p.keys.Load().Sealer(string(key))
	if err != nil {
		return nil, err
	}
	body, err := stateEncoding.Marshal(chunkBody{events})
	if err != nil {
		return nil, err
	}
	return sealer.Seal(nil, body), nil
}

// keptCodec encodes the events of a transcript.
var keptCodec = func() *schemas.Codec {
	c, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		panic(err) // cannot happen: JSON needs no registry
	}
	return c
}()

// maxChunk bounds the events of a chunk, so that it fits a record.
func (p *Processor) maxChunk() int { return p.recordLimit() - p.recordLimit()/16 }

// keep adds a clean event to the transcript of a call that continues. An event
// that is too large is missing in the final version.
func (w *worker) keep(c *call, clean *schemas.CleanEvent) {
	if value, err := keptCodec.AppendClean(nil, clean); err == nil && len(value) <= w.s.p.maxChunk() {
		c.text.keep(value, w.s.p.settings.FinalMaxBytes)
	}
}

// reviewedCall is the final version of a call without its END.
type reviewedCall struct {
	events []reviewedEvent
	added  int // masks
}

type reviewedEvent struct {
	clean *schemas.CleanEvent // as published
	final schemas.CleanEvent
	lost  bool // the final version lacks it
}

// review applies everything learnt during a call to its transcript when the call
// ends. It adds the risk of what had been missed to the call's risk.
func (w *worker) review(t *task) (f reviewedCall) {
	c := t.call
	left := map[[2]string]bool{}
	for _, events := range [][][]byte{c.text.events, c.text.added} {
		for _, value := range events {
			clean, err := keptCodec.DecodeClean(value)
			if err != nil {
				continue // the count of utterances shows that it is missing
			}
			reviewed, added := w.reviewEvent(c, clean)
			f.events = append(f.events, reviewedEvent{clean: clean, final: reviewed})
			f.added += len(added)
			for _, e := range added {
				if k := [2]string{e.Type, fmt.Sprint(e.ID)}; !left[k] {
					left[k] = true
					c.pendingRisk.leftover += estimate.Leftover(e.Type, c.pending.OfSpeaker(state.Ref{Type: e.Type, N: e.ID}))
				}
			}
		}
	}
	return f
}

// reviewEvent is the engine's Review. If that panics, the event and the call's
// state stay unchanged.
func (w *worker) reviewEvent(c *call, clean *schemas.CleanEvent) (reviewed schemas.CleanEvent, added []schemas.Entity) {
	memory := c.pending.Clone()
	defer func() {
		if recover() != nil {
			w.s.p.log.Error("the engine panicked in the closing pass; the event stays as it was published", "at", panics.Site(6))
			reviewed, added = *clean, nil
		}
	}()
	reviewed, added, changed := anonymize.Resume(w.s.p.engine.Load(), memory).Review(clean)
	if changed {
		c.pending, c.changed = memory, true
	}
	return reviewed, added
}

// writeFinal writes the final version of a call and its END, which has the
// estimated risk of that version.
func (w *worker) writeFinal(t *task, end *schemas.CleanEvent, f *reviewedCall) {
	utterances := w.writeReviewed(t, f)
	last := *end
	estimated := t.call.pendingRisk.ownRisk(&t.meta, t.call.pending)
	sum := *end.Call
	sum.EstimatedRisk, sum.Reason, sum.Entities = &estimated, "", t.call.pending.Entities()
	w.s.p.gate.Judge(t.meta.Context, &sum)
	anonymize.WithholdRelease(t.call.pending, &sum)
	if in := sum.Indirect; in != nil {
		sum.Indirect = &schemas.IndirectSummary{Calls: in.Calls, Judged: in.Judged, Count: in.Count}
	}
	if lacks := t.meta.Utterances - utterances; t.closes && lacks > 0 {
		sum.Release = false
		sum.Reason = fmt.Sprintf("the final version lacks %d utterances", lacks)
	}
	last.Call = &sum
	w.produceFinal(t, &last)
	w.counts.leftovers += f.added
}

// writeReviewed writes the events of a final version, and returns how many utterances it wrote.
func (w *worker) writeReviewed(t *task, f *reviewedCall) (utterances int64) {
	for i := range f.events {
		e := &f.events[i]
		record, err := w.s.p.codec.AppendClean(nil, &e.final)
		if err != nil || e.lost || !w.s.p.fits(t.id, record) {
			continue // the count of utterances shows it
		}
		w.putFinal(t, record)
		if e.final.Type == schemas.Utterance {
			utterances++
		}
	}
	return utterances
}

// produceFinal writes an event to the final topic; nil is none.
func (w *worker) produceFinal(t *task, clean *schemas.CleanEvent) {
	if clean == nil {
		return
	}
	value, err := w.s.p.codec.AppendClean(nil, clean)
	if err != nil || !w.s.p.fits(t.id, value) {
		// The same event fitted the clean topic; only the marks of indirect identifiers make it larger.
		w.s.p.log.Error("an event does not fit a record with its marks; the final version lacks it", "seq", clean.Seq)
		return
	}
	w.putFinal(t, value)
}

func (w *worker) putFinal(t *task, value []byte) {
	w.s.produce(&kgo.Record{Topic: w.s.p.settings.TopicFinal, Key: []byte(t.id), Value: value})
	w.counts.final++
}
