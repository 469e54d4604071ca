package processor

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
)

// rig is a cluster with the five topics, and processors on it that the test can kill.
type rig struct {
	streamtest.Rig
	log syncBuffer

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
	return stopped(&rig{Rig: streamtest.NewRig(t, c, partitions)})
}

// newRigWith is a rig with topics that are created elsewhere.
func newRigWith(t testing.TB, c brokertest.Cluster, topics brokertest.Topics, group string) *rig {
	t.Helper()
	return stopped(&rig{Rig: streamtest.RigWith(t, c, topics, group)})
}

// stopped is a rig whose processors stop at the end of the test.
func stopped(r *rig) *rig {
	r.T.Cleanup(r.stopAll)
	return r
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
	r.T.Helper()
	set := r.Set
	set.TransactionalID = r.Cluster.Name("txn-" + name)
	in := &instance{done: make(chan struct{})}
	p, err := New(r.T.Context(), set,
		WithLogger(slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		WithKafkaOptions(kgo.Dialer(in.wire.dial)), func(p *Processor) { p.grace = 3 * time.Second },
		func(p *Processor) {
			for _, c := range change {
				c(p)
			}
		})
	if err != nil {
		r.T.Fatal(err)
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
