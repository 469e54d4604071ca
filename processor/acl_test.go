package processor

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/processor/topic"
)

// documentedACLs are the ACLs of the table in docs/security.md, by principal, without those of
// 'sotto review', 'sotto erase' and 'sotto ingest', which their packages test.
func documentedACLs(t *testing.T) map[string][]kfake.ACL {
	t.Helper()
	acls := brokertest.DocumentedACLs(t, "../docs/security.md")
	delete(acls, "review")
	delete(acls, "erase")
	delete(acls, "ingest")
	if who := slices.Sorted(maps.Keys(acls)); !slices.Equal(who, []string{"canary", "corpus", "stream", "topics"}) {
		t.Fatalf("the table has ACLs of %v", who)
	}
	return acls
}

// underACLs creates the topics, runs the stream and sends a canary call through it, each as its own
// user with the given ACLs.
func underACLs(t *testing.T, acls map[string][]kfake.ACL, timeout time.Duration) error {
	t.Helper()
	brokertest.OnlyEmbedded(t)
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "secret")}
	for who, list := range acls {
		opts = append(opts, kfake.User("PLAIN", who, "secret", list...))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := allTopics(t)
	s.Brokers, s.SASLMechanism, s.SASLPassword = c.ListenAddrs(), "plain", "secret"
	return eachAs(t, func(who string) config.Settings {
		s := s
		s.SASLUser = who
		return s
	}, []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.SASL(plainRoot)}, timeout)
}

// allTopics are settings with every topic that the stream can write.
func allTopics(t *testing.T) config.Settings {
	t.Helper()
	env := testEnv(t)
	env["SOTTO_TOPIC_FINAL"], env["SOTTO_TOPIC_INDIRECT"] = "calls.final", "calls.indirect"
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eachAs creates the topics, runs the stream, sends a canary call through it and reads the clean and
// final topics as training data, each with the settings of its own user. root are the options of a
// client that may do everything.
func eachAs(t *testing.T, as func(who string) config.Settings, root []kgo.Opt, timeout time.Duration) error {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), timeout)
	defer stop()
	// By default, the client retries refused requests for a long time.
	soon := kgo.RetryTimeout(2 * time.Second)
	if err := EnsureTopics(ctx, as("topics"), TopicPlan{Partitions: 2, Replication: 1, Review: true}, CreateTopics, func(string) {}, soon); err != nil {
		return fmt.Errorf("topics: %w", err)
	}
	if err := EnsureTopics(ctx, as("topics"), TopicPlan{Partitions: 2, Replication: 1, Raw: time.Hour, Review: true}, ApplyTopics, func(string) {}, soon); err != nil {
		return fmt.Errorf("topics: %w", err)
	}
	stream := as("stream")
	stream.CommitInterval = 20 * time.Millisecond
	stream.AuditRate = "1" // every output topic is written to
	start := func() (stop func()) {
		p, err := New(ctx, stream, WithKafkaOptions(soon), func(p *Processor) { p.grace = 100 * time.Millisecond })
		if err != nil {
			t.Fatal(err)
		}
		running, halt := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { done <- p.Run(running) }()
		return func() { halt(); <-done }
	}
	canary, err := NewCanary(ctx, as("canary"), prometheus.NewRegistry(), slog.New(slog.DiscardHandler), soon)
	if err != nil {
		t.Fatal(err)
	}
	// The second run restores a state.
	for range 2 {
		halt := start()
		err := canary.Once(ctx, timeout)
		halt()
		if err != nil {
			return fmt.Errorf("canary: %w", err)
		}
	}
	defer start()()
	// A dead letter, too.
	cl, err := kgo.NewClient(root...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: stream.TopicRaw, Value: []byte("{")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	cl.AddConsumeTopics(stream.TopicDeadLetter)
	for {
		if fetches := cl.PollFetches(ctx); ctx.Err() != nil {
			return fmt.Errorf("dead letter: %w", ctx.Err())
		} else if fetches.NumRecords() > 0 {
			break
		}
	}
	corpus := as("corpus")
	for _, name := range []string{stream.TopicClean, stream.TopicFinal} {
		ends := 0
		_, err := topic.Read(ctx, &corpus, name, nil, func(e topic.Event) error {
			if e.Call != nil && e.Call.Indirect != nil {
				ends++
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
		if ends == 0 {
			return fmt.Errorf("%s has no END that tells of the graph", name)
		}
	}
	return nil
}

func TestDocumentedACLsAreEnough(t *testing.T) {
	t.Parallel()
	if err := underACLs(t, documentedACLs(t), 30*time.Second); err != nil {
		t.Fatal(err)
	}
}

func TestDocumentedACLsAreAllNeeded(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for outputs that must not come")
	}
	t.Parallel()
	all := documentedACLs(t)
	for _, who := range slices.Sorted(maps.Keys(all)) {
		for i, acl := range all[who] {
			if who == "stream" && acl.Operation == kmsg.ACLOperationDescribeConfigs {
				continue // without it there is a warning
			}
			t.Run(fmt.Sprintf("%s without %s on %s", who, acl.Operation, acl.Name), func(t *testing.T) {
				t.Parallel()
				fewer := maps.Clone(all)
				fewer[who] = slices.Delete(slices.Clone(all[who]), i, i+1)
				if err := underACLs(t, fewer, 3*time.Second); err == nil {
					t.Error("the stream works without this ACL")
				}
			})
		}
	}
}

var plainRoot = plain.Auth{User: "root", Pass: "secret"}.AsMechanism()
