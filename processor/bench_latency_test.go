package processor

import (
	"context"
	"sync"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
)

// BenchmarkLatencyOnThreeBrokers reports the throughput of Sotto while a producer and a reader share
// the machine with it and with three brokers, and then, at half of that rate, the time from the
// append of a raw record to the moment when a read_committed reader sees its clean event. The target
// is the commit interval of 200 ms and 50 ms more for the median, 250 ms more for the 99th
// percentile.
func BenchmarkLatencyOnThreeBrokers(b *testing.B) {
	k := brokertest.OpenReplicatedKafka(b, brokertest.KafkaOptions{})
	const warmUp, measure = 20 * time.Second, 20 * time.Second
	for b.Loop() {
		full := underLoad(b, k.Fresh(), 0, warmUp, measure)
		half := underLoad(b, k.Fresh(), int(full.perSecond/2), warmUp, measure)
		at := func(share float64) float64 {
			return float64(half.latencies[int(share*float64(len(half.latencies)-1))].Microseconds()) / 1000
		}
		b.ReportMetric(full.perSecond, "records/s")
		b.ReportMetric(half.perSecond, "half-records/s")
		b.ReportMetric(at(0.5), "p50-ms")
		b.ReportMetric(at(0.99), "p99-ms")
	}
	b.ReportMetric(0, "ns/op") // only the metrics above are of interest
}

// observed is what came out of a stream during a measurement.
type observed struct {
	perSecond float64 // utterances
	latencies []time.Duration
}

func underLoad(b *testing.B, c brokertest.Cluster, rate int, warmUp, measure time.Duration) observed {
	b.Helper()
	r := benchRig(b, c)
	in := r.start("a")
	brokertest.Eventually(b, time.Minute, "the processor to be ready", func() bool { return in.Ready() == nil })
	l := streamtest.NewLoad(b, c, r.Topics, r.Codec, rate, benchOverlap)
	ctx, cancel := context.WithTimeout(b.Context(), warmUp+measure)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() { l.Feed(ctx) })
	all.Go(func() { l.Read(ctx) })
	select {
	case <-time.After(warmUp):
	case <-ctx.Done():
		b.Fatal("the benchmark was cancelled")
	}
	l.TakeLatencies()
	before, began := l.Received(), time.Now()
	<-ctx.Done()
	took := l.TakeLatencies()
	o := observed{float64(l.Received()-before) / time.Since(began).Seconds(), took}
	all.Wait()
	r.stopAll()
	if len(took) == 0 {
		b.Fatal("nothing came out")
	}
	return o
}
