package processor

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/schemas"
	"sotto/training/corpus/callgen"
)

// steadyLoad writes generated calls at a steady rate and reads what becomes of them. Its memory does
// not grow with the length of the run, except for a number per call.
type steadyLoad struct {
	r *rig
	// rate is the number of raw records per second, 0 for as many as the brokers take; calls is the
	// number of calls at the same time.
	rate, calls int

	mu         sync.Mutex
	last       map[string]int64 // the latest sequence number that came out, by open call
	utterances int
	disordered int
	latencies  []time.Duration // since the last sample
}

func newSteadyLoad(r *rig, rate, calls int) *steadyLoad {
	return &steadyLoad{r: r, rate: rate, calls: calls, last: map[string]int64{}}
}

// feed writes until ctx is done and returns how many utterances it wrote. The time of an event is
// when it was written.
func (l *steadyLoad) feed(ctx context.Context) (utterances int) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(l.r.cluster.Brokers()...), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))
	if err != nil {
		l.r.t.Error(err)
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
		cl.Produce(context.WithoutCancel(ctx), l.r.raw(0, &ev), func(_ *kgo.Record, err error) {
			if err != nil {
				l.r.t.Errorf("feeding the raw topic: %v", err)
			}
		})
		if ev.Type == schemas.Utterance {
			utterances++
		}
	}
	if err := cl.Flush(context.WithoutCancel(ctx)); err != nil {
		l.r.t.Error(err)
	}
	return utterances
}

// loadTick is the time between two bursts.
const loadTick = 10 * time.Millisecond

// read follows the clean topic until ctx is done.
func (l *steadyLoad) read(ctx context.Context) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(l.r.cluster.Brokers()...), kgo.ConsumeTopics(l.r.topics.Clean),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(20*time.Millisecond))
	if err != nil {
		l.r.t.Error(err)
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
func (l *steadyLoad) take(rec *kgo.Record, now time.Time) {
	e, err := l.r.codec.DecodeClean(rec.Value)
	if err != nil {
		l.r.t.Error("a clean event does not decode")
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

func (l *steadyLoad) received() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.utterances
}

// takeLatencies returns the sorted latencies since the last time.
func (l *steadyLoad) takeLatencies() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	took := l.latencies
	l.latencies = nil
	slices.Sort(took)
	return took
}

func fetchURL(url string) (string, error) {
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", errors.New(resp.Status)
	}
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// gauge returns the value of a metric without labels.
func gauge(metrics, name string) (float64, bool) {
	for line := range strings.Lines(metrics) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return v, err == nil
		}
	}
	return 0, false
}
