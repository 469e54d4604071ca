package processor

import (
	"errors"
	"fmt"
	"time"

	"sotto/anonymize"
	"sotto/config"
	"sotto/detectors/remote"
	"sotto/internal/panics"
	"sotto/schemas"
	"sotto/state"
)

// A remote tier may answer differently the next time. So the events that one was asked about take
// two transactions. The first seals them into the state of their call, together with the answers,
// and commits their offsets. The second makes clean events of them and depends on nothing but the
// state: if it fails, the next attempt writes the same bytes, in whatever process. Until then, all
// later events of the call are staged behind them, which keeps the order.
//
// Events are released in the transaction that staged them only where they cannot wait: their state
// has no room, or their call expires. Nothing of them is committed before then, so that no reader
// of committed records sees two versions.

// errRemotePaused aborts the transaction: nothing clean goes out without the remote tier.
var errRemotePaused = errors.New("the remote detection tier does not answer, and SOTTO_REMOTE_OUTAGE is pause")

// askRemote asks the remote tier about the utterances of a poll, within its deadline. An error
// means that the stream must pause.
func (s *session) askRemote(prepared []preparedRecord) error {
	tier := s.p.remote
	if tier == nil {
		return nil
	}
	start := time.Now()
	asked := s.selectRemote(prepared)
	utterances := make([]remote.Utterance, len(asked))
	for i, pr := range asked {
		utterances[i] = remote.Utterance{Call: pr.id, Text: pr.ev.Text}
	}
	results := tier.Ask(s.hard, utterances)
	s.asking = time.Since(start)
	s.p.metrics.Remote.Add(tier.TakeUsage())
	pausing := s.p.settings.RemoteOutage == config.OutagePause
	for i, pr := range asked {
		r := &results[i]
		if pausing && errors.Is(r.Err, remote.ErrUnavailable) {
			return fmt.Errorf("%w: %w", errRemotePaused, r.Err)
		}
		if pausing && r.Err != nil {
			pr.reason = reasonRemoteRefused
			continue
		}
		pr.asked = true
		pr.prep.Remote = anonymize.NewRemoteAnswer(tier.Name(), r.Findings, r.Err)
	}
	return nil
}

// selectRemote returns the records of a poll that the remote tier is asked about, and marks the
// other utterances.
func (s *session) selectRemote(prepared []preparedRecord) []*preparedRecord {
	var selected []*preparedRecord
	set := &s.p.settings
	asks := map[string]bool{} // whether the last utterance of a call asked for something
	for i := range prepared {
		pr := &prepared[i]
		part := s.parts[pr.rec.Partition]
		if part == nil || pr.prep == nil || pr.reason != "" || pr.ev.Type != schemas.Utterance || pr.ev.Text == "" {
			continue
		}
		if _, refused := s.refused(pr); refused {
			continue
		}
		id := part.CallID(pr.id, pr.earlier)
		before, known := asks[id]
		if c := part.Call(id); !known && c != nil {
			before = c.Asks
		}
		asks[id] = pr.doubt.Asks
		if part.Expired(id) || set.RemoteMinDoubt > 0 && pr.doubt.Value(before) < float32(set.RemoteMinDoubt) {
			pr.prep.Remote = anonymize.NotAsked()
			continue
		}
		selected = append(selected, pr)
	}
	return selected
}

// stage moves an event into the state of its call if a remote tier was asked about it, or if it
// comes after such an event, and reports whether it did.
func (w *worker) stage(t *task) bool {
	c, r := t.call, t.record
	if !r.asked && len(c.Pending.Staged()) == 0 {
		return false
	}
	before := c.Snapshot()
	if c.Conversation(r.engine).Stage(r.prep, state.RecordPosition{
		Utterances: t.meta.Utterances, Offset: r.rec.Offset, TimestampMS: r.rec.Timestamp.UnixMilli(),
		Ended: t.meta.Ended, Closes: t.closes,
	}) {
		c.Changed = true
		if w.stateFits(t) {
			return true
		}
		c.RestoreTo(before)
	}
	w.release(t, r.engine)
	return false
}

func (w *worker) releaseStaged(t *task) {
	memory := t.call.Latest()
	if memory == nil || len(memory.Staged()) == 0 || !w.begin(t) {
		return
	}
	w.release(t, w.s.p.engine.Load().engine)
}

func (w *worker) release(t *task, e engine) {
	c := t.call
	if len(c.Pending.Staged()) == 0 {
		return
	}
	c.Changed = true
	for _, staged := range c.Conversation(e).Release() {
		w.applyStaged(t, e, staged)
	}
}

// applyStaged anonymizes a staged event with the counts of the time when it arrived. If that fails,
// the event becomes a dead letter and the call's state is as if the event had never been there: its
// offset may be committed already, so the transaction cannot be repeated without it.
func (w *worker) applyStaged(t *task, e engine, staged anonymize.Staged) {
	c, at := t.call, &staged.Position
	before := c.Snapshot()
	sub := task{kind: taskEvent, call: c, id: t.id, meta: t.meta, partition: t.partition, graph: t.graph, turn: t.turn,
		record: &preparedRecord{ev: staged.Event, prep: staged.Prepared, engine: e, stagedAt: at}}
	sub.meta.Utterances, sub.meta.Ended, sub.closes = at.Utterances, at.Ended, at.Closes
	refuse := func(reason string) {
		c.RestoreTo(before)
		sub.leaveNoTrace()
		w.refuse(&sub, reason)
	}
	defer func() {
		if recover() != nil {
			w.s.p.log.Error("the engine panicked; the staged event becomes a dead letter",
				"partition", t.partition, "offset", at.Offset, "at", panics.Site(6))
			refuse(reasonPanic)
		}
	}()
	if reason := w.apply(&sub, staged.Prepared); reason != "" {
		refuse(reason)
	}
}

func (s *session) hasStaged() bool {
	for _, p := range s.parts {
		if len(p.Staged) > 0 {
			return true
		}
	}
	return false
}

// dispatchStaged has the workers release what the transaction before has staged, before they get
// anything else of those calls.
func (s *session) dispatchStaged() {
	queues := s.queues.get(len(s.workers))
	for _, p := range s.parts {
		for _, c := range p.Staged {
			p.Touch(c)
			t := task{kind: taskReleaseStaged, call: c, id: c.ID, meta: c.Meta, partition: p.ID, vault: p.Vault}
			t.inTurn(p)
			queues[c.Owner] = append(queues[c.Owner], t)
		}
		if len(p.Staged) > 0 {
			s.fence = append(s.fence, p.ID)
		}
	}
	s.send(queues)
}
