package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// TestChaosKillToFirstOutput measures on Apache Kafka for how long the partitions of a killed
// process with static membership have no output. It fails if the time exceeds the session timeout,
// after which the group would have removed the process.
func TestChaosKillToFirstOutput(t *testing.T) {
	if os.Getenv(envChaos) == "" {
		t.Skipf("kills processes: run `make test-chaos` or set %s=1", envChaos)
	}
	o := newOutage(t, brokertest.OpenKafka(t, brokertest.KafkaOptions{}))
	kills := 15
	if testing.Short() {
		kills = 3
	}
	var took []time.Duration
	for n := range kills {
		took = append(took, o.killOne(n%2))
	}
	slices.Sort(took)
	median := took[len(took)/2]
	ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	t.Logf("kill to first output: median %v, min %v, max %v over %d kills", ms(median), ms(took[0]), ms(took[len(took)-1]), len(took))
	if median >= o.r.Set.SessionTimeout {
		t.Errorf("the median is not below the session timeout of %v", o.r.Set.SessionTimeout)
	}
}

// BenchmarkKillToFirstOutput reports the median on the broker that the environment chooses, by
// default the embedded one.
func BenchmarkKillToFirstOutput(b *testing.B) {
	o := newOutage(b, brokertest.Open(b))
	var took []time.Duration
	for b.Loop() {
		took = append(took, o.killOne(len(took)%2))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms/kill")
	b.ReportMetric(0, "ns/op") // it includes the pauses
}

// outage is two processes under load and a reader of what they commit.
type outage struct {
	r     *rig
	fleet *chaosFleet
	feed  *feeder
	adm   *kadm.Client
	gain  gain

	mu sync.Mutex
	// waiting is the output that the test waits for, nil for none.
	waiting *firstOutput
}

// firstOutput is a clean event that a process has written since it was killed: it lies beyond the
// end offsets of that moment, and its call is in one of the partitions of the process.
type firstOutput struct {
	raw  map[int32]bool
	ends map[int32]int64
	at   chan time.Time
}

// outageRate is the number of events a second. One process must keep up with it on two slow cores
// beside the broker: with a backlog, the time to the first output would be that of the backlog.
const outageRate = 120

func newOutage(tb testing.TB, c brokertest.Cluster) *outage {
	tb.Helper()
	r := newRigOn(tb, c, 6)
	o := &outage{r: r, gain: gain{r: r}, fleet: r.fleet(2, map[string]string{"SOTTO_LOG_LEVEL": "warn"}, instanceID), feed: r.newFeeder(6, outageRate, 1)}
	if err := o.fleet.StartAll(); err != nil {
		tb.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.ConsumeTopics(r.Topics.Clean),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxWait(20*time.Millisecond))
	if err != nil {
		tb.Fatal(err)
	}
	o.adm = kadm.NewClient(cl)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { o.read(ctx, cl) })
	all.Go(func() {
		if err := o.feed.run(ctx, nil); err != nil && ctx.Err() == nil {
			tb.Errorf("feeding the raw topic: %v", err)
		}
	})
	tb.Cleanup(func() {
		cancel()
		all.Wait()
		cl.Close()
	})
	return o
}

// read looks at each committed clean event as soon as it is visible.
func (o *outage) read(ctx context.Context, cl *kgo.Client) {
	for ctx.Err() == nil {
		fetches := cl.PollFetches(ctx)
		now := time.Now()
		o.mu.Lock()
		if w := o.waiting; w != nil {
			fetches.EachRecord(func(rec *kgo.Record) {
				if o.waiting != nil && rec.Offset >= w.ends[rec.Partition] && w.raw[o.feed.partition(string(rec.Key))] {
					w.at <- now
					o.waiting = nil
				}
			})
		}
		o.mu.Unlock()
	}
}

// TestChaosFreezeToFirstOutput measures on Apache Kafka for how long the partitions of a frozen
// process have no output. Its transaction stays open until the broker aborts it, which readers and
// the next owner wait for, and the group removes it after the session timeout.
func TestChaosFreezeToFirstOutput(t *testing.T) {
	if os.Getenv(envChaos) == "" {
		t.Skipf("freezes processes: run `make test-chaos` or set %s=1", envChaos)
	}
	o := newOutage(t, brokertest.OpenKafka(t, brokertest.KafkaOptions{}))
	frozen := time.Minute
	took := o.untilOutput(0, func() {
		go func() {
			if err := o.fleet.Freeze(t.Context(), 0, frozen); err != nil && t.Context().Err() == nil {
				t.Error(err)
			}
		}()
	})
	t.Logf("freeze to first output: %v", took.Round(time.Millisecond))
	const others = 10 * time.Second // a rebalance, a restore, and what has waited
	if most := max(o.r.Set.SessionTimeout, o.r.Set.TransactionTimeout) + others; took > most {
		t.Errorf("that is more than %v", most)
	}
}

// killOne kills a process, restarts it at once, and returns the time from the kill to the first new
// output that a read_committed reader sees.
func (o *outage) killOne(member int) time.Duration {
	o.r.T.Helper()
	return o.untilOutput(member, func() {
		if err := errors.Join(o.fleet.Kill(member), o.fleet.Start(member)); err != nil {
			o.r.T.Fatal(err)
		}
	})
}

// untilOutput returns the time from what happens to a process to the first new output that a
// read_committed reader sees.
func (o *outage) untilOutput(member int, happens func()) time.Duration {
	o.r.T.Helper()
	w := &firstOutput{raw: o.settled()[member], ends: map[int32]int64{}, at: make(chan time.Time, 1)}
	began := time.Now()
	happens()
	ends, err := o.adm.ListEndOffsets(o.r.T.Context(), o.r.Topics.Clean)
	if err != nil || ends.Error() != nil {
		o.r.T.Fatal(err, ends.Error())
	}
	ends.Each(func(e kadm.ListedOffset) { w.ends[e.Partition] = e.Offset })
	o.mu.Lock()
	o.waiting = w
	o.mu.Unlock()
	select {
	case at := <-w.at:
		return at.Sub(began)
	case <-time.After(time.Minute):
		o.r.T.Fatalf("no output after a minute:\n%s", o.fleet.Tail(member, 20))
		return 0
	}
}

// settled waits until both processes have had partitions and new output for a while, and returns
// the partitions of each process.
func (o *outage) settled() [2]map[int32]bool {
	o.r.T.Helper()
	var owned [2]map[int32]bool
	ctx, cancel := context.WithTimeout(o.r.T.Context(), time.Minute)
	defer cancel()
	err := brokertest.WaitFor(ctx, "both members to have partitions", func(ctx context.Context) (bool, error) {
		groups, err := o.adm.DescribeGroups(ctx, o.r.Group)
		if err == nil {
			err = groups.Error()
		}
		if err != nil {
			return false, err
		}
		group := groups[o.r.Group]
		for i := range owned {
			owned[i] = map[int32]bool{}
			for _, m := range group.Members {
				assigned, ok := m.Assigned.AsConsumer()
				if !ok || m.InstanceID == nil || *m.InstanceID != fmt.Sprint(instanceID(i), "-0") {
					continue
				}
				for _, topic := range assigned.Topics {
					for _, p := range topic.Partitions {
						owned[i][p] = true
					}
				}
			}
		}
		return group.State == "Stable" && len(owned[0]) > 0 && len(owned[1]) > 0, nil
	})
	if err == nil {
		err = o.gain.await(ctx)
	}
	if err == nil {
		err = wait(ctx, time.Second)
	}
	if err != nil {
		o.r.T.Fatal(err)
	}
	return owned
}
