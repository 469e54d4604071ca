// Package brokertest provides Kafka clusters for tests: the embedded broker, a real
// Apache Kafka started on loopback, or an existing cluster. It also has helpers for
// tests of a stream: create the topics, produce, read a topic to its end, wait for
// a condition.
//
// The environment chooses the cluster, so that one suite runs on all:
//
//	SOTTO_TEST_BROKER=kfake   the embedded broker (default)
//	SOTTO_TEST_BROKER=kafka   Apache Kafka, fetched by hack/kafka/fetch
//	KAFKA_BROKERS=host:port,...   that cluster, without TLS or SASL; takes precedence
//
// A test fails if the requested cluster is not available. Only tests that need a
// broker that was not requested are skipped.
package brokertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

const (
	// EnvBroker names the environment variable that chooses the cluster.
	EnvBroker = "SOTTO_TEST_BROKER"
	// EnvBrokers names the environment variable with the addresses of an existing
	// cluster.
	EnvBrokers = "KAFKA_BROKERS"
)

// Cluster is a Kafka cluster as tests use it. It is safe for concurrent use.
type Cluster interface {
	// Brokers are the addresses to start from, "host:port".
	Brokers() []string
	// Name returns a unique name for a topic, a group or a transactional ID.
	Name(base string) string
	// Close removes the topics and groups whose names Name made and releases the
	// cluster.
	Close() error
}

const cleanupTimeout = 30 * time.Second

// Open returns the cluster that the environment chooses and closes it at the
// end of the test. Tests of one package share one Apache Kafka; see Main.
func Open(t testing.TB) Cluster {
	t.Helper()
	c, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	closeAfter(t, c)
	return c
}

func closeAfter(t testing.TB, c Cluster) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing the cluster: %v", err)
		}
	})
}

func open(ctx context.Context) (Cluster, error) {
	if addrs := external(); addrs != nil {
		return newRemote(addrs, nil), nil
	}
	switch kind := os.Getenv(EnvBroker); kind {
	case "", "kfake":
		return StartKfake()
	case "kafka":
		k, err := sharedKafka.get(ctx)
		if err != nil {
			return nil, err
		}
		return newRemote(k.Brokers(), k), nil
	default:
		return nil, fmt.Errorf("%s=%s: use kfake or kafka", EnvBroker, kind)
	}
}

func external() []string {
	var addrs []string
	for a := range strings.SplitSeq(os.Getenv(EnvBrokers), ",") {
		if a = strings.TrimSpace(a); a != "" {
			addrs = append(addrs, a)
		}
	}
	return addrs
}

// OpenKafka starts an Apache Kafka for this test alone, which may kill it, and
// closes it at the end. The test is skipped unless SOTTO_TEST_BROKER=kafka.
func OpenKafka(t testing.TB, o KafkaOptions) *Kafka {
	t.Helper()
	if external() != nil {
		t.Skipf("needs an Apache Kafka of its own: unset %s", EnvBrokers)
	}
	return openOwn(t, o, StartKafka)
}

func openOwn[C ownCluster](t testing.TB, o KafkaOptions, start func(context.Context, KafkaOptions) (C, error)) C {
	t.Helper()
	if os.Getenv(EnvBroker) != "kafka" {
		t.Skipf("needs Apache Kafka: run `make test-kafka` or set %s=kafka", EnvBroker)
	}
	c, err := start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	closeAfter(t, c)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the logs of Apache Kafka:\n%s", c.logs())
		}
	})
	return c
}

// OnlyEmbedded skips a test with an embedded broker of its own where the tests run on another one: there, it would
// repeat what `make test` runs.
func OnlyEmbedded(t testing.TB) {
	t.Helper()
	if kind := os.Getenv(EnvBroker); external() != nil || kind != "" && kind != "kfake" {
		t.Skip("it has an embedded broker: make test runs it")
	}
}

type names string

func newNames() names { return names("sotto-test-" + strings.ToLower(rand.Text()[:12]) + "-") }

// Name implements Cluster.
func (n names) Name(base string) string { return string(n) + base }

func (n names) made(name string) bool { return strings.HasPrefix(name, string(n)) }

// CPU is the processor time that the brokers of a cluster have used so far, 0 if they are not
// processes of ours.
func CPU(c Cluster) time.Duration {
	switch c := c.(type) {
	case *remote:
		if c.owner != nil {
			return CPU(c.owner)
		}
	case *Kafka:
		return c.process().CPU()
	case *ReplicatedKafka:
		var sum time.Duration
		for _, k := range c.Nodes {
			sum += CPU(k)
		}
		return sum
	}
	return 0
}

// shared is one Apache Kafka for all tests of a package.
type shared struct {
	mu    sync.Mutex
	kafka *Kafka
}

var sharedKafka shared

// Main is for the TestMain of a package that calls Open. It runs the tests, which have one Apache Kafka
// together, stops it, calls ends, and exits.
func Main(m *testing.M, ends ...func() error) {
	code := m.Run()
	for _, end := range append(ends, sharedKafka.stop) {
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, "ending a server of the tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func (s *shared) get(ctx context.Context) (*Kafka, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kafka == nil {
		var err error
		if s.kafka, err = StartKafka(ctx, KafkaOptions{}); err != nil {
			return nil, err
		}
	}
	k := s.kafka
	if k.proc.Running() {
		return k, nil
	}
	// It has ended by itself. Report that here rather than in every later test.
	s.kafka = nil
	return nil, errors.Join(fmt.Errorf("the shared Apache Kafka has ended:\n%s", k.LogTail(30)), k.Close())
}

func (s *shared) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kafka == nil {
		return nil
	}
	return s.kafka.Close()
}

// minSessionTimeout is the shortest session timeout that our brokers accept, so that tests of
// failing group members are fast.
const minSessionTimeout = time.Second

// Kfake is the embedded broker as a Cluster. The embedded type injects faults.
type Kfake struct {
	names
	*kfake.Cluster
}

// StartKfake starts an embedded cluster of three nodes; opts are applied after our own options. The
// caller must close it, or use Open instead.
func StartKfake(opts ...kfake.Opt) (*Kfake, error) {
	own := []kfake.Opt{kfake.NumBrokers(3), kfake.GroupMinSessionTimeout(minSessionTimeout)}
	c, err := kfake.NewCluster(append(own, opts...)...)
	if err != nil {
		return nil, err
	}
	return &Kfake{newNames(), c}, nil
}

// Brokers implements Cluster.
func (k *Kfake) Brokers() []string { return k.ListenAddrs() }

// Close implements Cluster. It discards all records.
func (k *Kfake) Close() error {
	k.Cluster.Close()
	return nil
}
