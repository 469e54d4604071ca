package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// probeTransaction is after which time brokers end a transaction of a preflight that has died.
const probeTransaction = 10 * time.Second

const maxClockDifference = time.Minute

// writeProbe writes records that no reader of committed records sees: it aborts its transactions.
type writeProbe struct {
	*preflight
	id      string        // transactional
	cl      *kgo.Client   // nil after an error
	took    time.Duration // the last transaction that went well; 0 for none
	clocked bool          // the clocks were compared
}

// checkWrites tries to write to each topic, and measures clocks and time by that.
func (p *preflight) checkWrites(ctx context.Context) {
	pr := &writeProbe{preflight: p, id: transactionalID(p.s) + "-preflight"}
	err := p.blocked
	if err == nil {
		err = pr.open(ctx)
	}
	p.acl("Write", "transactional-id", pr.id, err)
	if isDenied(err) {
		err = fmt.Errorf("cannot be tried without Write on transactional-id %s", pr.id)
	}
	var state error
	for _, r := range topicRights(p.s) {
		if !slices.Contains(r.ops, opWrite) {
			continue
		}
		failed := p.absent(r.topic)
		if failed == nil {
			failed = err
		}
		if failed == nil {
			failed = pr.write(ctx, r.topic)
		}
		// What could not be tried may still be known.
		if failed != nil && slices.Contains(r.missing(p.facts.meta[r.topic]), opWrite) {
			failed = kerr.TopicAuthorizationFailed
		}
		p.acl("Write", "topic", r.topic, failed)
		if r.topic == p.s.TopicState {
			state = failed
		}
	}
	if !pr.clocked {
		p.add("clock", "brokers", StatusSkipped, fmt.Sprintf("it is read from topic %s after a write: %v", p.s.TopicState, state))
	}
	switch interval := p.s.CommitInterval; {
	case pr.took == 0:
		p.add("transaction", pr.id, StatusSkipped, "no record could be written")
	case pr.took > interval:
		p.add("transaction", pr.id, StatusWarning, fmt.Sprintf("took %v, longer than SOTTO_COMMIT_INTERVAL=%v: events wait for it", pr.took, interval))
	default:
		p.add("transaction", pr.id, StatusOK, fmt.Sprintf("took %v, from its begin to its abort", pr.took))
	}
	if pr.cl != nil {
		pr.cl.Close()
	}
}

// open makes a client with a new epoch.
func (pr *writeProbe) open(ctx context.Context) error {
	cl, err := kgo.NewClient(append(slices.Clip(pr.opts), kgo.TransactionalID(pr.id), kgo.TransactionTimeout(probeTransaction),
		kgo.RecordDeliveryTimeout(probeTransaction), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := takeOver(ctx, cl, pr.s, pr.id); err != nil {
		cl.Close()
		return err
	}
	pr.cl = cl
	return nil
}

// write writes to a topic in a transaction, which it aborts: to one partition, and to the state topic one of
// each broker. A partition without enough replicas in sync would keep the transaction from ending.
func (pr *writeProbe) write(ctx context.Context, topic string) error {
	if pr.cl == nil {
		if err := pr.open(ctx); err != nil {
			return err
		}
	}
	var recs []*kgo.Record
	leaders := map[int32]int32{} // of the records' partitions
	for _, part := range pr.writable(topic) {
		if len(recs) > 0 && (topic != pr.s.TopicState || slices.ContainsFunc(recs, func(r *kgo.Record) bool { return leaders[r.Partition] == part.Leader })) {
			continue
		}
		leaders[part.Partition] = part.Leader
		recs = append(recs, &kgo.Record{Topic: topic, Partition: part.Partition, Key: []byte("sotto preflight"), Value: []byte("probe")})
	}
	if len(recs) == 0 {
		return errors.New("no partition has a leader and enough replicas in sync")
	}
	began := time.Now()
	if err := pr.cl.BeginTransaction(); err != nil {
		return err
	}
	err := pr.cl.ProduceSync(ctx, recs...).FirstErr()
	ending := pr.now()
	// Also a preflight that is told to stop aborts what it has begun.
	ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	if aborted := pr.cl.EndTransaction(ended, kgo.TryAbort); err == nil {
		err = aborted
	}
	if err != nil {
		pr.cl.Close()
		pr.cl = nil
		return err
	}
	pr.took = time.Since(began).Round(time.Microsecond)
	if topic == pr.s.TopicState {
		pr.checkClocks(ctx, recs, leaders, ending)
	}
	return nil
}

// checkClocks compares the clock of this machine to those of brokers. The leader of each partition has put
// its time into the marker that ends the transaction there, after ending, and before it is read.
func (pr *writeProbe) checkClocks(ctx context.Context, recs []*kgo.Record, leaders map[int32]int32, ending time.Time) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	pr.clocked = true
	from := map[int32]kgo.Offset{}
	for _, rec := range recs {
		from[rec.Partition] = kgo.NewOffset().At(rec.Offset)
	}
	var err error
	cl, err := kgo.NewClient(append(slices.Clip(pr.opts), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{pr.s.TopicState: from}))...)
	if err == nil {
		defer cl.Close()
	}
	for err == nil && len(leaders) > 0 {
		fetches := cl.PollFetches(ctx)
		if err = fetches.Err(); err == nil {
			err = ctx.Err()
		}
		fetches.EachRecord(func(rec *kgo.Record) {
			if leader, ok := leaders[rec.Partition]; ok && rec.Attrs.IsControl() && rec.ProducerID == recs[0].ProducerID {
				delete(leaders, rec.Partition)
				pr.compareClock(fmt.Sprint("broker ", leader), rec.Timestamp, ending, pr.now())
			}
		})
	}
	for _, leader := range leaders {
		pr.add("clock", fmt.Sprint("broker ", leader), StatusSkipped, fmt.Sprintf("the end of the transaction cannot be read from topic %s: %v", pr.s.TopicState, err))
	}
}

// compareClock compares a broker's time to the interval of ours in which it was taken.
func (pr *writeProbe) compareClock(broker string, at, after, before time.Time) {
	after = after.Truncate(time.Millisecond) // as brokers do
	switch ahead, behind := at.Sub(before), after.Sub(at); {
	case ahead > maxClockDifference:
		pr.add("clock", broker, StatusFailed, clockText(ahead, "behind"))
	case behind > maxClockDifference:
		pr.add("clock", broker, StatusFailed, clockText(behind, "ahead of"))
	default:
		pr.add("clock", broker, StatusOK, fmt.Sprintf("differs by at most %v", max(at.Sub(after), before.Sub(at)).Round(time.Millisecond)))
	}
}

func clockText(by time.Duration, how string) string {
	return fmt.Sprintf("the clock of this machine is %v %s the broker's, which is more than %v: synchronize both by NTP", by.Round(time.Second), how, maxClockDifference)
}
