package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/lifecycle"
	"sotto/processor/partition"
	"sotto/processor/telemetry"
)

// errFatal marks an error that a new session would only meet again.
var errFatal = errors.New("cannot continue")

// session is one member of the group with its transactional producer. Its own
// goroutine (run) polls, routes and ends transactions; the workers do the rest.
// The client runs callbacks on other goroutines. They only queue an
// assignmentChange, which run applies between transactions.
type session struct {
	p       *Processor
	n       int
	gts     *kgo.GroupTransactSession
	workers []*worker
	done    sync.WaitGroup // of the workers

	// hard stops everything. It is cancelled some time after the context that
	// asks the session to finish (soft, see run).
	hard     context.Context
	hardStop context.CancelFunc
	// stopClient ends the client, whatever it is waiting for.
	stopClient context.CancelFunc

	// produced is onProduced, made a value once for all records.
	produced func(*kgo.Record, error)

	// careful is set by run at the begin of a transaction if there are quarantined records. Workers
	// read it.
	careful bool
	// work and queues are used by run and by the workers.
	work   work
	queues queues

	// Used by run only.
	parts    map[int32]*partition.Partition
	open     bool // a transaction is open
	backlog  bool // the last poll was full
	lastEnd  lastEnd
	opened   time.Time
	inTxn    int     // raw records in it
	fence    []int32 // partitions that it changes without new records
	pollSize pollSize
	// failingSince is when fetches began to fail, zero if they do not.
	failingSince  time.Time
	commits       int
	aborts        int // in a row
	lastIdleCheck time.Time
	// remotePauses counts the aborts in a row because the remote tier did not answer, and asking is
	// how long it took to ask it during the last poll.
	remotePauses int
	asking       time.Duration
	progress     progress
	survey       surveyor
	idle         map[int32]idleness // of the partitions
	counts       telemetry.Counts

	broken atomic.Pointer[error]
	acked  acked
	// unsure is set once a record has failed: a broker may have written it nevertheless.
	unsure atomic.Bool

	mu          sync.Mutex
	changes     []assignmentChange
	quarantined map[recordAddress]string // records to refuse, with the reason
	stops       map[int32]error          // partitions to stop, with the reason
	fatal       error
	cancelPoll  context.CancelFunc // ends the current poll

	rebalanced atomic.Bool
	health     telemetry.Health
}

// recordAddress is where a raw record is, and which of its messages.
type recordAddress struct {
	partition int32
	offset    int64
	part      int
}

func (r *preparedRecord) address() recordAddress {
	return recordAddress{r.rec.Partition, r.rec.Offset, r.part}
}

const (
	// leaveGroupTimeout bounds LeaveGroup, because brokers may be unreachable.
	leaveGroupTimeout = 5 * time.Second
	// maxPoll and minPoll bound the records of one poll, see pollSize.
	maxPoll = 256
	minPoll = 8
	// maxFetchBytes bounds what a broker sends at a time, and thereby the bytes of a
	// poll. It permits more than maxPoll events of usual size.
	maxFetchBytes = 1 << 20
	// workerQueue is the number of polls whose tasks may wait for a worker.
	workerQueue = 2
	// maxBufferedBytes bounds the outputs that wait for the brokers.
	maxBufferedBytes = 128 << 20
	// maxRequestBytes bounds a request with outputs. The buffers of larger ones would be new, and grow,
	// nearly every time. It is more than the largest batch.
	maxRequestBytes = 2 << 20
	// idlePoll is how long a poll waits if there is nothing else to do.
	idlePoll      = time.Second
	abortPause    = 50 * time.Millisecond
	maxAbortPause = 2 * time.Second
)

// newSession joins the group. Before that it takes over the transactional ID: a
// predecessor that died may have left a transaction open, and the restores would
// wait for it until it times out.
func newSession(ctx context.Context, p *Processor, n int) (*session, error) {
	if err := p.abortPredecessor(ctx, n); err != nil {
		return nil, err
	}
	s := &session{p: p, n: n, parts: map[int32]*partition.Partition{}, idle: map[int32]idleness{},
		quarantined: map[recordAddress]string{}, stops: map[int32]error{}, progress: newProgress()}
	s.health.Begin()
	s.hard, s.hardStop = context.WithCancel(context.Background())
	s.produced = s.onProduced
	set := &p.settings
	opts, err := p.clientOptions()
	if err != nil {
		return nil, err
	}
	clientCtx, drop := context.WithCancel(context.Background())
	s.stopClient = drop
	opts = append(opts,
		kgo.WithContext(clientCtx),
		kgo.WithHooks(p.metrics.Kafka, &s.health),
		kgo.ConsumerGroup(set.Group),
		kgo.ConsumeTopics(set.TopicRaw),
		kgo.TransactionalID(p.sessionTxnID(n)),
		kgo.TransactionTimeout(set.TransactionTimeout),
		kgo.SessionTimeout(set.SessionTimeout),
		kgo.HeartbeatInterval(set.SessionTimeout/4),
		kgo.RebalanceTimeout(set.RebalanceTimeout),
		// A fetch that waits for an idle partition delays the others.
		kgo.FetchMaxWait(min(set.CommitInterval, 200*time.Millisecond)),
		kgo.FetchMaxBytes(maxFetchBytes),
		kgo.FetchMaxPartitionBytes(maxFetchBytes),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// A group that never committed begins at the start. A position that
		// no longer exists is an error; the stream never skips records silently.
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsAssigned(s.onAssigned),
		kgo.OnPartitionsRevoked(s.onRevoked),
		kgo.OnPartitionsLost(s.onLost),
		kgo.OnPartitionsCallbackBlocked(func(context.Context, *kgo.Client) {
			s.health.Blocked.Store(true)
			s.wake()
		}),
		kgo.OnOffsetsFetched(s.onOffsets),
		kgo.RecordPartitioner(partitioner{set.TopicDeadLetter}),
		kgo.MaxBufferedRecords(4*set.CommitRecords),
		kgo.MaxBufferedBytes(maxBufferedBytes),
		kgo.ProducerBatchMaxBytes(int32(p.recordLimit()+batchRoom)),
		// Nobody reads a record before the commit, which flushes the records that wait. Fewer and
		// larger batches take less time, for the brokers most of all.
		kgo.ProducerLinger(min(set.CommitInterval, time.Second)),
		kgo.BrokerMaxWriteBytes(maxRequestBytes),
	)
	opts = append(opts, p.tracing.Options()...)
	if set.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(p.instanceID(n)))
	}
	for range p.workers {
		s.workers = append(s.workers, &worker{s: s, in: make(chan []task, workerQueue)})
	}
	// Callbacks may run from here on.
	if s.gts, err = kgo.NewGroupTransactSession(opts...); err != nil {
		return nil, err
	}
	for _, w := range s.workers {
		s.done.Go(w.run)
	}
	s.done.Go(s.watchBacklogs)
	return s, nil
}

// partitioner sends the records of these topics to the partition of their key's hash, and all other
// records to the partition that they name.
type partitioner []string

func (topics partitioner) ForTopic(topic string) kgo.TopicPartitioner {
	if slices.Contains(topics, topic) {
		return byKey.ForTopic(topic)
	}
	return kgo.ManualPartitioner().ForTopic(topic)
}

// byKey is the partitioner of Kafka's own clients.
var byKey = kgo.StickyKeyPartitioner(nil)

// keyed hashes the keys of records. It is safe for concurrent use as long as they have one.
var keyed = byKey.ForTopic("")

func (s *session) limits() partition.Limits {
	set := &s.p.settings
	return partition.Limits{
		Limits: lifecycle.Limits{Idle: set.CallIdleTimeout.Milliseconds(), Grace: set.CallGrace.Milliseconds(), Open: set.MaxOpenCalls},
		Closed: set.MaxClosedCalls, Retention: s.p.retention.Load(),
		Refresh: int64(set.StateRefresh),
		Dormant: set.DormantAfter.Milliseconds(), Awake: set.MaxAwakeCalls,
		Workers: len(s.workers), OutputPartitions: func() partition.OutputPartitions { return *s.p.outputPartitions.Load() }, AuditRate: set.AuditRates().Of,
		Draw:      func(id string) float64 { return s.p.keys.Load().Draw("audit", id) },
		WallClock: func() int64 { return s.p.now().UnixMilli() },
	}
}

// run consumes until soft is done or the session fails. It returns nil only if
// it has committed everything in flight.
func (s *session) run(soft context.Context) error {
	stop := context.AfterFunc(soft, func() {
		s.wake()
		time.AfterFunc(s.p.grace, s.hardStop)
	})
	defer stop()
	defer s.close()
	for {
		s.applyAssignmentChanges()
		if err := s.failure(); err != nil {
			return err
		}
		if soft.Err() != nil {
			return s.finish()
		}
		if s.hasStaged() {
			if err := s.begin(); err != nil {
				return err
			}
		}
		s.health.Does("waits for records")
		fetches := s.poll(soft)
		s.health.Does("gives records to its workers, which are busy")
		if err := s.fetchErrors(fetches); err != nil {
			return err
		}
		if s.caughtUp(fetches) {
			s.waiting().done()
		}
		if n := fetches.NumRecords(); n > 0 {
			s.waiting().read(fetches)
			if err := s.claimPolled(fetches); err != nil {
				return err
			}
			if err := s.begin(); err != nil {
				return err
			}
			start := time.Now()
			if !s.mustAbort() {
				s.route(fetches.Records())
			}
			s.noteOldest()
			s.resizePolls(n, time.Since(start)-s.asking)
		}
		if err := s.advanceIdlePartitions(); err != nil {
			return err
		}
		if err := s.endIfDue(soft); err != nil {
			return err
		}
		if err := s.restCalls(); err != nil {
			return err
		}
		s.reportGauges()
	}
}

func (s *session) finish() error {
	if s.open {
		if err := s.end(kgo.TryCommit); err != nil {
			return err
		}
	}
	if !s.hasStaged() {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	return s.end(kgo.TryCommit)
}

func (s *session) begin() error {
	if s.open {
		return nil
	}
	if err := s.gts.Begin(); err != nil {
		return fmt.Errorf("cannot begin a transaction: %w", err)
	}
	s.open, s.opened, s.inTxn = true, time.Now(), 0
	s.careful = s.hasQuarantined()
	s.waiting().begins()
	for _, p := range s.parts {
		p.Begin()
		if p.Graph != nil {
			p.Graph.UseKeys(s.p.keys.Load())
		}
	}
	s.dispatchStaged()
	return nil
}

// wait returns when the workers have finished everything that was sent to them.
func (s *session) wait() {
	var wg sync.WaitGroup
	wg.Add(len(s.workers))
	for _, w := range s.workers {
		w.in <- []task{{kind: taskBarrier, barrier: &wg}}
	}
	wg.Wait()
}

// produce writes a record in the open transaction. A failure aborts the
// transaction; the client by itself would commit the records that succeeded.
func (s *session) produce(rec *kgo.Record) {
	s.gts.Produce(s.hard, rec, s.produced)
}

func (s *session) onProduced(r *kgo.Record, err error) {
	if err != nil {
		s.unsure.Store(true)
		s.gts.Client().ForceMetadataRefresh() // it may not know a partition that was added
		s.breakTransaction(refusalOf(&s.p.settings, err, "Write", "topic", r.Topic))
		return
	}
	if set := &s.p.settings; r.Topic == set.TopicState || r.Topic == set.TopicIndirect {
		if err := s.acked.note(r); err != nil { // a new session looks what there is, and stops the partition
			s.breakTransaction(err)
			s.fail(err)
		}
	}
}

// acked are the ends, by topic and partition, of what the brokers have acknowledged of the compacted
// topics. It is safe for concurrent use.
type acked struct {
	mu   sync.Mutex
	ends map[string]map[int32]int64
}

// note takes a record that was acknowledged. The error says that the brokers have lost others.
func (a *acked) note(r *kgo.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.ends[r.Topic][r.Partition]
	a.set(r.Topic, r.Partition, r.Offset+1)
	if r.Offset < before {
		return fmt.Errorf("topic %s partition %d has a new record at offset %d, although the brokers had acknowledged what is before offset %d: a broker without the latest records became its leader",
			r.Topic, r.Partition, r.Offset, before)
	}
	return nil
}

// restored notes the end that a partition had when it was restored.
func (a *acked) restored(topic string, partition int32, end int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.set(topic, partition, end)
}

func (a *acked) set(topic string, partition int32, end int64) {
	if a.ends[topic] == nil {
		if a.ends == nil {
			a.ends = map[string]map[int32]int64{}
		}
		a.ends[topic] = map[int32]int64{}
	}
	a.ends[topic][partition] = end
}

func (a *acked) end(topic string, partition int32) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ends[topic][partition]
}

func (s *session) breakTransaction(err error) { s.broken.CompareAndSwap(nil, &err) }

// quarantine aborts the transaction. When the record is read again, it becomes
// a dead letter and the engine does not see it.
func (s *session) quarantine(pr *preparedRecord, reason string) {
	s.mu.Lock()
	s.quarantined[pr.address()] = reason
	s.mu.Unlock()
	s.breakTransaction(errQuarantined)
}

var errQuarantined = errors.New("an event cannot be processed and becomes a dead letter")

func (s *session) hasQuarantined() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.quarantined) > 0
}

func (s *session) refused(pr *preparedRecord) (reason string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reason, ok = s.quarantined[pr.address()]
	return reason, ok
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

// restPerPass bounds the calls of a partition that become dormant between two polls,
// so that the session goes on polling.
const restPerPass = 1000

// restCalls makes calls dormant, unless a transaction is open: then the calls belong
// to their workers.
func (s *session) restCalls() error {
	if s.open {
		return nil
	}
	for _, p := range s.parts {
		if err := p.RestCalls(restPerPass); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) close() {
	s.removeGauges()
	s.hardStop()
	for _, w := range s.workers {
		close(w.in)
	}
	s.done.Wait()
	cl := s.gts.Client()
	cl.AllowRebalance()
	ctx, cancel := context.WithTimeout(context.Background(), leaveGroupTimeout)
	defer cancel()
	if err := cl.LeaveGroupContext(ctx); err != nil {
		s.p.log.Warn("could not leave the group, which will notice after the session timeout", "session", s.n, "err", err)
		s.stopClient()
	}
	cl.Close()
	// Close drains fetched records, which blocks rebalances, and thereby itself.
	cl.AllowRebalance()
	s.stopClient()
}
