package processor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"sotto/processor/telemetry"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// endIfDue ends the open transaction when it reaches its time or size, or when a
// rebalance waits for it. Rebalances happen between transactions.
func (s *session) endIfDue(soft context.Context) error {
	if s.open {
		if time.Until(s.due()) > 0 && s.inTxn < s.p.settings.CommitRecords &&
			soft.Err() == nil && !s.mustAbort() && !s.health.Blocked.Load() {
			return nil
		}
		if err := s.end(kgo.TryCommit); err != nil {
			return err
		}
	}
	s.health.Blocked.Store(false)
	s.gts.AllowRebalance()
	if s.rebalanced.Swap(false) {
		return s.clearRevocation()
	}
	return nil
}

// mustAbort reports whether the open transaction must abort now. One that will abort because of bad
// records, and is careful, goes on until it is due, so that it finds the bad records of all its polls.
func (s *session) mustAbort() bool {
	cause := s.broken.Load()
	return cause != nil && !(s.careful && errors.Is(*cause, errQuarantined))
}

type lastEnd struct{ began, done time.Time }

// due returns when the open transaction must end. While the one before ended, events may have waited
// already. That time counts as a part of the interval, up to half of it. It does not count while polls
// are full: a stream that lags behind is faster with longer transactions.
func (s *session) due() time.Time {
	interval := s.p.settings.CommitInterval
	waited := s.lastEnd.done.Sub(s.lastEnd.began) - s.opened.Sub(s.lastEnd.done)
	if s.backlog {
		waited = 0
	}
	return s.opened.Add(interval - min(max(0, waited), interval/2))
}

// endPatience is how long a transaction may take to end before rebalances are
// allowed. If a rebalance then revokes partitions, the transaction aborts.
const endPatience = time.Second

// clearRevocation ends an empty transaction after a rebalance. The client
// remembers a revocation until the next end of a transaction: it would abort
// that transaction needlessly, and until then not report another revocation.
func (s *session) clearRevocation() error {
	if err := s.gts.Begin(); err != nil {
		return fmt.Errorf("cannot begin a transaction: %w", err)
	}
	_, err := s.gts.End(s.hard, kgo.TryAbort)
	return err
}

// end waits for the workers, writes the changed states and ends the transaction.
// After a commit its changes are final. After an abort they are undone and the
// client reads the records again. An error means that the session cannot
// continue, most likely because another one has fenced it.
func (s *session) end(try kgo.TransactionEndTry) error {
	began := time.Now()
	s.health.Does("waits for its workers at the end of a transaction")
	s.wait()
	s.health.Does("waits for the brokers to end a transaction")
	worked := time.Now()
	if try && s.broken.Load() == nil {
		s.writeStates()
		// End flushes too, but commits even if a record fails in it.
		if err := s.gts.Client().Flush(s.hard); err != nil {
			s.breakTransaction(fmt.Errorf("cannot flush records: %w", err))
		}
	}
	if s.broken.Load() != nil {
		try = kgo.TryAbort
		s.settle()
	}
	ctx := kgo.PreTxnCommitFnContext(s.hard, s.annotate)
	// End waits for a heartbeat, or for the callback that the partitions are
	// lost, and that callback waits until the rebalance is allowed. A member that
	// the group has removed would deadlock.
	patience := time.AfterFunc(endPatience, s.gts.AllowRebalance)
	committed, err := s.gts.End(ctx, try)
	patience.Stop()
	cause := s.broken.Swap(nil)
	records, fenced := s.inTxn, s.fence
	s.open, s.inTxn, s.fence, s.lastEnd = false, 0, nil, lastEnd{worked, time.Now()}
	if err == nil && committed {
		s.commits++
		s.aborts, s.remotePauses = 0, 0
		s.committed(records, time.Since(began))
		return nil
	}
	if err == nil && try == kgo.TryCommit {
		err = s.confirmAborted()
	}
	for _, id := range fenced { // timers have fired, and will again
		if p := s.parts[id]; p != nil && !p.Consumed() {
			s.waiting().until(id, p.Next+1)
		}
	}
	return s.aborted(records, cause, err)
}

const settlePatience = 2 * time.Second

// settle waits before an abort until the brokers have answered for all records. An abort would fail those
// that are on their way.
func (s *session) settle() {
	ctx, cancel := context.WithTimeout(s.hard, settlePatience)
	defer cancel()
	_ = s.gts.Client().Flush(ctx) // what fails is unsure
}

// aborted undoes the changes of a transaction that was aborted for a cause, nil for a rebalance, or
// whose end failed with err.
func (s *session) aborted(records int, cause *error, err error) error {
	for _, p := range s.parts {
		p.Rollback()
	}
	s.applyStops()
	s.progress.aborted()
	s.counts = telemetry.Counts{}
	for _, w := range s.workers {
		w.counts = telemetry.Counts{}
	}
	reason := abortReason(cause, err)
	s.p.metrics.Aborts.WithLabelValues(reason).Inc()
	if err != nil {
		if reason == "fenced" {
			return s.fenced(err)
		}
		return fmt.Errorf("cannot end a transaction: %w", err)
	}
	if cause == nil {
		cause = &errRebalanced
	}
	if errors.Is(*cause, kerr.MessageTooLarge) && s.p.shrinkRecords() {
		return *cause // a new session writes smaller batches
	}
	s.logAbort(records, reason, *cause)
	if s.unsure.Load() {
		// A broker may have written a failed record without the client knowing, and would then drop the next
		// one with its sequence number as a duplicate. A new session has a new producer epoch.
		return fmt.Errorf("a record failed, so the session needs a new producer epoch: %w", *cause)
	}
	return s.pauseAfterAbort(reason, *cause)
}

// fenced says why a broker accepts nothing from the session any more.
func (s *session) fenced(err error) error {
	switch {
	case errors.Is(err, kerr.FencedInstanceID):
		return fmt.Errorf("another process has the instance ID %s: give each process its own SOTTO_KAFKA_INSTANCE_ID: %w", s.p.instanceID(s.n), err)
	case errors.Is(err, kerr.InvalidProducerIDMapping):
		return fmt.Errorf("the brokers have forgotten the transactional ID %s, which was not used for transactional.id.expiration.ms: %w", s.p.sessionTxnID(s.n), err)
	}
	return fmt.Errorf("another process uses the transactional ID %s, or the transaction timed out: %w", s.p.sessionTxnID(s.n), err)
}

// logAbort logs an abort, as an error if records will not be written until somebody acts.
func (s *session) logAbort(records int, reason string, cause error) {
	level := slog.LevelWarn
	attrs := []any{"session", s.n, "records", records, "reason", reason, "why", cause.Error()}
	switch {
	case routine(reason):
		level = slog.LevelInfo
	case isDenied(cause):
		level = slog.LevelError
	}
	if r, ok := errors.AsType[*refusal](cause); ok {
		attrs = append(attrs, r.resource, r.name, "operation", r.operation)
	}
	s.p.log.Log(s.hard, level, "a transaction was aborted; its records are read again", attrs...)
}

// routine reports whether aborts for a reason need nobody: the next transaction commits what it can.
func routine(reason string) bool {
	return reason == "quarantine" || reason == "rebalance" || reason == "halted"
}

var errRebalanced = errors.New("a rebalance")

// confirmAborted fetches the group's offsets after a commit that did not
// succeed. The client treats some responses of a failing broker as an abort
// although the transaction may have been committed. Reading its records again
// would then duplicate them. A new session starts from the committed offsets.
func (s *session) confirmAborted() error {
	ctx, cancel := context.WithTimeout(s.hard, confirmTimeout)
	defer cancel()
	offsets, err := kadm.NewClient(s.gts.Client()).FetchOffsets(kadm.RequireStable(ctx), s.p.settings.Group)
	if err != nil {
		return fmt.Errorf("the outcome of a transaction is unknown: %w", err)
	}
	for _, p := range s.parts {
		if !p.Consumed() {
			continue
		}
		switch o, ok := offsets.Lookup(s.p.settings.TopicRaw, p.ID); {
		case ok && o.Err != nil:
			return fmt.Errorf("the outcome of a transaction is unknown: %w", o.Err)
		case ok && o.At == p.Next:
			return errCommittedAfterAll
		}
	}
	return nil
}

// errCommittedAfterAll: the broker committed what the client considered aborted.
var errCommittedAfterAll = errors.New("a transaction was committed although its end failed")

const confirmTimeout = 10 * time.Second

// maxAborts is the number of aborts without a commit after which the session is
// recreated and the topics are checked again.
const maxAborts = 8

// pauseAfterAbort keeps a lasting fault from causing a busy loop. It returns an
// error if the fault lasts too long.
func (s *session) pauseAfterAbort(reason string, cause error) error {
	if routine(reason) {
		return nil
	}
	s.waiting().failed(cause, isDenied(cause))
	var failures int
	if reason == "remote" { // the operator chose to wait for as long as it takes
		s.remotePauses++
		failures = s.remotePauses
	} else {
		if s.aborts++; s.aborts >= maxAborts {
			return fmt.Errorf("%d transactions in a row were aborted: %w", s.aborts, cause)
		}
		failures = s.aborts
	}
	sleep(s.hard, min(abortPause<<min(failures-1, 10), maxAbortPause))
	return nil
}

// abortReason returns one of a fixed set of words, for a metric label.
func abortReason(cause *error, err error) string {
	switch {
	case isAny(err, kerr.ProducerFenced, kerr.InvalidProducerEpoch, kerr.InvalidProducerIDMapping, kerr.FencedInstanceID):
		return "fenced"
	case err != nil:
		return "end"
	case cause == nil:
		return "rebalance"
	case errors.Is(*cause, errQuarantined):
		return "quarantine"
	case errors.Is(*cause, errRemotePaused):
		return "remote"
	case errors.Is(*cause, errHalted):
		return "halted"
	}
	return "produce"
}

// writeStates writes the state of every call that changed in a way that later
// decisions depend on, and a tombstone for every call that expired.
func (s *session) writeStates() {
	queues := s.queues.get(len(s.workers))
	for _, p := range s.parts {
		p.Refresh()
		for _, touched := range p.Changed {
			c := touched.Call
			if c.HasFailed() {
				// It lacks events, so it must never be committed, whoever broke the transaction before.
				s.breakTransaction(errQuarantined)
			}
			if c.MustSeal() {
				queues[c.Owner] = append(queues[c.Owner], task{kind: taskSeal, call: c, id: c.ID, meta: p.Written(c), partition: p.ID, vault: p.Vault})
			}
			if c.TextChanged() {
				queues[c.Owner] = append(queues[c.Owner], task{kind: taskKeep, call: c, id: c.ID, partition: p.ID})
			}
		}
	}
	s.send(queues)
	for _, p := range s.parts {
		for _, id := range p.Tombstones {
			s.produce(&kgo.Record{Topic: s.p.settings.TopicState, Partition: p.ID, Key: []byte(id)})
		}
	}
	s.writeGraphs()
	s.wait()
}

// annotate adds a checkpoint to the committed offset of each partition. It also adds
// the partitions that the transaction changed without consuming from them, so
// that the broker fences the commit if this member no longer owns them: it must
// not close their calls then. See foreign.go for the offsets of the state topic.
func (s *session) annotate(req *kmsg.TxnOffsetCommitRequest) error {
	raw := slices.IndexFunc(req.Topics, func(t kmsg.TxnOffsetCommitRequestTopic) bool { return t.Topic == s.p.settings.TopicRaw })
	if raw < 0 {
		if len(s.fence) == 0 {
			return nil
		}
		t := kmsg.NewTxnOffsetCommitRequestTopic()
		t.Topic = s.p.settings.TopicRaw
		req.Topics = append(req.Topics, t)
		raw = len(req.Topics) - 1
	}
	t := &req.Topics[raw]
	for _, id := range s.fence {
		listed := slices.ContainsFunc(t.Partitions, func(op kmsg.TxnOffsetCommitRequestTopicPartition) bool { return op.Partition == id })
		if p := s.parts[id]; !listed && p != nil && p.Next >= 0 {
			op := kmsg.NewTxnOffsetCommitRequestTopicPartition()
			op.Partition, op.Offset, op.LeaderEpoch = id, p.Next, -1
			t.Partitions = append(t.Partitions, op)
		}
	}
	marks := kmsg.NewTxnOffsetCommitRequestTopic()
	marks.Topic = s.p.settings.TopicState
	for i := range t.Partitions {
		op := &t.Partitions[i]
		p := s.parts[op.Partition]
		if p == nil {
			continue
		}
		op.Offset = s.p.replay.clamp(op.Partition, op.Offset)
		p.StateEnd = s.acked.end(s.p.settings.TopicState, p.ID)
		p.GraphEnd = s.acked.end(s.p.settings.TopicIndirect, p.ID)
		at := p.Checkpoint()
		at.Next = op.Offset
		op.Metadata = new(at.String())
		mark := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		mark.Partition, mark.Offset, mark.LeaderEpoch, mark.Metadata = op.Partition, p.StateEnd, -1, op.Metadata
		marks.Partitions = append(marks.Partitions, mark)
		marks.TopicID = p.StateTopic
	}
	if len(marks.Partitions) > 0 {
		req.Topics = append(req.Topics, marks)
	}
	return nil
}

func (s *session) committed(records int, took time.Duration) {
	m := s.p.metrics
	m.Commits.Inc()
	m.CommitSeconds.Observe(took.Seconds())
	m.RecordsIn.Add(float64(records))
	s.waiting().done()
	s.progress.committed(m.EndToEnd.(prometheus.ExemplarObserver), s.p.now())
	s.noteOldest()
	for _, p := range s.parts {
		if p.Consumed() {
			s.p.positions.note(p.ID, p.Next, true)
		}
		p.Commit()
	}
	s.reportCalls()
	s.mu.Lock()
	for at := range s.quarantined {
		if p := s.parts[at.partition]; p == nil || at.offset < p.Next {
			delete(s.quarantined, at)
		}
	}
	s.mu.Unlock()
	for reason, n := range s.counts.Dead {
		s.p.log.Warn("records became dead letters", "reason", reason, "count", n)
	}
	m.Count(&s.counts)
	s.counts = telemetry.Counts{}
	for _, w := range s.workers {
		m.Count(&w.counts)
		w.counts = telemetry.Counts{}
	}
}
