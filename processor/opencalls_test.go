package processor

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest/proc"
	"sotto/processor/partition"
	"sotto/state/sealing"
)

// envOpenCalls is the number of calls of BenchmarkOpenCalls, which is skipped without it.
const envOpenCalls = "SOTTO_TEST_OPEN_CALLS"

const (
	openCallsPartitions = 64
	// openCallsMemory is the memory limit of the process, of which GOMEMLIMIT is nine tenths, as in
	// the chart.
	openCallsMemory = 3 << 29
	// openCallsModels is how many different calls there are. The others are copies of their states
	// under other IDs.
	openCallsModels = 2000
)

// BenchmarkOpenCalls starts `sotto run` with two threads and so many open calls and reports the time
// until it is ready, its processor time until then, and its memory then and at the peak. The calls
// are at their end, when their states are largest. Afterwards it wakes some of them.
//
// make bench-calls runs it with a million.
func BenchmarkOpenCalls(b *testing.B) {
	calls, err := strconv.Atoi(os.Getenv(envOpenCalls))
	if err != nil {
		b.Skipf("set %s to the number of calls", envOpenCalls)
	}
	r := newRig(b, openCallsPartitions)
	r.Set.CallIdleTimeout = 1000 * time.Hour
	r.through(b, load(b, r, openCalls(openCallsModels)))
	r.stopAll()
	bytes := r.multiplyStates(calls)
	program, err := proc.Build(b.Context(), "sotto/cmd/sotto-stream", b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	var took, cpu time.Duration
	var ready, peak, woken float64
	for b.Loop() {
		s := r.serve(b, program)
		s.await(b, "sotto_dormant_calls", float64(calls))
		took, cpu = took+time.Since(s.began), cpu+s.processorTime(b)
		ready, peak = s.memory(b, "VmRSS"), s.memory(b, "VmHWM")
		b.StopTimer()
		s.wakeSome(b, r)
		woken = s.memory(b, "VmHWM")
		s.stop(b)
		b.StartTimer()
	}
	n := float64(b.N)
	b.ReportMetric(float64(bytes)/float64(calls), "sealed-bytes/call")
	b.ReportMetric(took.Seconds()/n, "s-restore")
	b.ReportMetric(cpu.Seconds()/n, "cpu-s-restore")
	b.ReportMetric(ready/(1<<20), "MiB-ready")
	b.ReportMetric(peak/(1<<20), "MiB-peak-restore")
	b.ReportMetric(woken/(1<<20), "MiB-peak-woken")
	b.ReportMetric(0, "ns/op") // only the metrics above are of interest
}

// multiplyStates copies the states of the open calls under other IDs until there are n calls, and
// commits that number with the offsets. It returns the size of all states.
func (r *rig) multiplyStates(n int) (bytes int) {
	r.T.Helper()
	keys, err := sealing.LoadKeyring(r.KeyFile())
	if err != nil {
		r.T.Fatal(err)
	}
	models := map[string]*kgo.Record{}
	for _, rec := range r.Read(r.Topics.State) {
		models[string(rec.Key)] = rec
	}
	perPartition := map[int32]int{}
	for _, rec := range models {
		perPartition[rec.Partition]++
		bytes += len(rec.Value)
	}
	ids := slices.Sorted(maps.Keys(models))
	bodies := make([][]byte, len(ids))
	for i, id := range ids {
		if bodies[i], err = keys.Open(id, models[id].Value); err != nil {
			r.T.Fatal(err)
		}
	}
	var batch []*kgo.Record
	for i := len(ids); i < n; i++ {
		id, model := fmt.Sprintf("%s-%023d", "copy-of-call", i), models[ids[i%len(ids)]]
		sealer, err := keys.Sealer(id)
		if err != nil {
			r.T.Fatal(err)
		}
		sealed := sealer.Seal(nil, bodies[i%len(ids)])
		perPartition[model.Partition]++
		bytes += len(sealed)
		batch = append(batch, &kgo.Record{Topic: r.Topics.State, Partition: model.Partition, Key: []byte(id), Value: sealed})
		if len(batch) == 10_000 || i == n-1 {
			r.Feed(batch...)
			batch = batch[:0]
		}
	}
	committed, err := r.admin().FetchOffsets(r.T.Context(), r.Group)
	if err != nil {
		r.T.Fatal(err)
	}
	offsets := kadm.Offsets{}
	committed.Each(func(o kadm.OffsetResponse) {
		at := partition.ParseCheckpoint(&o.Metadata)
		at.Calls = perPartition[o.Partition]
		offsets.Add(kadm.Offset{Topic: o.Topic, Partition: o.Partition, At: o.At, LeaderEpoch: o.LeaderEpoch, Metadata: at.String()})
	})
	r.commit(r.Group, offsets)
	return bytes
}

// served is a process of `sotto run`.
type served struct {
	*proc.Process
	addr  string
	began time.Time
}

// serve starts `sotto run`.
func (r *rig) serve(b *testing.B, program string) *served {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	s := &served{addr: addr, began: time.Now()}
	s.Process, err = proc.Start(proc.Command{Name: "sotto", Path: program, Args: []string{"run"}, LogDir: b.TempDir(), Env: append(r.Topics.Env(),
		"GOMAXPROCS=2", fmt.Sprint("GOMEMLIMIT=", openCallsMemory/10*9), "SOTTO_HTTP_ADDR="+addr,
		"SOTTO_KAFKA_BROKERS="+strings.Join(r.Cluster.Brokers(), ","), "SOTTO_KAFKA_GROUP="+r.Group,
		"SOTTO_STATE_KEY_FILE="+r.KeyFile(), "SOTTO_CODEC=json", "SOTTO_TENANTS=north,south,east,west",
		"SOTTO_MAX_OPEN_CALLS=1000000", "SOTTO_CALL_IDLE_TIMEOUT=1000h", "SOTTO_CALL_DORMANT_AFTER=1s")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Kill() })
	return s
}

// metric returns the sum of a metric over its labels.
func (s *served) metric(name string) (sum float64) {
	resp, err := http.Get("http://" + s.addr + "/metrics")
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok && (rest[0] == ' ' || rest[0] == '{') {
			v, _ := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
			sum += v
		}
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return sum
}

// await waits until the process is ready and a metric has a value.
func (s *served) await(b *testing.B, metric string, value float64) {
	b.Helper()
	for until := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if resp, err := http.Get("http://" + s.addr + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK && s.metric(metric) == value {
				return
			}
		}
		if !s.Running() || time.Now().After(until) {
			b.Fatalf("%s is %v, want %v\n%s", metric, s.metric(metric), value, s.Tail(10))
		}
	}
}

// memory returns a field of the status of the process in bytes: VmRSS or VmHWM.
func (s *served) memory(b *testing.B, field string) float64 {
	b.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.PID()), "status"))
	if err != nil {
		b.Skip("the memory of a process is read from /proc, which only Linux has")
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == field+":" {
			kib, _ := strconv.ParseFloat(f[1], 64)
			return kib * 1024
		}
	}
	b.Fatalf("the status has no %s", field)
	return 0
}

// processorTime returns the processor time of the process so far.
func (s *served) processorTime(b *testing.B) time.Duration {
	b.Helper()
	return time.Duration(s.metric("process_cpu_seconds_total") * float64(time.Second))
}

// wakeSome feeds an event to some of the calls, and waits until they are dormant again.
func (s *served) wakeSome(b *testing.B, r *rig) {
	b.Helper()
	const calls = 20_000
	var recs []*kgo.Record
	for _, rec := range r.Read(r.Topics.State) {
		if len(recs) < calls {
			recs = append(recs, r.Raw(rec.Partition, utterance(string(rec.Key), 1000, "x", "this is Rosa Lindqvist speaking")))
		}
	}
	before := s.metric("sotto_raw_records_total")
	r.Feed(recs...)
	s.await(b, "sotto_raw_records_total", before+float64(len(recs)))
}

// stop asks the process to finish.
func (s *served) stop(b *testing.B) {
	b.Helper()
	if err := s.Terminate(); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if status, err := s.Wait(ctx); err != nil || status != 0 {
		b.Fatalf("status %d, %v\n%s", status, err, s.Tail(10))
	}
}
