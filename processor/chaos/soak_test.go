package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/loopback"
	"sotto/internal/testkit/streamtest"
)

const (
	// envSoak is how long the soak test runs.
	envSoak = "SOTTO_TEST_SOAK"
	// soakFlat is the drift over the second half of the run that is permitted.
	soakFlat = 0.02
	// soakSettle is how long samples are left out after the machine itself was suspended.
	soakSettle     = 30 * time.Second
	soakPartitions = 6
	soakRate       = 50 // raw records per second
	soakCalls      = 60 // at the same time
)

// TestSoak runs two processes at a steady load on Apache Kafka. One stays for the whole run and is
// sampled; the other one leaves and comes back, so that the group rebalances. Meanwhile the state
// key is rotated and the dictionaries are replaced. Memory, goroutines, file descriptors and latency
// must stay flat, and every utterance must come out once.
func TestSoak(t *testing.T) {
	if os.Getenv(envSoak) == "" {
		t.Skipf("takes long: run `make soak DURATION=10m` or set %s=10m", envSoak)
	}
	run, err := time.ParseDuration(os.Getenv(envSoak))
	if err != nil || run < time.Minute {
		t.Fatalf("%s must be a duration of at least 1m", envSoak)
	}
	s := newSoakRun(t, run)
	if err := s.fleet.StartAll(); err != nil {
		t.Fatal(err)
	}
	s.awaitReady()
	s.start = time.Now()
	ctx, stop := context.WithTimeout(t.Context(), run)
	defer stop()
	var all sync.WaitGroup
	fed := make(chan int, 1)
	all.Go(func() { fed <- s.load.Feed(ctx) })
	reading, stopReading := context.WithCancel(t.Context())
	defer stopReading()
	all.Go(func() { s.load.Read(reading) })
	all.Go(func() { s.sample(ctx) })
	s.disturb(ctx)
	sent := <-fed
	brokertest.Eventually(t, 2*time.Minute, "all utterances to come out", func() bool { return s.load.Received() >= sent })
	stopReading()
	all.Wait()
	if got := s.load.Received(); got != sent {
		t.Errorf("%d utterances came out, %d went in", got, sent)
	}
	if bad := s.load.Disordered(); bad > 0 {
		t.Errorf("%d utterances came out twice or out of order", bad)
	}
	s.judge(sent)
}

// soakRun is the state of a soak test.
type soakRun struct {
	t     *testing.T
	r     *rig
	run   time.Duration
	start time.Time
	fleet *chaosFleet
	load  *streamtest.Load
	http  string // address of the sampled process
	words string // folder of dictionaries
	spool string // folder of files that are about to be put in place
	keys  []string

	// Written by sample.
	heap, goroutines, files, latency soakSeries
	pauses                           int

	mu    sync.Mutex
	marks map[string]int // how often each disturbance happened
}

func newSoakRun(t *testing.T, run time.Duration) *soakRun {
	t.Helper()
	r := newRigOn(t, brokertest.Open(t), soakPartitions)
	s := &soakRun{
		t: t, r: r, run: run, marks: map[string]int{}, words: t.TempDir(), spool: t.TempDir(), http: loopback.FreeAddress(t),
		heap: soakSeries{Name: "live heap", Unit: "MiB"}, goroutines: soakSeries{Name: "goroutines"},
		files: soakSeries{Name: "open files"}, latency: soakSeries{Name: "median latency from append to visible", Unit: "ms"},
	}
	s.rotateKey()
	s.replaceDictionary(0)
	s.fleet = r.fleetWith(2, map[string]string{
		"SOTTO_COMMIT_INTERVAL": "200ms", "SOTTO_CALL_GRACE": "30s", "SOTTO_CALL_DORMANT_AFTER": "2m",
		// A shared machine stalls now and then.
		"SOTTO_KAFKA_SESSION_TIMEOUT": "30s", "SOTTO_KAFKA_TRANSACTION_TIMEOUT": "30s",
		"SOTTO_DICTIONARY_DIR": s.words,
		// The heap of such a small load is collected rarely; the samples need it more often.
		"GOGC": "25",
	}, func(member int) []string {
		if member == 0 {
			return []string{"SOTTO_HTTP_ADDR=" + s.http}
		}
		return nil
	})
	s.load = streamtest.NewLoad(t, r.Cluster, r.Topics, r.Codec, soakRate, soakCalls)
	s.shortenRetention(max(2*time.Minute, run/6))
	return s
}

// shortenRetention makes what is kept for the retention of the topics, the hashes of expired calls
// and the segments of the logs, reach its final size in the first half of the run.
func (s *soakRun) shortenRetention(keep time.Duration) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.r.Cluster.Brokers()...))
	if err != nil {
		s.t.Fatal(err)
	}
	defer cl.Close()
	ms := strconv.FormatInt(keep.Milliseconds(), 10)
	segment := strconv.FormatInt(keep.Milliseconds()/4, 10)
	set := func(topic string, values map[string]string) {
		var alter []kadm.AlterConfig
		for name, value := range values {
			alter = append(alter, kadm.AlterConfig{Op: kadm.SetConfig, Name: name, Value: &value})
		}
		if _, err := kadm.NewClient(cl).AlterTopicConfigs(s.t.Context(), alter, topic); err != nil {
			s.t.Fatal(err)
		}
	}
	set(s.r.Topics.Raw, map[string]string{"retention.ms": ms, "segment.ms": segment})
	set(s.r.Topics.Clean, map[string]string{"retention.ms": ms, "segment.ms": segment})
	set(s.r.Topics.State, map[string]string{"delete.retention.ms": ms, "segment.ms": segment,
		"min.cleanable.dirty.ratio": "0.1", "max.compaction.lag.ms": segment})
}

func (s *soakRun) awaitReady() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	err := brokertest.WaitFor(ctx, "the processes to be ready", func(context.Context) (bool, error) {
		_, err := fetchURL("http://" + s.http + "/readyz")
		return err == nil, err
	})
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.fleet.Tail(0, 20))
	}
}

// rotateKey puts a new key before the old ones, which still open the states that they sealed.
func (s *soakRun) rotateKey() {
	n := len(s.keys) + 1
	s.keys = append([]string{fmt.Sprint(n, " ", streamtest.Key(byte(n)))}, s.keys...)
	s.replace(s.r.KeyFile(), strings.Join(s.keys, "\n")+"\n")
}

// replace puts a new file in the place of an old one at once, as Kubernetes does with a secret.
func (s *soakRun) replace(file, content string) {
	next := filepath.Join(s.spool, filepath.Base(file))
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		s.t.Error(err)
	}
	if err := os.Rename(next, file); err != nil {
		s.t.Error(err)
	}
}

func (s *soakRun) replaceDictionary(n int) {
	s.replace(filepath.Join(s.words, "PRODUCT.dictionary.txt"), fmt.Sprintf("Quantum Kettle %d\n", n))
}

// disturb does to the processes what operators do, again and again until ctx is done.
func (s *soakRun) disturb(ctx context.Context) {
	pause := s.run / 36
	for n := 1; ; n++ {
		if wait(ctx, pause) != nil {
			return
		}
		s.mark("key rotation")
		s.rotateKey()
		if wait(ctx, pause) != nil {
			return
		}
		s.mark("reload")
		s.replaceDictionary(n)
		if wait(ctx, pause) != nil {
			return
		}
		s.mark("rebalance")
		if err := s.leaveAndReturn(ctx); err != nil {
			if ctx.Err() == nil {
				s.t.Error(err)
			}
			return
		}
	}
}

func (s *soakRun) leaveAndReturn(ctx context.Context) error {
	stopping, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := s.fleet.AwaitOutputOf(stopping, 1, startedLine); err != nil {
		return err
	}
	if err := s.fleet.Terminate(stopping, 1); err != nil {
		return err
	}
	if err := wait(ctx, 2*time.Second); err != nil {
		return err
	}
	return s.fleet.Start(1)
}

func (s *soakRun) mark(kind string) {
	s.mu.Lock()
	s.marks[kind]++
	s.mu.Unlock()
}

// sample takes samples until ctx is done. A gap between two samples means that the whole machine, or
// everything in this test, was suspended; what follows is not a steady load.
func (s *soakRun) sample(ctx context.Context) {
	interval := min(5*time.Second, s.run/240)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var settled time.Time
	for before := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		if now.Sub(before) > 3*interval {
			s.pauses++
			settled = now.Add(soakSettle)
		}
		before = now
		took := s.load.TakeLatencies()
		if now.Before(settled) {
			continue
		}
		at := now.Sub(s.start)
		if len(took) > 0 {
			s.latency.Samples = append(s.latency.Samples, soakSample{At: at, Value: float64(took[len(took)/2].Microseconds()) / 1000})
		}
		s.scrape(at)
	}
}

func (s *soakRun) scrape(at time.Duration) {
	body, err := fetchURL("http://" + s.http + "/metrics")
	if err != nil {
		s.t.Errorf("the sampled process does not answer: %v", err)
		return
	}
	for _, of := range []struct {
		metric string
		series *soakSeries
		unit   float64
	}{
		{"go_gc_heap_live_bytes", &s.heap, 1 << 20}, {"go_goroutines", &s.goroutines, 1}, {"process_open_fds", &s.files, 1},
	} {
		if v, ok := gauge(body, of.metric); ok {
			of.series.Samples = append(of.series.Samples, soakSample{At: at, Value: v / of.unit})
		}
	}
}

// judge fails the test if something did not stay flat.
func (s *soakRun) judge(sent int) {
	all := []soakSeries{s.heap, s.goroutines, s.files, s.latency}
	s.t.Logf("%d utterances in %v; %v; the machine was suspended %d times", sent, s.run, s.marks, s.pauses)
	for i := range all {
		d, err := all[i].Drift(s.run)
		switch {
		case err != nil:
			s.t.Error(err)
		case !d.Flat(soakFlat):
			s.t.Errorf("%s did not stay flat: %v", all[i].Name, d)
		default:
			s.t.Logf("%s: %v", all[i].Name, d)
		}
	}
	if v, ok := gauge(s.finalMetrics(), "sotto_reload_errors_total"); !ok || v > 0 {
		s.t.Errorf("%v reloads failed", v)
	}
}

func (s *soakRun) finalMetrics() string {
	body, err := fetchURL("http://" + s.http + "/metrics")
	if err != nil {
		s.t.Error(err)
	}
	return body
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
