package processor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// upstream is a transactional producer of raw events.
func (r *rig) upstream(name string) *kgo.Client {
	r.T.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...), kgo.TransactionalID(r.Cluster.Name(name)),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionTimeout(5*time.Minute))
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(cl.Close)
	return cl
}

// begin begins a transaction with records.
func (r *rig) begin(cl *kgo.Client, recs ...*kgo.Record) {
	r.T.Helper()
	if err := cl.BeginTransaction(); err != nil {
		r.T.Fatal(err)
	}
	if err := cl.ProduceSync(r.T.Context(), recs...).FirstErr(); err != nil {
		r.T.Fatal(err)
	}
}

func (r *rig) endUpstream(cl *kgo.Client, how kgo.TransactionEndTry) {
	r.T.Helper()
	if err := cl.EndTransaction(r.T.Context(), how); err != nil {
		r.T.Fatal(err)
	}
}

func (in *instance) shows(t *testing.T, what string, is func(float64) bool) {
	t.Helper()
	eventually(t, what, func() bool { return strings.Contains(scrape(t, in), "\n"+what) && is(in.gauge(t, what)) })
}

// A producer upstream leaves its transaction open for longer than the idle timeout and the grace
// period. The calls whose events wait behind it are not idle, and log and metrics say what they wait
// for.
func TestAnOpenTransactionUpstreamIsNoIdlePartition(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.CallIdleTimeout, r.Set.CallGrace = time.Second, time.Second
	in := r.start("a", func(p *Processor) { p.transactionPatience = 500 * time.Millisecond })
	hung := r.upstream("hung")
	var recs []*kgo.Record
	for i := range 5 {
		recs = append(recs, r.caller(0, fmt.Sprint("c-", i), 1, rosa))
	}
	r.Feed(recs...)
	r.Await(r.Topics.Clean, 5)
	r.begin(hung, r.caller(0, "hung", 1, rosa))
	recs = nil
	for i := range 5 {
		recs = append(recs, r.caller(0, fmt.Sprint("c-", i), 2, rosa))
	}
	r.Feed(recs...)
	in.shows(t, "sotto_open_transaction_seconds", func(v float64) bool { return v > 4 })
	in.shows(t, "sotto_lag_records", func(v float64) bool { return v == 6 })
	in.shows(t, "sotto_oldest_uncommitted_seconds", func(v float64) bool { return v > 3 })
	eventually(t, "the log to name the producer", func() bool {
		return strings.Contains(r.log.String(), "records wait behind a transaction") && strings.Contains(r.log.String(), `producer="ID `)
	})
	if n := strings.Count(r.log.String(), "records wait behind a transaction"); n != 1 {
		t.Errorf("it was logged %d times", n)
	}
	if n := len(r.Read(r.Topics.Clean)); n != 5 {
		t.Errorf("%d clean events: calls were ended", n)
	}
	r.endUpstream(hung, kgo.TryCommit)
	for _, e := range r.Clean(r.Await(r.Topics.Clean, 11))[:11] {
		if e.Call != nil {
			t.Errorf("call %s was ended before its last event", e.CallID)
		}
	}
	if dead := r.DeadLetters(); len(dead) > 0 {
		t.Errorf("%d dead letters", len(dead))
	}
	in.shows(t, "sotto_open_transaction_seconds", func(v float64) bool { return v == 0 })
	in.shows(t, "sotto_lag_records", func(v float64) bool { return v == 0 })
	r.Await(r.Topics.Clean, 17) // then they become idle
}

// Nobody waits for records of an aborted transaction, also not at the end of the log.
func TestAbortedRecordsAreNoLag(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	in := r.start("a")
	r.Feed(r.caller(0, "c", 1, rosa))
	r.Await(r.Topics.Clean, 1)
	aborting := r.upstream("aborting")
	var recs []*kgo.Record
	for seq := int64(1); seq <= 100; seq++ {
		recs = append(recs, r.caller(0, "aborted", seq, rosa))
	}
	r.begin(aborting, recs...)
	in.shows(t, "sotto_lag_records", func(v float64) bool { return v == 100 })
	r.endUpstream(aborting, kgo.TryAbort)
	in.shows(t, "sotto_lag_records", func(v float64) bool { return v == 0 })
	in.shows(t, "sotto_oldest_uncommitted_seconds", func(v float64) bool { return v == 0 })
	// And a restart that begins before them shows none either.
	in.mustStop(t)
	in = r.start("b")
	eventually(t, "the start", func() bool { return in.Ready() == nil })
	time.Sleep(3 * gaugeInterval)
	in.shows(t, "sotto_lag_records", func(v float64) bool { return v == 0 })
	in.shows(t, "sotto_oldest_uncommitted_seconds", func(v float64) bool { return v == 0 })
}
