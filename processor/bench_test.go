package processor

import (
	"context"
	"hash/fnv"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/config"
	"sotto/config/kafka"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/brokertest/proc"
	"sotto/internal/testkit/heap"
	"sotto/schemas"
	"sotto/state"
)

// benchRig is a rig with the settings of a deployment, but for the names of its topics.
func benchRig(b *testing.B, c brokertest.Cluster) *rig {
	r := newRigOn(b, c, benchPartitions)
	r.Set.CommitInterval = 200 * time.Millisecond
	r.Set.Workers = 0
	r.Set.SessionTimeout = 10 * time.Second
	r.Set.DormantAfter = 2 * time.Minute // the default
	r.Set.Codec = schemas.FormatAvro
	var err error
	if r.Codec, err = kafka.NewCodec(b.Context(), &r.Set); err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkStream compares, with the same events, the engine on one core without a broker, a plain
// consume and produce, the same exactly once, and Sotto. It reports records per second, and the
// processor time per record of the program and of brokers that are other processes.
func BenchmarkStream(b *testing.B) {
	benchmarkStream(b, brokertest.Open)
}

// BenchmarkStreamOnThreeBrokers is the same with three replicas.
func BenchmarkStreamOnThreeBrokers(b *testing.B) {
	k := brokertest.OpenReplicatedKafka(b, brokertest.KafkaOptions{})
	benchmarkStream(b, func(t testing.TB) brokertest.Cluster {
		c := k.Fresh()
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
		return c
	})
}

func benchmarkStream(b *testing.B, open func(testing.TB) brokertest.Cluster) {
	warmUp(b, open)
	for _, l := range []struct {
		name   string
		events func(*testing.B) []*schemas.RawEvent
	}{
		{"generated", func(*testing.B) []*schemas.RawEvent { return generated(benchCalls, benchOverlap) }},
		{"corpus", corpusEvents},
	} {
		b.Run(l.name, func(b *testing.B) {
			events := l.events(b)
			b.Run("engine", func(b *testing.B) { engineAlone(b, events, 1) })
			b.Run("engine-all-cores", func(b *testing.B) { engineAlone(b, events, runtime.GOMAXPROCS(0)) })
			run := func(name string, p pass) {
				b.Run(name, func(b *testing.B) { stream(b, open, events, p) })
			}
			if l.name == "generated" {
				run("plain", plainPass)
				run("exactly-once", transactPass)
			}
			run("sotto", sottoPass(1))
			run("sotto-2-sessions", sottoPass(2))
		})
	}
}

// warmUp runs a pass that is not measured, so that brokers in other processes have compiled their code,
// as those of a deployment have. The embedded broker needs no time for that.
func warmUp(b *testing.B, open func(testing.TB) brokertest.Cluster) {
	b.Helper()
	c := open(b)
	if brokertest.CPU(c) == 0 {
		return
	}
	r := benchRig(b, c)
	n := load(b, r, generated(benchCalls, benchOverlap))
	sottoPass(1)(b, r, n).through(n)
	r.stopAll()
}

// pass starts something that reads the raw topic, which has n records. It returns when that is in a
// steady state.
type pass func(b *testing.B, r *rig, n int) running

// running is something that reads the raw topic.
type running struct {
	// already is how many records it had dealt with in the beginning.
	already int
	// through waits until it has dealt with n records and returns how many they are then. It may be
	// called again with a larger number.
	through func(n int) int
}

// sottoPass is in a steady state when all sessions have partitions and have had the time for a commit
// each: while one joins, the others wait.
func sottoPass(sessions int) pass {
	return func(b *testing.B, r *rig, n int) running {
		r.Set.Sessions = sessions
		in := r.start("a")
		brokertest.Eventually(b, time.Minute, "all sessions to have partitions", func() bool { return in.sessionsAssigned() == sessions })
		steady := in.consumed() + sessions*r.Set.CommitRecords
		if steady > n/2 {
			b.Fatalf("%d of %d records before the measurement: this machine needs more of them", steady, n)
		}
		in.awaitConsumed(b, steady)
		return running{in.consumed(), func(wanted int) int {
			in.awaitConsumed(b, wanted)
			return in.consumed()
		}}
	}
}

// A measurement ends when one record in unmeasured is left: with too little to do, the last
// transaction only waits until it is due.
const unmeasured = 10

// stream measures how long the events take through a pass.
func stream(b *testing.B, open func(testing.TB) brokertest.Cluster, events []*schemas.RawEvent, p pass) {
	var records, read, stateBytes int // records are those of the measurement; read has all
	var allocations uint64
	var took, own, brokers time.Duration
	for b.Loop() {
		b.StopTimer()
		c := open(b)
		r := benchRig(b, c)
		n := load(b, r, events)
		runtime.GC()
		started := p(b, r, n)
		ownBefore, brokersBefore, allocated := proc.OwnCPU(), brokertest.CPU(c), mallocs()
		b.StartTimer()
		began := time.Now()
		reached := started.through(n - n/unmeasured)
		took += time.Since(began)
		b.StopTimer()
		own += proc.OwnCPU() - ownBefore
		brokers += brokertest.CPU(c) - brokersBefore
		allocations += mallocs() - allocated
		records += reached - started.already
		started.through(n)
		read += n
		for _, rec := range r.Read(r.Topics.State) {
			stateBytes += len(rec.Value)
		}
		r.stopAll()
		b.StartTimer()
	}
	perRecord := func(d time.Duration) float64 { return microseconds(d) / float64(records) }
	b.ReportMetric(float64(records)/took.Seconds(), "records/s")
	b.ReportMetric(perRecord(own), "cpu-us/record")
	b.ReportMetric(float64(allocations)/float64(records), "allocs/record")
	b.ReportMetric(float64(stateBytes)/float64(read), "state-B/record")
	if brokers > 0 {
		b.ReportMetric(perRecord(brokers), "broker-us/record")
	}
	reportPossible(b, runtime.GOMAXPROCS(0), perRecord(own+brokers))
}

// reportPossible reports the records per second that the processor time of a record permits on so
// many cores. It depends little on what else the machine does.
func reportPossible(b *testing.B, cores int, perRecord float64) {
	b.ReportMetric(float64(cores)*1e6/perRecord, "possible-records/s")
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// engineAlone runs the engine over decoded events, with the state of each call, on as many cores. The
// calls are divided among the cores, which share nothing but the engine.
func engineAlone(b *testing.B, events []*schemas.RawEvent, cores int) {
	set, err := config.Load(testEnv(b))
	if err != nil {
		b.Fatal(err)
	}
	set.Reading = "fast" // as in the streams beside it
	e, err := set.NewEngine()
	if err != nil {
		b.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	shares := make([][]*schemas.RawEvent, cores)
	for _, ev := range events {
		h := fnv.New32a()
		h.Write([]byte(ev.CallID))
		n := int(h.Sum32() % uint32(cores))
		shares[n] = append(shares[n], ev)
	}
	records, before := 0, proc.OwnCPU()
	for b.Loop() {
		var all sync.WaitGroup
		for _, share := range shares {
			all.Go(func() { applyAll(e, share) })
		}
		all.Wait()
		records += len(events)
	}
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
	perRecord := microseconds(proc.OwnCPU()-before) / float64(records)
	b.ReportMetric(perRecord, "cpu-us/record")
	reportPossible(b, cores, perRecord)
}

func applyAll(e *anonymize.Engine, events []*schemas.RawEvent) {
	open := map[string]*state.Call{}
	for _, ev := range events {
		c := open[ev.CallID]
		if c == nil {
			c = state.NewCall()
			open[ev.CallID] = c
		}
		e.Apply(c, e.Prepare(ev))
		if ev.Type == schemas.End {
			delete(open, ev.CallID)
		}
	}
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// through runs a processor until it has committed n raw records.
func (r *rig) through(b *testing.B, n int) *instance {
	b.Helper()
	in := r.start("a")
	in.awaitConsumed(b, n)
	return in
}

func (in *instance) awaitConsumed(b *testing.B, n int) {
	b.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for in.consumed() < n {
		if time.Now().After(deadline) {
			b.Fatalf("%d of %d records after three minutes", in.consumed(), n)
		}
		time.Sleep(10 * time.Millisecond) // gathering the metrics is not free
	}
}

func (in *instance) consumed() int {
	for _, v := range in.values("sotto_raw_records_total") {
		return int(v)
	}
	return 0
}

// sessionsAssigned returns how many sessions have partitions.
func (in *instance) sessionsAssigned() (sessions int) {
	for _, v := range in.values("sotto_assigned_partitions") {
		if v > 0 {
			sessions++
		}
	}
	return sessions
}

// values returns the values of a counter or gauge, one for each set of labels.
func (in *instance) values(name string) (values []float64) {
	families, err := in.registry.Gather()
	if err != nil {
		return nil
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			values = append(values, m.GetCounter().GetValue()+m.GetGauge().GetValue())
		}
	}
	return values
}

func plainPass(b *testing.B, r *rig, _ int) running {
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...), kgo.ConsumerGroup(r.Group), kgo.ConsumeTopics(r.Topics.Raw),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(200*time.Millisecond))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(cl.Close)
	seen := 0
	return running{0, func(n int) int {
		for seen < n {
			cl.PollRecords(b.Context(), maxPoll).EachRecord(func(rec *kgo.Record) {
				seen++
				cl.Produce(b.Context(), &kgo.Record{Topic: r.Topics.Clean, Key: rec.Key, Value: rec.Value}, nil)
			})
		}
		if err := cl.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
		return seen
	}}
}

func transactPass(b *testing.B, r *rig, _ int) running {
	s, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(r.Cluster.Brokers()...), kgo.ConsumerGroup(r.Group), kgo.ConsumeTopics(r.Topics.Raw),
		kgo.TransactionalID(r.Cluster.Name("pass")), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(200*time.Millisecond))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	seen := 0
	return running{0, func(n int) int {
		for seen < n {
			if err := s.Begin(); err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(b.Context(), 200*time.Millisecond)
			for ctx.Err() == nil && seen < n {
				s.PollRecords(ctx, maxPoll).EachRecord(func(rec *kgo.Record) {
					seen++
					s.Produce(b.Context(), &kgo.Record{Topic: r.Topics.Clean, Key: rec.Key, Value: rec.Value}, nil)
				})
			}
			cancel()
			if ok, err := s.End(b.Context(), kgo.TryCommit); err != nil || !ok {
				b.Fatalf("committed %v, %v", ok, err)
			}
		}
		return seen
	}}
}

// BenchmarkRestore reports the size of the state of an open call, its memory while it is awake and
// while it is dormant, and how many calls are restored per second, from the start of the processor
// until it is ready. This includes joining the group and counting the raw records again.
func BenchmarkRestore(b *testing.B) {
	const calls = 10000
	heapOf(b, benchRig(b, brokertest.Open(b))) // the first engine loads the tables that all share
	idle := heapOf(b, benchRig(b, brokertest.Open(b)))
	r := benchRig(b, brokertest.Open(b))
	r.Set.CallIdleTimeout = 1000 * time.Hour
	r.Set.DormantAfter, r.Set.MaxAwakeCalls = 1000*time.Hour, calls
	n := load(b, r, openCalls(calls))
	in := r.through(b, n)
	running := heap.Live()
	if err := in.stop(); err != nil {
		b.Fatal(err)
	}
	awake := running - heap.Live() - idle
	size, sealed := 0, map[string]int{}
	for _, rec := range r.Read(r.Topics.State) {
		if rec.Value == nil {
			b.Fatal("a call was closed")
		}
		sealed[string(rec.Key)] = len(rec.Value)
	}
	for _, s := range sealed {
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
		restored += len(sealed)
		b.StopTimer()
		if err := in.stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	if len(sealed) == 0 {
		b.Fatal("no call is open")
	}
	b.ReportMetric(float64(size)/float64(len(sealed)), "bytes/call")
	b.ReportMetric(float64(awake)/float64(len(sealed)), "awake-heap-bytes/call")
	b.ReportMetric(float64(held)/float64(len(sealed)), "heap-bytes/call")
	b.ReportMetric(float64(restored)/took.Seconds(), "calls/s")
	b.ReportMetric(0, "ns/op") // only the metrics above are of interest
}

// heapOf returns the heap of a processor that has restored all states, in bytes.
func heapOf(b *testing.B, r *rig) int64 {
	b.Helper()
	before := heap.Live()
	in := r.start("a")
	for in.Ready() != nil {
		time.Sleep(time.Millisecond)
	}
	after := heap.Live()
	if err := in.stop(); err != nil {
		b.Fatal(err)
	}
	return after - before
}
