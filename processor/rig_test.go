package processor

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	"sotto/schemas"
)

// rig is a cluster with the five topics, and processors on it that the test can kill.
type rig struct {
	t       testing.TB
	cluster brokertest.Cluster
	topics  brokertest.Topics
	group   string
	dir     string
	set     config.Settings
	codec   *schemas.Codec
	log     syncBuffer

	mu      sync.Mutex
	running []*instance
}

// syncBuffer collects the log, so that tests can search it for leaks.
type syncBuffer struct {
	mu   sync.Mutex
	data []byte
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p...)
	return len(p), nil
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.data)
}

func newRig(t testing.TB, partitions int32) *rig {
	t.Helper()
	return newRigOn(t, brokertest.Open(t), partitions)
}

func newRigOn(t testing.TB, c brokertest.Cluster, partitions int32) *rig {
	t.Helper()
	topics, err := brokertest.CreateTopics(t.Context(), c, partitions)
	if err != nil {
		t.Fatal(err)
	}
	return newRigWith(t, c, topics, c.Name("group"))
}

// newRigWith is a rig with topics that are created elsewhere.
func newRigWith(t testing.TB, c brokertest.Cluster, topics brokertest.Topics, group string) *rig {
	t.Helper()
	r := &rig{t: t, cluster: c, topics: topics, group: group, dir: t.TempDir()}
	r.writeKeys("1 " + testKey(1))
	var err error
	if r.codec, err = schemas.NewCodec(t.Context(), schemas.Options{Format: schemas.FormatJSON}); err != nil {
		t.Fatal(err)
	}
	r.set = streamtest.Settings(t, c, topics, group, r.keyFile())
	t.Cleanup(func() { r.stopAll() })
	return r
}

// keepFinals creates the topic of final versions and enables it.
func (r *rig) keepFinals(partitions int32) {
	r.t.Helper()
	r.set.TopicFinal = streamtest.FinalTopic(r.t, r.cluster, partitions)
}

// keepGraph creates the topic of the graphs of indirect identifiers and enables it.
func (r *rig) keepGraph(partitions int32) {
	r.t.Helper()
	r.set.TopicIndirect = streamtest.GraphTopic(r.t, r.cluster, partitions)
}

// testEnv is the smallest environment with which Sotto starts.
func testEnv(t testing.TB) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state.key")
	if err := os.WriteFile(file, []byte(testKey(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"SOTTO_STATE_KEY_FILE": file}
}

// What the tests of the stream's programs use, too.
var (
	testKey   = streamtest.Key
	utterance = streamtest.Utterance
	ended     = streamtest.Ended
	byCall    = streamtest.ByCall
	compare   = streamtest.Compare
)

func (r *rig) keyFile() string { return filepath.Join(r.dir, "state.key") }

func (r *rig) writeKeys(lines string) {
	if err := os.WriteFile(r.keyFile(), []byte(lines+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// instance is one running processor.
type instance struct {
	*Processor
	wire   wire
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of Run, valid once done is closed
}

// start runs a processor under the name of an instance; change may alter its settings and the
// processor itself.
func (r *rig) start(name string, change ...func(*Processor)) *instance {
	r.t.Helper()
	set := r.set
	set.TransactionalID = r.cluster.Name("txn-" + name)
	in := &instance{done: make(chan struct{})}
	p, err := New(r.t.Context(), set,
		WithLogger(slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		WithKafkaOptions(kgo.Dialer(in.wire.dial)), func(p *Processor) { p.grace = 3 * time.Second },
		func(p *Processor) {
			for _, c := range change {
				c(p)
			}
		})
	if err != nil {
		r.t.Fatal(err)
	}
	in.Processor = p
	ctx, cancel := context.WithCancel(context.Background())
	in.cancel = cancel
	go func() {
		defer close(in.done)
		in.err = p.Run(ctx)
	}()
	r.mu.Lock()
	r.running = append(r.running, in)
	r.mu.Unlock()
	return in
}

// stop asks an instance to finish and waits for it.
func (in *instance) stop() error {
	in.cancel()
	<-in.done
	return in.err
}

// kill cuts an instance off, so that it is dead for everybody else from one moment to the next: it
// finishes nothing and sends no LeaveGroup.
func (in *instance) kill() {
	in.wire.cut()
	in.cancel()
}

func (r *rig) stopAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range r.running {
		in.cancel()
	}
	for _, in := range r.running {
		<-in.done
	}
	r.running = nil
}

// wire is the only connection of an instance to the brokers.
type wire struct {
	mu     sync.Mutex
	dead   bool
	frozen atomic.Bool
	conns  []net.Conn
}

// frozenConn is a connection to a broker that may be frozen: it accepts connections
// and requests, and answers nothing.
type frozenConn struct {
	net.Conn
	frozen *atomic.Bool
}

func (c frozenConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.frozen.Load() {
			return n, err
		}
	}
}

// freeze stops all answers until thaw. The connections of that time are useless
// afterwards.
func (w *wire) freeze() { w.frozen.Store(true) }

func (w *wire) thaw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
	w.frozen.Store(false)
}

var errCut = errors.New("the wire is cut")

func (w *wire) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return nil, errCut
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err == nil {
		c = frozenConn{c, &w.frozen}
		w.conns = append(w.conns, c)
	}
	return c, err
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	for _, c := range w.conns {
		c.Close()
	}
}

// raw returns a record for the raw topic.
func (r *rig) raw(partition int32, e *schemas.RawEvent) *kgo.Record {
	return streamtest.Raw(r.t, r.codec, r.topics.Raw, partition, e)
}

// feed produces records to the partitions that they name.
func (r *rig) feed(recs ...*kgo.Record) {
	r.t.Helper()
	streamtest.Feed(r.t, r.cluster, recs...)
}

// read returns the committed records of a topic, without claims.
func (r *rig) read(topic string) []*kgo.Record {
	r.t.Helper()
	recs := streamtest.Read(r.t, r.cluster, topic)
	if topic == r.set.TopicState {
		recs = streamtest.States(recs)
	}
	return recs
}

// await waits until n records are committed to a topic and returns them.
func (r *rig) await(topic string, n int) []*kgo.Record {
	r.t.Helper()
	var recs []*kgo.Record
	deadline := time.Now().Add(60 * time.Second)
	for {
		if recs = r.read(topic); len(recs) >= n {
			return recs
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("%s has %d records after a minute, want %d", topic, len(recs), n)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// checkHeaders checks the headers of all that was written.
func (r *rig) checkHeaders() {
	r.t.Helper()
	for _, topic := range []string{r.topics.Clean, r.topics.Audit, r.set.TopicFinal} {
		if topic != "" {
			streamtest.CheckHeaders(r.t, r.codec, r.read(topic))
		}
	}
	for _, topic := range []string{r.topics.DeadLetter, r.topics.State} {
		for _, rec := range r.read(topic) {
			if i := slices.IndexFunc(rec.Headers, func(h kgo.RecordHeader) bool { return h.Key != "traceparent" }); i >= 0 {
				r.t.Errorf("a record of %s has the header %q", topic, rec.Headers[i].Key)
			}
		}
	}
}

func (r *rig) clean(recs []*kgo.Record) []*schemas.CleanEvent {
	r.t.Helper()
	return streamtest.Clean(r.t, r.codec, recs)
}

func (r *rig) deadLetters() []*schemas.DeadLetter {
	r.t.Helper()
	var all []*schemas.DeadLetter
	for _, rec := range r.read(r.topics.DeadLetter) {
		d, err := r.codec.DecodeDeadLetter(rec.Value)
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}
