package processor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/state"
)

// stateEncoding writes equal states as equal bytes.
var stateEncoding = func() cbor.UserBufferEncMode {
	m, err := cbor.CoreDetEncOptions().UserBufferEncMode()
	if err != nil {
		panic(err)
	}
	return m
}()

// sealRoom is more than sealing adds to the length of a state.
const sealRoom = 64

// sealState returns a call's record for the state topic.
func (w *worker) sealState(id string, a *awake, m callMeta, mem *state.Call, d callRisk) ([]byte, error) {
	p := w.s.p
	if a.sealer == nil || a.sealer.Ring() != p.keys.Load() {
		var err error
		if a.sealer, err = p.keys.Load().Sealer(id); err != nil {
			return nil, err
		}
	}
	w.body.Reset()
	if err := encodeState(&w.body, m, mem, d); err != nil {
		return nil, err
	}
	seal := a.sealer.Seal
	if len(mem.Deferred()) > 0 {
		seal = a.sealer.SealDeferred
	}
	sealed := w.outputs.keep(seal(w.outputs.room(w.body.Len()+sealRoom), w.body.Bytes()))
	if !p.fits(id, sealed) {
		return nil, fmt.Errorf("the state has %d bytes and the limit is %d", len(sealed), p.recordLimit())
	}
	return sealed, nil
}

// encodeState appends an encoded stateBody to buf.
func encodeState(buf *bytes.Buffer, m callMeta, mem *state.Call, d callRisk) error {
	memory, err := mem.MarshalBinary()
	if err != nil {
		return err
	}
	return stateEncoding.MarshalToBuffer(stateBody{m, memory, d.wire()}, buf)
}

// errNoState says nothing about the content, which is personal.
var errNoState = errors.New("the sealed record does not contain a call state")

// splitState separates a call's counts and times from the rest of an encoded stateBody, which it
// returns as an encoded dormantBody in the memory of body. It does not decode the memory of the
// engine.
func splitState(body []byte) (m callMeta, rest []byte, err error) {
	// A map with few keys begins with one byte; the key of the counts and times comes first.
	const emptyMap, mostPairs = 0xa0, 23
	if len(body) < 2 || body[0] <= emptyMap || body[0] > emptyMap+mostPairs || body[1] != 1 {
		return m, nil, errNoState
	}
	pairs := body[0] - emptyMap
	after, err := cbor.UnmarshalFirst(body[2:], &m)
	if err != nil {
		return m, nil, errNoState
	}
	rest = body[len(body)-len(after)-1:]
	rest[0] = emptyMap + pairs - 1
	var b struct {
		Risk sealedRisk `cbor:"3,keyasint"`
	}
	if err := cbor.Unmarshal(rest, &b); err != nil {
		return m, nil, errNoState
	}
	if m.Draw == 0 {
		m.Draw = neverDrawn
	}
	_, err = b.Risk.callRisk()
	return m, rest, err
}

// errHalted marks a partition that cannot continue until somebody acts: its
// state exists but cannot be read.
var errHalted = errors.New("the partition is stopped")

// restore reads a partition's calls from the state topic and returns the
// partition as it was at the committed offset.
//
// It reads committed records up to the end of the state topic, open transactions
// included. A predecessor may have committed its offsets while the markers on
// the state topic are still being written, and reading up to the last stable
// offset would silently miss them. Then it reads the raw topic from the oldest
// state to the committed offset. Only events that change a state write one, and
// this makes the counts and times of the other events exact.
func (s *session) restore(ctx context.Context, cl *kgo.Client, id int32, committed int64, at checkpoint) (*partition, error) {
	start := s.p.now()
	p := newPartition(id, s.limits())
	set := &s.p.settings
	keys := s.p.keys.Load()
	r := &logReader{cl, set.RestoreTimeout, s.p.log.Warn}

	end, stateTopic, err := r.end(ctx, set.TopicState, id)
	if err != nil {
		return nil, err
	}
	p.stateTopic = stateTopic
	states := newStateRecords(min(max(0, at.calls), set.MaxOpenCalls))
	err = r.read(ctx, set.TopicState, id, earliest, end, func(rec *kgo.Record) error {
		if call, expired := states.add(rec); expired {
			p.restoreTombstone(call)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	records := states.records
	if err := states.open(keys, p); err != nil {
		return nil, fmt.Errorf("%w: %s partition %d: %w", errHalted, set.TopicState, id, err)
	}
	if why := at.contradiction(committed, stateTopic, records, len(p.calls)); why != "" {
		return nil, fmt.Errorf("%w: group %s and topic %s do not belong together at partition %d: %s; see \"Offsets and states that disagree\" in docs/operating.md",
			errHalted, set.Group, set.TopicState, id, why)
	}
	if err := s.restoreGraph(ctx, r, p, at.graph); err != nil {
		return nil, err
	}
	replayed, err := s.replay(ctx, r, p, committed)
	if err != nil {
		return nil, err
	}
	p.ready(committed, at.clock)
	took := s.p.now().Sub(start)
	s.p.metrics.restored(records, took)
	s.p.log.Info("restored", "partition", id, "calls", len(p.calls), "state_records", records, "raw_records", replayed, "took", took.Round(time.Millisecond))
	return p, nil
}

func (s *session) replay(ctx context.Context, r *logReader, p *partition, committed int64) (n int, err error) {
	from := p.replayFrom(committed)
	prep := s.p.preparer()
	err = r.read(ctx, s.p.settings.TopicRaw, p.id, from, committed, func(rec *kgo.Record) error {
		n++
		pr := prep.decode(rec)
		if pr.retry != nil {
			return pr.retry
		}
		if pr.ev != nil {
			p.replay(p.callID(&pr), rec.Offset, pr.ev, pr.reason != "")
		}
		return nil
	})
	return n, err
}
