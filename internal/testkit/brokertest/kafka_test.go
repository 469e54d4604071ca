package brokertest

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestKafkaHasCurrentTransactions(t *testing.T) {
	k := OpenKafka(t, KafkaOptions{})
	levels := must[map[string]int16](t)(features(deadline(t, 10*time.Second), k))
	t.Logf("features: %v", levels)
	if levels["transaction.version"] < 2 {
		t.Errorf("transaction.version is %d, want 2 or later", levels["transaction.version"])
	}
}

// TestKafkaRecovers kills the broker several times while transactions are written. What was
// committed must be there once, in order, and nothing else.
func TestKafkaRecovers(t *testing.T) {
	const kills = 3
	k := OpenKafka(t, KafkaOptions{SeparateController: true})
	ctx := deadline(t, 3*time.Minute)
	topic := k.Name("crash")
	if err := CreateTopic(ctx, k, topic, 2, nil); err != nil {
		t.Fatal(err)
	}
	stop, stopped := context.WithCancel(ctx)
	committed := make(chan []string, 1)
	var commits atomic.Int64
	go func() { committed <- writeUntil(stop, ctx, k, topic, &commits) }()

	for i := range kills {
		before := commits.Load()
		Eventually(t, 30*time.Second, "a commit", func() bool { return commits.Load() > before })
		addr := k.Addr()
		if err := k.Kill(); err != nil {
			t.Error(err)
		}
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			t.Error("the killed broker still answers")
		}
		start := time.Now()
		if err := k.Restart(ctx); err != nil {
			t.Fatal(err)
		}
		t.Logf("kill %d: serving again after %v", i+1, time.Since(start).Round(time.Millisecond))
		if k.Addr() != addr {
			t.Errorf("the address has changed from %s to %s", addr, k.Addr())
		}
	}
	stopped()
	want := <-committed
	var got []string
	for _, r := range must[[]*kgo.Record](t)(ReadAll(ctx, k, topic, Committed)) {
		got = append(got, string(r.Value))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("read %d records, committed %d", len(got), len(want))
	}
}

// writeUntil commits one small transaction after the other until stop ends, and returns the values
// of those that were committed. If the outcome of a transaction is unknown, it restarts the
// producer and reads the topic. It adds the transactions that were committed to commits.
func writeUntil(stop, ctx context.Context, k *Kafka, topic string, commits *atomic.Int64) []string {
	var committed []string
	for n := 0; stop.Err() == nil; n++ {
		cl, err := kgo.NewClient(
			kgo.SeedBrokers(k.Brokers()...),
			kgo.TransactionalID(k.Name("writer")),
			kgo.TransactionTimeout(10*time.Second),
		)
		if err != nil {
			return nil
		}
		for i := 0; stop.Err() == nil; i++ {
			name := fmt.Sprintf("t%d.%d", n, i)
			err := transact(ctx, cl, topic, name, 5, kgo.TryCommit)
			if err != nil && !landed(ctx, k, topic, name) {
				break
			}
			for j := range 5 {
				committed = append(committed, fmt.Sprintf("%s-%d", name, j))
			}
			commits.Add(1)
			if err != nil {
				break
			}
		}
		cl.Close()
	}
	return committed
}

func landed(ctx context.Context, k *Kafka, topic, name string) bool {
	records, err := ReadAll(ctx, k, topic, Committed)
	return err == nil && slices.ContainsFunc(records, func(r *kgo.Record) bool {
		return strings.HasPrefix(string(r.Value), name+"-")
	})
}

func TestKafkaStopsAndRestarts(t *testing.T) {
	k := OpenKafka(t, KafkaOptions{})
	ctx := deadline(t, time.Minute)
	topic := k.Name("kept")
	if err := CreateTopic(ctx, k, topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := Produce(ctx, k, &kgo.Record{Topic: topic, Value: []byte("v")}); err != nil {
		t.Fatal(err)
	}
	if err := k.Stop(); err != nil {
		t.Fatal(err)
	}
	if k.process().Running() {
		t.Error("the broker is running after Stop")
	}
	if err := k.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if got := values(t, k, topic, Committed); len(got) != 1 {
		t.Errorf("got %d records, want 1", len(got))
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(k.dir); !os.IsNotExist(err) {
		t.Errorf("the broker's folder is still there: %v", err)
	}
}

func TestKafkaPauses(t *testing.T) {
	k := OpenKafka(t, KafkaOptions{})
	if !answers(t, k, 10*time.Second) {
		t.Fatal("the broker does not answer")
	}
	if err := k.Pause(); err != nil {
		t.Fatal(err)
	}
	if answers(t, k, 500*time.Millisecond) {
		t.Error("the paused broker answers")
	}
	if err := k.Resume(); err != nil {
		t.Fatal(err)
	}
	if !answers(t, k, 10*time.Second) {
		t.Error("the broker does not answer after the pause")
	}
}

// answers sends a request without the client: the kernel accepts connections for a paused process,
// and the client would wait ten seconds on a new one.
func answers(t *testing.T, k *Kafka, within time.Duration) bool {
	t.Helper()
	conn, err := net.Dial("tcp", k.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req := kmsg.NewRequestFormatter().AppendRequest(nil, kmsg.NewPtrApiVersionsRequest(), 1)
	if _, err := conn.Write(req); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	_, err = conn.Read(make([]byte, 1))
	return err == nil
}

func TestKafkaShowsItsLogWhenItCannotStart(t *testing.T) {
	if os.Getenv(EnvBroker) != "kafka" {
		t.Skip("needs Apache Kafka")
	}
	k, err := StartKafka(deadline(t, time.Minute), KafkaOptions{Config: map[string]string{"num.io.threads": "none"}})
	if err == nil {
		k.Close()
		t.Fatal("the broker started")
	}
	if !strings.Contains(err.Error(), "num.io.threads") {
		t.Errorf("the error does not name the cause: %v", err)
	}
}

func TestConfigurationCanBeOverridden(t *testing.T) {
	got := string(properties(singleNode(brokerAndController, ports{20001, 20002, 20003}), "/d", true, map[string]string{"num.io.threads": "3", "node.id": "7"}))
	for _, line := range []string{"num.io.threads=3\n", "node.id=7\n", "controller.quorum.voters=1@127.0.0.1:20002\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("missing %q", line)
		}
	}
}

func TestFreePortsDiffer(t *testing.T) {
	p, err := freePorts()
	if err != nil {
		t.Fatal(err)
	}
	if p.broker == p.controller || min(p.broker, p.controller) < firstPort || max(p.broker, p.controller) > lastPort {
		t.Errorf("ports are %+v", p)
	}
}

// features returns the levels of the cluster's finalized features, for example
// "transaction.version": 2. An embedded broker need not have any.
func features(ctx context.Context, c Cluster) (map[string]int16, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...))
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName = "sotto-test"
	req.ClientSoftwareVersion = "1"
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return nil, fmt.Errorf("asking for the features: %w", err)
	}
	levels := make(map[string]int16, len(resp.FinalizedFeatures))
	for _, f := range resp.FinalizedFeatures {
		levels[f.Name] = f.MaxVersionLevel
	}
	return levels, nil
}
