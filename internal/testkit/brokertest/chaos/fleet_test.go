package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

func TestMain(m *testing.M) {
	if os.Getenv("COPIER_BROKERS") != "" {
		runCopier()
		os.Exit(0)
	}
	brokertest.Main(m)
}

// copierReady is the line that a copier writes once it handles SIGTERM.
const copierReady = "copier ready"

// runCopier stands for the processor: it copies raw events to clean ones, exactly once, and masks
// each text with a number that is in the text itself. After an error it retries with a new session,
// until SIGTERM.
func runCopier() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Println(copierReady)
	for ctx.Err() == nil {
		if err := copySession(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			_ = sleep(ctx, 200*time.Millisecond)
		}
	}
}

func copySession(ctx context.Context) error {
	id := os.Getenv("COPIER_ID")
	if err := abortPredecessor(ctx, os.Getenv("COPIER_GROUP")+id); err != nil {
		return err
	}
	s, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(strings.Split(os.Getenv("COPIER_BROKERS"), ",")...),
		kgo.ConsumeTopics(os.Getenv("SOTTO_TOPIC_RAW")),
		kgo.ConsumerGroup(os.Getenv("COPIER_GROUP")),
		kgo.InstanceID(id),
		// The first fetch may cover an idle partition alone; the others wait for it.
		kgo.FetchMaxWait(200*time.Millisecond),
		kgo.TransactionalID(os.Getenv("COPIER_GROUP")+id),
		kgo.TransactionTimeout(10*time.Second),
		kgo.SessionTimeout(6*time.Second),
		kgo.HeartbeatInterval(500*time.Millisecond),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	if err != nil {
		return err
	}
	defer s.Close()
	for ctx.Err() == nil {
		fetches := s.PollRecords(ctx, 50)
		if err := s.Begin(); err != nil {
			return err
		}
		var failed kgo.FirstErrPromise
		fetches.EachRecord(func(r *kgo.Record) {
			s.Produce(ctx, copied(r), failed.Promise())
		})
		// Without this check, a failure that only the flush in End reveals would be committed.
		flushed := s.Client().Flush(context.Background())
		try := kgo.TransactionEndTry(flushed == nil && failed.Err() == nil && fetches.Err() == nil)
		if _, err := s.End(context.Background(), try); err != nil {
			return err
		}
	}
	return nil
}

// abortPredecessor ends the transaction that a killed predecessor has left open, before joining the
// group. A session does so only before it produces its first record, but no record comes while the
// offsets of the group wait for that transaction.
func abortPredecessor(ctx context.Context, id string) error {
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(os.Getenv("COPIER_BROKERS"), ",")...),
		kgo.TransactionalID(id),
		kgo.TransactionTimeout(10*time.Second),
	)
	if err != nil {
		return err
	}
	defer cl.Close()
	_, _, err = cl.ProducerID(ctx)
	return err
}

func copied(r *kgo.Record) *kgo.Record {
	var raw schemas.RawEvent
	if json.Unmarshal(r.Value, &raw) != nil {
		value, _ := json.Marshal(schemas.DeadLetter{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset})
		return &kgo.Record{Topic: os.Getenv("SOTTO_TOPIC_DEAD_LETTER"), Value: value}
	}
	zero, end := 0, len(raw.Text)
	value, _ := json.Marshal(schemas.CleanEvent{
		CallID: raw.CallID, Seq: raw.Seq,
		Entities: []schemas.Entity{{Type: "NUMERIC", ID: int(raw.Text[0]), RawStart: &zero, RawEnd: &end}},
	})
	return &kgo.Record{Topic: os.Getenv("SOTTO_TOPIC_CLEAN"), Key: r.Key, Value: value}
}

// leastLoad is the number of events that a meaningful test needs.
const leastLoad = 300

// produceCalls writes events of several calls, and now and then a bad record, until stop is closed.
// On a slow machine the broker may have been down most of the time; then it continues until there
// are enough.
func produceCalls(ctx context.Context, c brokertest.Cluster, topic string, stop <-chan struct{}) error {
	// One producer for all: a producer that starts while the broker is down gives up, a running one
	// does not.
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.MetadataMinAge(100*time.Millisecond))
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := brokertest.WaitFor(ctx, "a producer", func(ctx context.Context) (bool, error) {
		_, _, err := cl.ProducerID(ctx)
		return true, err
	}); err != nil {
		return err
	}
	seqs := make(map[string]int64)
	for sent := 0; ; {
		select {
		case <-stop:
			if sent >= leastLoad {
				return nil
			}
		default:
		}
		var batch []*kgo.Record
		for range 100 {
			id := fmt.Sprint("call-", sent%13)
			seqs[id]++
			e := schemas.RawEvent{CallID: id, Seq: seqs[id], Type: schemas.Utterance, Text: string(rune('A' + sent%20))}
			value, err := json.Marshal(e)
			if err != nil {
				return err
			}
			if sent%31 == 30 {
				value = []byte("{")
			}
			batch = append(batch, &kgo.Record{Topic: topic, Key: []byte(id), Value: value})
			sent++
		}
		if err := cl.ProduceSync(ctx, batch...).FirstErr(); err != nil {
			return err
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// copiers starts two copiers that share four partitions of the cluster.
func copiers(t *testing.T, ctx context.Context, c brokertest.Cluster) (*Fleet, brokertest.Topics, string) {
	t.Helper()
	topics, err := brokertest.CreateTopics(ctx, c, 4)
	if err != nil {
		t.Fatal(err)
	}
	group := c.Name("copiers")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := NewFleet(t, 2, t.TempDir(), func(member int) []string {
		return append(topics.Env(), fmt.Sprint("COPIER_ID=copier-", member), "COPIER_GROUP="+group,
			"COPIER_BROKERS="+strings.Join(c.Brokers(), ","))
	}, self)
	if err := f.StartAll(); err != nil {
		t.Fatal(err)
	}
	return f, topics, group
}

// run disturbs the copiers while events are produced, and checks the outcome.
func run(t *testing.T, c brokertest.Cluster, disturb func(*Fleet) []Action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	f, topics, group := copiers(t, ctx, c)
	produced, stop := make(chan error, 1), make(chan struct{})
	go func() { produced <- produceCalls(ctx, c, topics.Raw, stop) }()
	schedule := Schedule{
		Seed: Seed(t), Actions: disturb(f), Logf: t.Logf,
		MinPause: 100 * time.Millisecond, MaxPause: 500 * time.Millisecond,
	}
	err := schedule.Run(ctx)
	close(stop)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-produced; err != nil {
		t.Fatal(err)
	}
	if err := f.StartAll(); err != nil {
		t.Fatal(err)
	}
	if err := f.AwaitOutput(ctx, copierReady); err != nil {
		t.Fatal(err)
	}
	if err := brokertest.AwaitDrained(ctx, c, group, topics.Raw); err != nil {
		t.Fatal(err)
	}
	for i := range f.Size() {
		if err := f.Terminate(ctx, i); err != nil {
			t.Error(err)
		}
	}
	h, err := ReadHistory(ctx, c, topics, AsJSON())
	if err != nil {
		t.Fatal(err)
	}
	h.Entity = func(_, value string) string { return value }
	t.Logf("%d raw, %d clean, %d dead letters", len(h.Raw), len(h.Clean), len(h.Dead))
	if len(h.Raw) < leastLoad || len(h.Dead) == 0 {
		t.Error("there was too little load")
	}
	for _, v := range h.Check() {
		t.Error(v)
	}
}

// disturbMembers kills, stops in order and freezes members. A member that ends is restarted at
// once.
func disturbMembers(f *Fleet) []Action {
	again := func(do func(context.Context, int) error) func(context.Context, *rand.Rand) error {
		return func(ctx context.Context, rng *rand.Rand) error {
			i := rng.IntN(f.Size())
			if err := f.AwaitOutput(ctx, copierReady); err != nil {
				return err
			}
			if err := do(ctx, i); err != nil {
				return err
			}
			return f.StartAll()
		}
	}
	return []Action{
		{"kill", 4, again(func(_ context.Context, i int) error { return f.Kill(i) })},
		{"terminate", 1, again(f.Terminate)},
		{"freeze", 1, again(func(ctx context.Context, i int) error { return f.Freeze(ctx, i, time.Second) })},
	}
}

func TestCopiersSurviveKills(t *testing.T) {
	run(t, brokertest.Open(t), disturbMembers)
}

func TestCopiersSurviveKillsOfTheBroker(t *testing.T) {
	k := brokertest.OpenKafka(t, brokertest.KafkaOptions{SeparateController: true})
	run(t, k, func(f *Fleet) []Action {
		return append(disturbMembers(f), Action{"kill the broker", 2, func(ctx context.Context, _ *rand.Rand) error {
			return k.Restart(ctx)
		}})
	})
}

func TestFleetDistinguishesACrashFromAKill(t *testing.T) {
	f := NewFleet(t, 2, t.TempDir(), func(int) []string { return nil }, "sh", "-c", "echo mishap >&2; exit 9")
	if err := f.Kill(0); err == nil || !strings.Contains(err.Error(), "member-0 was not started") {
		t.Errorf("error is %v", err)
	}
	if err := f.Start(0); err != nil {
		t.Fatal(err)
	}
	brokertest.Eventually(t, 10*time.Second, "the crash", func() bool { return !f.Running(0) })
	for name, err := range map[string]error{
		"Kill": f.Kill(0), "Terminate": f.Terminate(t.Context(), 0), "CheckRunning": f.CheckRunning(),
	} {
		if err == nil || !strings.Contains(err.Error(), "member-0 has ended with status 9") || !strings.Contains(err.Error(), "mishap") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	if got := f.Outputs(); len(got) != 2 {
		t.Errorf("outputs are %q", got)
	}
}

func TestBuildReportsTheError(t *testing.T) {
	_, err := Build(t.Context(), "sotto/no/such/program", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "building sotto/no/such/program") {
		t.Errorf("error is %v", err)
	}
}
