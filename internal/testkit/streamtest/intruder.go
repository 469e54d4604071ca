package streamtest

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// Intruder is a consumer with the defaults of Kafka's clients that runs in the group of the stream.
type Intruder struct {
	cl   *kgo.Client
	stop context.CancelFunc
	done chan struct{}
	read atomic.Int64 // events
}

// Protocols are those by which consumers share a group with the stream.
var Protocols = map[string][]kgo.Opt{
	"cooperative-sticky": {kgo.Balancers(kgo.CooperativeStickyBalancer())},
	"range":              {kgo.Balancers(kgo.RangeBalancer())},
	// Those of Java's consumers by default.
	"range and cooperative-sticky": {kgo.Balancers(kgo.RangeBalancer(), kgo.CooperativeStickyBalancer())},
	"KIP-848":                      {kgo.Balancers(kgo.StickyBalancer()), kgo.ServerSideBalancer()},
	"static":                       {kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.InstanceID("reporting-0")},
}

// Intrude starts a consumer of the raw topic in the group, which leaves it with the test at the latest.
func Intrude(t testing.TB, c brokertest.Cluster, group, raw, protocol string) *Intruder {
	t.Helper()
	if protocol == "KIP-848" && os.Getenv(brokertest.EnvBroker) != "kafka" {
		t.Skip("the embedded broker has no groups of members of both protocols")
	}
	opts := append([]kgo.Opt{kgo.SeedBrokers(c.Brokers()...), kgo.ClientID("reporting"), kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(raw), kgo.AutoCommitInterval(100 * time.Millisecond), kgo.SessionTimeout(6 * time.Second),
		kgo.HeartbeatInterval(500 * time.Millisecond), kgo.FetchMaxWait(100 * time.Millisecond)}, Protocols[protocol]...)
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	i := &Intruder{cl: cl, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(i.done)
		for ctx.Err() == nil {
			i.read.Add(int64(cl.PollFetches(ctx).NumRecords()))
		}
	}()
	t.Cleanup(i.Leave)
	return i
}

// Leave commits what was read and leaves the group.
func (i *Intruder) Leave() {
	i.stop()
	<-i.done
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = i.cl.CommitUncommittedOffsets(ctx)
	_ = i.cl.LeaveGroupContext(ctx)
	i.cl.Close()
}

// Read is how many events the consumer has read.
func (i *Intruder) Read() int64 { return i.read.Load() }

var stoppedAt = regexp.MustCompile(`offset (\d+) of topic \S+ partition (\d+) was not committed by the stream, which has processed it (?:up to offset (\d+)|none of)`)

// Stop is what a message says of a partition that was stopped: the offset that another consumer has
// committed, and the one up to which the stream was.
type Stop struct{ Foreign, Next int64 }

// StopsIn returns the latest stop of each partition that a log tells of.
func StopsIn(log string) map[int32]Stop {
	at := map[int32]Stop{}
	for _, m := range stoppedAt.FindAllStringSubmatch(log, -1) {
		foreign, _ := strconv.ParseInt(m[1], 10, 64)
		id, _ := strconv.Atoi(m[2])
		next, _ := strconv.ParseInt(m[3], 10, 64)
		at[int32(id)] = Stop{foreign, next}
	}
	return at
}

// LostStates is in every message about states that were lost. What exactly contradicts the offset depends on the
// markers of transactions, which a broker may write to a log meanwhile.
const LostStates = "do not belong together"
