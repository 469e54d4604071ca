package processor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/anonymize"
	"sotto/config"
	"sotto/detectors/remote"
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
// has no room, or their call expires. Nothing of them is committed before then, so that no reader of
// committed records sees two versions.

// errRemotePaused aborts the transaction: nothing clean goes out without the remote tier.
var errRemotePaused = errors.New("the remote detection tier does not answer, and SOTTO_REMOTE_OUTAGE is pause")

// askRemote asks the remote tier about the utterances of a poll, within its deadline. An error means
// that the stream must pause.
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
	s.p.metrics.remote.add(tier.TakeUsage(), tier.Open())
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
		if _, refused := s.refused(pr.rec); refused {
			continue
		}
		id := part.callID(pr)
		before, known := asks[id]
		if c := part.calls[id]; !known && c != nil {
			before = c.asks
		}
		asks[id] = pr.doubt.Asks
		if part.expired.has(id) || set.RemoteSend == config.SendDoubtful && pr.doubt.Value(before) < float32(set.RemoteMinDoubt) {
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
	if w.s.p.remote == nil || !r.asked && len(c.pending.Deferred()) == 0 {
		return false
	}
	before := c.snapshot()
	if c.conversation(r.engine).Stage(r.prep, state.RecordPosition{
		Utterances: t.meta.Utterances, Clock: t.clock, Offset: r.rec.Offset, TimestampMS: r.rec.Timestamp.UnixMilli(),
		Ended: t.meta.Ended, Closes: t.closes,
	}) {
		c.changed = true
		if w.stateFits(t) {
			return true
		}
		c.restoreTo(before)
	}
	w.releaseAll(t, r.engine)
	return false
}

// releaseStaged makes clean events of the events that are staged in a call.
func (w *worker) releaseStaged(t *task) {
	memory := t.call.latest()
	if memory == nil || len(memory.Deferred()) == 0 || !w.begin(t) {
		return
	}
	w.releaseAll(t, w.s.p.engine.Load().engine)
}

// collectStaged notes a call that has staged events, beside the calls that are noted already.
func (p *partition) collectStaged(c *call) {
	if p.lim.holding {
		return // they are deferred, and wait for later events
	}
	if !c.gone && len(c.deferred()) > 0 {
		p.staged = append(p.staged, c)
	}
}

// keepUntouched leaves those of the staged calls noted that the open transaction did not release: a
// partition that was restored during the transaction has to wait for the next one.
func (p *partition) keepUntouched() {
	p.staged = slices.DeleteFunc(p.staged, func(c *call) bool { return c.touched || c.gone })
}

func (s *session) hasStaged() bool {
	for _, p := range s.parts {
		if len(p.staged) > 0 {
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
		for _, c := range p.staged {
			p.touch(c)
			t := task{kind: taskReleaseStaged, call: c, id: c.id, meta: c.meta, clock: p.clock, partition: p.id, vault: p.vault}
			p.inTurn(&t)
			queues[c.owner] = append(queues[c.owner], t)
		}
		if len(p.staged) > 0 {
			s.fence = append(s.fence, p.id)
		}
	}
	s.send(queues)
}

// remoteMetrics are those of the remote tier.
type remoteMetrics struct {
	requests, retries, characters, cost prometheus.Counter
	failed                              prometheus.Counter
	utterances                          *prometheus.CounterVec
	seconds                             prometheus.Histogram
	open                                *prometheus.GaugeVec
}

func newRemoteMetrics(counter func(name, help string) prometheus.Counter, vec func(name, help string, labels ...string) *prometheus.CounterVec,
	seconds func(name, help string) prometheus.Histogram, gauge func(name, help string, labels ...string) *prometheus.GaugeVec) *remoteMetrics {
	return &remoteMetrics{
		requests:   counter("remote_requests_total", "Requests to the remote detection tier, those of aborted transactions and retries counted in."),
		failed:     counter("remote_requests_failed_total", "Requests to the remote detection tier that failed."),
		retries:    counter("remote_retries_total", "Requests to the remote detection tier that were made again."),
		characters: counter("remote_characters_total", "Characters sent to the remote detection tier."),
		cost:       counter("remote_cost_total", "What the requests cost, by SOTTO_REMOTE_PRICE_REQUEST and SOTTO_REMOTE_PRICE_MILLION_CHARACTERS."),
		utterances: vec("remote_utterances_total", "Utterances the remote detection tier was asked about, by outcome: answered, remembered (no request was needed), unavailable or refused.", "outcome"),
		seconds:    seconds("remote_request_seconds", "Time of a request to the remote detection tier."),
		open:       gauge("remote_breaker_open", "1 while no requests are made, because the remote detection tier did not answer.", "breaker"),
	}
}

func (m *remoteMetrics) add(n remote.Usage, open bool) {
	m.requests.Add(float64(n.Requests))
	m.failed.Add(float64(n.Failed))
	m.retries.Add(float64(n.Retries))
	m.characters.Add(float64(n.Characters))
	m.cost.Add(n.Cost)
	for outcome, count := range map[string]int{"answered": n.Answered, "remembered": n.Remembered, "unavailable": n.Unavailable, "refused": n.Refused} {
		if count > 0 {
			m.utterances.WithLabelValues(outcome).Add(float64(count))
		}
	}
	for _, d := range n.Took {
		m.seconds.Observe(d.Seconds())
	}
	value := 0.0
	if open {
		value = 1
	}
	m.open.WithLabelValues("remote").Set(value)
}
