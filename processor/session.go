package processor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
)

// errFatal marks an error after which building the session anew would only
// meet it again.
var errFatal = errors.New("cannot go on")

// session is one member of the group with its transactional producer. Its own
// goroutine (run) polls, routes and ends transactions; the workers do the
// rest. Callbacks of the client run elsewhere and only leave a note, which run
// takes up between transactions.
type session struct {
	p       *Processor
	n       int
	gts     *kgo.GroupTransactSession
	workers []*worker
	done    sync.WaitGroup // of the workers

	// hard ends everything, soft asks to finish. hard follows soft after
	// the processor's grace.
	hard     context.Context
	hardStop context.CancelFunc
	// drop ends the client whatever it waits for.
	drop context.CancelFunc

	// Of run alone.
	parts     map[int32]*partition
	open      bool // a transaction is open
	opened    time.Time
	inTxn     int     // raw records in it
	fence     []int32 // partitions that it changes without new records
	commits   int
	aborts    int // in a row
	lastQuiet time.Time
	progress  progress
	counts    counts

	// broken is why the open transaction must abort.
	broken atomic.Pointer[error]

	mu       sync.Mutex
	notes    []note
	poisoned map[place]string // records to refuse, with the reason
	fatal    error
	hurry    context.CancelFunc // ends the current poll

	rebalanced atomic.Bool
	health     sessionHealth
}

// place is where a raw record stands.
type place struct {
	partition int32
	offset    int64
}

const (
	// leaveTimeout bounds saying good-bye to brokers that may be away.
	leaveTimeout = 5 * time.Second
	// pollRecords bounds one poll.
	pollRecords = 4000
	// workerQueue is how many polls' worth of tasks may wait for a worker.
	workerQueue = 2
	// idlePoll is how long a poll waits when nothing else is due.
	idlePoll = time.Second
	// futureSkew is how far an event may be ahead of the wall clock; anything
	// later is taken for a wrong clock and clamped.
	futureSkew = time.Minute
	// abortPause is the pause after an abort that follows an abort.
	abortPause    = 50 * time.Millisecond
	maxAbortPause = 2 * time.Second
)

// newSession joins the group. Before that it takes over the transactional ID: a
// predecessor that died may have left a transaction open, for which the
// restores would wait until it times out.
func newSession(ctx context.Context, p *Processor, n int) (*session, error) {
	if err := p.abortPredecessor(ctx, n); err != nil {
		return nil, err
	}
	s := &session{p: p, n: n, parts: map[int32]*partition{}, poisoned: map[place]string{}}
	s.hard, s.hardStop = context.WithCancel(context.Background())
	set := &p.settings
	opts, err := p.clientOptions()
	if err != nil {
		return nil, err
	}
	clientCtx, drop := context.WithCancel(context.Background())
	s.drop = drop
	opts = append(opts,
		kgo.WithContext(clientCtx),
		kgo.WithHooks(clientMetrics(p.registry, n)),
		kgo.ConsumerGroup(set.Group),
		kgo.ConsumeTopics(set.TopicRaw),
		kgo.TransactionalID(p.sessionTxnID(n)),
		kgo.TransactionTimeout(set.TransactionTimeout),
		kgo.SessionTimeout(set.SessionTimeout),
		kgo.HeartbeatInterval(set.SessionTimeout/4),
		kgo.RebalanceTimeout(set.RebalanceTimeout),
		// A fetch that waits for one idle partition holds the others up.
		kgo.FetchMaxWait(min(set.CommitInterval, 200*time.Millisecond)),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// A group that never committed begins at the start. A position that
		// is gone is an error, never a silent jump.
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsAssigned(s.onAssigned),
		kgo.OnPartitionsRevoked(s.onRevoked),
		kgo.OnPartitionsLost(s.onRevoked),
		kgo.OnPartitionsCallbackBlocked(func(context.Context, *kgo.Client) {
			s.health.blocked.Store(true)
			s.wake()
		}),
		kgo.OnOffsetsFetched(s.onOffsets),
		kgo.RecordPartitioner(statePartitioner(set.TopicState)),
		kgo.MaxBufferedRecords(4*set.CommitRecords),
		kgo.ProducerBatchMaxBytes(maxRecordBytes+16<<10),
	)
	opts = append(opts, p.tracing.options()...)
	if set.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(fmt.Sprintf("%s-%d", set.InstanceID, n)))
	}
	for range p.workers {
		s.workers = append(s.workers, &worker{s: s, in: make(chan []task, workerQueue)})
	}
	// From here on the callbacks may run.
	if s.gts, err = kgo.NewGroupTransactSession(opts...); err != nil {
		return nil, err
	}
	for _, w := range s.workers {
		s.done.Go(w.run)
	}
	return s, nil
}

// statePartitioner sends state records to the partition that they name and
// everything else by the hash of its key.
func statePartitioner(stateTopic string) kgo.Partitioner {
	byKey := kgo.StickyKeyPartitioner(nil)
	named := kgo.ManualPartitioner()
	return topicPartitioner(func(topic string) kgo.TopicPartitioner {
		if topic == stateTopic {
			return named.ForTopic(topic)
		}
		return byKey.ForTopic(topic)
	})
}

type topicPartitioner func(string) kgo.TopicPartitioner

func (f topicPartitioner) ForTopic(topic string) kgo.TopicPartitioner { return f(topic) }

func (s *session) limits() limits {
	set := &s.p.settings
	return limits{
		idle: set.CallIdleTimeout.Milliseconds(), grace: set.CallGrace.Milliseconds(),
		open: set.MaxOpenCalls, closed: set.MaxClosedCalls,
		refresh: int64(set.StateRefresh), hold: set.HoldBackTime.Milliseconds(), holding: set.HoldBack > 0, futureSkew: futureSkew.Milliseconds(),
		workers: len(s.workers), auditRates: s.p.audit.uniform,
		draw:      func(id string) float64 { return s.p.keys.Load().Draw("audit", id) },
		wallClock: func() int64 { return s.p.now().UnixMilli() },
	}
}

// run consumes until soft is done or the session is broken. It returns nil
// only when it has finished what was in flight.
func (s *session) run(soft context.Context) error {
	stop := context.AfterFunc(soft, func() {
		s.wake()
		time.AfterFunc(s.p.grace, s.hardStop)
	})
	defer stop()
	defer s.close()
	for {
		s.takeNotes()
		if err := s.failure(); err != nil {
			return err
		}
		if soft.Err() != nil {
			if s.open {
				return s.end(kgo.TryCommit)
			}
			return nil
		}
		fetches := s.poll(soft)
		s.progress.fetched(fetches)
		if err := s.fetchErrors(fetches); err != nil {
			return err
		}
		if n := fetches.NumRecords(); n > 0 {
			if err := s.begin(); err != nil {
				return err
			}
			s.route(fetches.Records())
		}
		if err := s.quietPartitions(); err != nil {
			return err
		}
		if err := s.endIfDue(soft); err != nil {
			return err
		}
		s.tell()
	}
}

func (s *session) poll(soft context.Context) kgo.Fetches {
	wait := idlePoll
	if s.open {
		wait = max(0, s.p.settings.CommitInterval-time.Since(s.opened))
	}
	wait = min(wait, s.quietInterval())
	ctx, cancel := context.WithTimeout(s.hard, wait)
	defer cancel()
	s.mu.Lock()
	s.hurry = cancel
	s.mu.Unlock()
	if soft.Err() != nil {
		cancel()
	}
	fetches := s.gts.PollRecords(ctx, min(pollRecords, s.p.settings.CommitRecords-s.inTxn))
	s.health.polled.Store(time.Now().UnixNano())
	return fetches
}

// wake ends a poll that waits.
func (s *session) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hurry != nil {
		s.hurry()
	}
}

func (s *session) fetchErrors(fetches kgo.Fetches) error {
	for _, e := range fetches.Errors() {
		var gone *kgo.ErrDataLoss
		switch {
		case errors.Is(e.Err, context.DeadlineExceeded), errors.Is(e.Err, context.Canceled):
		case errors.As(e.Err, &gone):
			return fmt.Errorf("%w: %s partition %d lost records that were not consumed: %w", errFatal, e.Topic, e.Partition, e.Err)
		case isOffsetGone(e.Err):
			return fmt.Errorf("%w: %s partition %d no longer holds the offset at which group %s goes on (retention is too short, or the topic was made anew); look at what was lost, then set the group's offset and start again: %w",
				errFatal, e.Topic, e.Partition, s.p.settings.Group, e.Err)
		case errors.Is(e.Err, kgo.ErrClientClosed):
			return e.Err
		default:
			s.p.metrics.fetchErrors.Inc()
			s.p.log.Warn("a fetch failed", "topic", e.Topic, "partition", e.Partition, "err", e.Err)
		}
	}
	return nil
}

// begin opens a transaction if none is open.
func (s *session) begin() error {
	if s.open {
		return nil
	}
	if err := s.gts.Begin(); err != nil {
		return fmt.Errorf("cannot begin a transaction: %w", err)
	}
	s.open, s.opened, s.inTxn = true, time.Now(), 0
	for _, p := range s.parts {
		p.begin()
	}
	return nil
}

// route prepares the records of a poll and gives them to their partitions in
// order.
func (s *session) route(recs []*kgo.Record) {
	s.takeNotes() // a partition may have been restored while the poll waited
	s.inTxn += len(recs)
	s.progress.took(recs)
	items := s.p.preparer().all(recs, len(s.workers))
	queues := make([][]task, len(s.workers))
	for i := range items {
		it := &items[i]
		part := s.parts[it.rec.Partition]
		switch {
		case part == nil:
			s.breakTransaction(fmt.Errorf("partition %d gave records before it was restored", it.rec.Partition))
			return
		case it.retry != nil:
			s.breakTransaction(it.retry)
			return
		}
		s.routeItem(part, it, queues)
		part.next = it.rec.Offset + 1
		part.silence.heard = true
	}
	s.send(queues)
}

func (s *session) routeItem(part *partition, it *item, queues [][]task) {
	if reason, ok := s.refused(it.rec); ok {
		it.reason, it.detail = reason, ""
	}
	if it.ev == nil {
		s.deadLetter(it, "")
		return
	}
	id := part.callID(it.ids)
	own := part.calls[id]
	s.closeDue(part, part.advance(it.ev.TimestampMS, own), queues)
	if it.reason != "" {
		if own != nil && !own.gone {
			// A restore must not count this event, so it may not read it.
			part.touch(own)
			own.write = true
		}
		s.deadLetter(it, id)
		return
	}
	ended := own != nil && own.meta.Ended
	c, v := part.admit(id, it.ev)
	switch v {
	case drop:
		s.counts.interim++
	case overflow:
		it.reason = reasonOpenCalls
		s.deadLetter(it, id)
	case late:
		t := task{kind: taskLate, item: it, id: id}
		part.lim.audit(&t.meta, id, it.ev.Context)
		w := part.lim.owner(id)
		queues[w] = append(queues[w], t)
	case process:
		queues[c.owner] = append(queues[c.owner], task{kind: taskEvent, call: c, item: it, id: id, meta: c.meta, closes: it.ev.Type == schemas.End && !ended,
			clock: part.clock, partition: part.id})
	}
}

// closeDue hands the calls whose time has come to their workers.
func (s *session) closeDue(part *partition, rung []due, queues [][]task) {
	for _, d := range rung {
		c := d.call
		t := task{call: c, id: c.id, meta: c.meta, clock: part.clock, partition: part.id}
		switch d.what {
		case dueOver:
			continue
		case dueEnd:
			t.kind, t.closes = taskIdleEnd, true
		case dueRelease:
			t.kind = taskRelease
		}
		queues[c.owner] = append(queues[c.owner], t)
	}
}

func (s *session) send(queues [][]task) {
	for i, q := range queues {
		if len(q) > 0 {
			s.workers[i].in <- q
		}
	}
}

// wait returns when the workers have done all that they were sent.
func (s *session) wait() {
	var wg sync.WaitGroup
	wg.Add(len(s.workers))
	for _, w := range s.workers {
		w.in <- []task{{kind: taskBarrier, barrier: &wg}}
	}
	wg.Wait()
}

// produce writes a record in the open transaction. Any failure aborts it: the
// client would commit whatever succeeded.
func (s *session) produce(rec *kgo.Record) {
	s.gts.Produce(s.hard, rec, func(r *kgo.Record, err error) {
		if err != nil {
			s.breakTransaction(fmt.Errorf("a record could not be written to %s: %w", r.Topic, err))
		}
	})
}

func (s *session) breakTransaction(err error) { s.broken.CompareAndSwap(nil, &err) }

// poison aborts the transaction and has the record refused when it comes
// again.
func (s *session) poison(rec *kgo.Record) { s.poisonFor(rec, reasonPanic) }

func (s *session) poisonFor(rec *kgo.Record, reason string) {
	s.mu.Lock()
	s.poisoned[place{rec.Partition, rec.Offset}] = reason
	s.mu.Unlock()
	s.breakTransaction(errPoison)
}

var errPoison = errors.New("an event could not be processed and will be refused")

func (s *session) refused(rec *kgo.Record) (reason string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.poisoned) == 0 {
		return "", false
	}
	reason, ok = s.poisoned[place{rec.Partition, rec.Offset}]
	return reason, ok
}

// quietPartitions gives partitions without events the wall clock's time. See
// silence.
func (s *session) quietPartitions() error {
	if time.Since(s.lastQuiet) < s.quietInterval() {
		return nil
	}
	s.lastQuiet = time.Now()
	quiet := s.silentFor()
	for id, by := range quiet {
		part := s.parts[id]
		if !part.wouldRing(by) {
			part.clock += by
			if !s.open {
				part.savedClock = part.clock
			}
			continue
		}
		if err := s.begin(); err != nil {
			return err
		}
		queues := make([][]task, len(s.workers))
		s.closeDue(part, part.advanceSilent(by), queues)
		s.send(queues)
		s.fence = append(s.fence, id)
	}
	return nil
}

func (s *session) fail(err error) {
	s.mu.Lock()
	if s.fatal == nil {
		s.fatal = err
	}
	s.mu.Unlock()
	s.wake()
}

func (s *session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fatal
}

// close stops the workers and leaves the group.
func (s *session) close() {
	s.tellNothing()
	s.hardStop()
	for _, w := range s.workers {
		close(w.in)
	}
	s.done.Wait()
	cl := s.gts.Client()
	cl.AllowRebalance()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if err := cl.LeaveGroupContext(ctx); err != nil {
		s.p.log.Warn("left without telling the group, which will notice after the session timeout", "session", s.n, "err", err)
		s.drop()
	}
	cl.Close()
	// Close drains what was fetched and blocks its own leaving by it.
	cl.AllowRebalance()
	s.drop()
}
