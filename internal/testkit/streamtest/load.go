package streamtest

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
	"sotto/training/corpus/callgen"
)

// Load writes generated calls at a steady rate and reads what becomes of them. Its memory does not
// grow with the length of the run, except for a number per call.
type Load struct {
	t       testing.TB
	cluster brokertest.Cluster
	topics  brokertest.Topics
	codec   *schemas.Codec
	// rate is the number of raw records per second, 0 for as many as the brokers take; calls is the
	// number of calls at the same time.
	rate, calls int

	mu         sync.Mutex
	last       map[string]int64 // the latest sequence number that came out, by open call
	utterances int
	disordered int
	latencies  []time.Duration // since the last sample
}

// NewLoad is a load of so many raw records per second, or of as many as the brokers take if the rate
// is 0, in so many calls at the same time.
func NewLoad(t testing.TB, c brokertest.Cluster, topics brokertest.Topics, codec *schemas.Codec, rate, calls int) *Load {
	return &Load{t: t, cluster: c, topics: topics, codec: codec, rate: rate, calls: calls, last: map[string]int64{}}
}

// Feed writes until ctx is done and returns how many utterances it wrote. The time of an event is
// when it was written.
func (l *Load) Feed(ctx context.Context) (utterances int) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(l.cluster.Brokers()...), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))
	if err != nil {
		l.t.Error(err)
		return 0
	}
	defer cl.Close()
	tick := time.NewTicker(loadTick)
	defer tick.Stop()
	due := 0.0
	for e := range callgen.New(callgen.Config{Seed: 5}).Events(0, math.MaxInt32, l.calls) {
		for ; l.rate > 0 && due < 1; due += float64(l.rate) * loadTick.Seconds() {
			select {
			case <-ctx.Done():
			case <-tick.C:
				continue
			}
			break
		}
		if ctx.Err() != nil {
			break
		}
		due--
		ev := e.RawEvent
		ev.TimestampMS = time.Now().UnixMilli()
		cl.Produce(context.WithoutCancel(ctx), Raw(l.t, l.codec, l.topics.Raw, 0, &ev), func(_ *kgo.Record, err error) {
			if err != nil {
				l.t.Errorf("feeding the raw topic: %v", err)
			}
		})
		if ev.Type == schemas.Utterance {
			utterances++
		}
	}
	if err := cl.Flush(context.WithoutCancel(ctx)); err != nil {
		l.t.Error(err)
	}
	return utterances
}

// loadTick is the time between two bursts.
const loadTick = 10 * time.Millisecond

// Read follows the clean topic until ctx is done.
func (l *Load) Read(ctx context.Context) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(l.cluster.Brokers()...), kgo.ConsumeTopics(l.topics.Clean),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(20*time.Millisecond))
	if err != nil {
		l.t.Error(err)
		return
	}
	defer cl.Close()
	for ctx.Err() == nil {
		fetches := cl.PollFetches(ctx)
		now := time.Now()
		l.mu.Lock()
		fetches.EachRecord(func(rec *kgo.Record) { l.take(rec, now) })
		l.mu.Unlock()
	}
}

// take counts a clean event; l.mu is held.
func (l *Load) take(rec *kgo.Record, now time.Time) {
	e, err := l.codec.DecodeClean(rec.Value)
	if err != nil {
		l.t.Error("a clean event does not decode")
		return
	}
	if before, ok := l.last[e.CallID]; ok && e.Seq <= before {
		l.disordered++
	}
	l.last[e.CallID] = e.Seq
	if e.Type == schemas.Utterance {
		l.utterances++
		l.latencies = append(l.latencies, now.Sub(time.UnixMilli(e.TimestampMS)))
	}
}

// Received is how many utterances came out.
func (l *Load) Received() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.utterances
}

// Disordered is how many events came out twice or out of order.
func (l *Load) Disordered() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.disordered
}

// TakeLatencies returns the sorted latencies since the last time.
func (l *Load) TakeLatencies() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	took := l.latencies
	l.latencies = nil
	slices.Sort(took)
	return took
}
