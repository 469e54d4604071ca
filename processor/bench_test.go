package processor

import (
	"context"
	"hash/fnv"
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/callgen"
	"sotto/schemas"
)

const benchPartitions = 12

// load fills the raw topic with generated calls and returns the number of records. If open is set,
// the calls never end.
func load(b *testing.B, r *rig, calls, overlap int, open bool) int {
	b.Helper()
	var recs []*kgo.Record
	for e := range callgen.New(callgen.Config{Seed: 1}).Events(0, calls, overlap) {
		if open && e.Type == schemas.End {
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(e.CallID))
		recs = append(recs, r.raw(int32(h.Sum32()%benchPartitions), &e.RawEvent))
	}
	r.feed(recs...)
	return len(recs)
}

func benchRig(b *testing.B) *rig {
	r := newRig(b, benchPartitions)
	r.set.CommitInterval = 200 * time.Millisecond
	r.set.Workers = 0
	r.set.SessionTimeout = 10 * time.Second
	r.set.DormantAfter = 2 * time.Minute // the default
	return r
}

// BenchmarkStream compares, on one broker and with the same records, a plain consume and produce,
// the same exactly once, and Sotto. It reports records per second.
func BenchmarkStream(b *testing.B) {
	const calls, overlap = 10000, 1000
	run := func(name string, through func(b *testing.B, r *rig, n int)) {
		b.Run(name, func(b *testing.B) {
			var records int
			var took time.Duration
			for b.Loop() {
				b.StopTimer()
				r := benchRig(b)
				n := load(b, r, calls, overlap, false)
				b.StartTimer()
				began := time.Now()
				through(b, r, n)
				took += time.Since(began)
				records += n
				b.StopTimer()
				r.stopAll()
				b.StartTimer()
			}
			b.ReportMetric(float64(records)/took.Seconds(), "records/s")
		})
	}
	run("plain", plainPass)
	run("exactly-once", transactPass)
	run("sotto", func(b *testing.B, r *rig, n int) { r.through(b, n) })
	run("sotto-2-sessions", func(b *testing.B, r *rig, n int) {
		r.set.Sessions = 2
		r.through(b, n)
	})
}

// through runs a processor until it has committed n raw records.
func (r *rig) through(b *testing.B, n int) *instance {
	b.Helper()
	in := r.start("a")
	deadline := time.Now().Add(3 * time.Minute)
	for in.consumed() < n {
		if time.Now().After(deadline) {
			b.Fatalf("%d of %d records after three minutes", in.consumed(), n)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return in
}

func (in *instance) consumed() int {
	families, err := in.registry.Gather()
	if err != nil {
		return 0
	}
	for _, f := range families {
		if f.GetName() == "sotto_raw_records_total" {
			return int(f.GetMetric()[0].GetCounter().GetValue())
		}
	}
	return 0
}

func plainPass(b *testing.B, r *rig, n int) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.cluster.Brokers()...), kgo.ConsumerGroup(r.group), kgo.ConsumeTopics(r.topics.Raw),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(200*time.Millisecond))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	for seen := 0; seen < n; {
		cl.PollRecords(b.Context(), maxPoll).EachRecord(func(rec *kgo.Record) {
			seen++
			cl.Produce(b.Context(), &kgo.Record{Topic: r.topics.Clean, Key: rec.Key, Value: rec.Value}, nil)
		})
	}
	if err := cl.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func transactPass(b *testing.B, r *rig, n int) {
	s, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(r.cluster.Brokers()...), kgo.ConsumerGroup(r.group), kgo.ConsumeTopics(r.topics.Raw),
		kgo.TransactionalID(r.cluster.Name("pass")), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(200*time.Millisecond))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for seen := 0; seen < n; {
		if err := s.Begin(); err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(b.Context(), 200*time.Millisecond)
		for ctx.Err() == nil && seen < n {
			s.PollRecords(ctx, maxPoll).EachRecord(func(rec *kgo.Record) {
				seen++
				s.Produce(b.Context(), &kgo.Record{Topic: r.topics.Clean, Key: rec.Key, Value: rec.Value}, nil)
			})
		}
		cancel()
		if ok, err := s.End(b.Context(), kgo.TryCommit); err != nil || !ok {
			b.Fatalf("committed %v, %v", ok, err)
		}
	}
}

// BenchmarkRestore reports the size of the state of an open call, its memory, and how many calls
// are restored per second, from the start of the processor until it is ready. This includes joining
// the group and counting the raw records again.
func BenchmarkRestore(b *testing.B) {
	const calls = 10000
	idle := heapOf(b, benchRig(b))
	r := benchRig(b)
	r.set.CallIdleTimeout = 1000 * time.Hour
	n := load(b, r, calls, calls, true)
	if err := r.through(b, n).stop(); err != nil {
		b.Fatal(err)
	}
	size, open := 0, map[string]int{}
	for _, rec := range r.read(r.topics.State) {
		if rec.Value == nil {
			b.Fatal("a call was closed")
		}
		open[string(rec.Key)] = len(rec.Value)
	}
	for _, s := range open {
		size += s
	}
	held := heapOf(b, r) - idle
	var took time.Duration
	var restored int
	for b.Loop() {
		began := time.Now()
		in := r.start("a")
		for in.Ready() != nil {
			time.Sleep(time.Millisecond)
		}
		took += time.Since(began)
		restored += len(open)
		b.StopTimer()
		if err := in.stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	if len(open) == 0 {
		b.Fatal("no call is open")
	}
	b.ReportMetric(float64(size)/float64(len(open)), "bytes/call")
	b.ReportMetric(float64(held)/float64(len(open)), "heap-bytes/call")
	b.ReportMetric(float64(restored)/took.Seconds(), "calls/s")
	b.ReportMetric(0, "ns/op") // only the metrics above are of interest
}

// heapOf returns the heap of a processor that has restored all states, in bytes.
func heapOf(b *testing.B, r *rig) int64 {
	b.Helper()
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what finalizers have released
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	in := r.start("a")
	for in.Ready() != nil {
		time.Sleep(time.Millisecond)
	}
	after := used()
	if err := in.stop(); err != nil {
		b.Fatal(err)
	}
	return after - before
}
