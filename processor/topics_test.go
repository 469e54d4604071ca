package processor

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
)

// ensure runs EnsureTopics and returns the lines that it reported.
func ensure(t *testing.T, s config.Settings, plan TopicPlan, mode EnsureMode) (string, error) {
	t.Helper()
	var report []string
	err := EnsureTopics(t.Context(), s, plan, mode, func(line string) { report = append(report, line) })
	return strings.Join(report, "\n"), err
}

func topicSettings(t *testing.T, c brokertest.Cluster) config.Settings {
	t.Helper()
	s, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Brokers = c.Brokers()
	for _, name := range []*string{&s.TopicRaw, &s.TopicClean, &s.TopicAudit, &s.TopicState, &s.TopicDeadLetter} {
		*name = c.Name(*name)
	}
	return s
}

func admin(t *testing.T, s config.Settings) *kadm.Client {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

func TestEnsureTopics(t *testing.T) {
	c := brokertest.Open(t)
	s := topicSettings(t, c)
	plan := TopicPlan{Partitions: 3, Replication: 1, MinInsync: 1, Raw: 72 * time.Hour}

	if report, err := ensure(t, s, plan, DryRun); !errors.Is(err, ErrTopicsDiffer) || strings.Count(report, "would be created") != 5 {
		t.Fatalf("dry run: %v\n%s", err, report)
	}
	if report, err := ensure(t, s, plan, CreateTopics); err != nil || strings.Count(report, "created with 3 partitions") != 5 {
		t.Fatalf("first run: %v\n%s", err, report)
	}
	eventually(t, "a second run finds nothing to do", func() bool {
		report, err := ensure(t, s, plan, DryRun)
		return err == nil && report == ""
	})
	configs, err := admin(t, s).DescribeTopicConfigs(t.Context(), s.TopicState, s.TopicRaw)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, rc := range configs {
		for _, cfg := range rc.Configs {
			want := map[string]string{
				s.TopicState + "cleanup.policy": "compact", s.TopicRaw + "cleanup.policy": "delete", s.TopicRaw + "retention.ms": "259200000",
				// Tombstones must be kept for as long as the events of their calls.
				s.TopicState + "delete.retention.ms": "259200000",
				s.TopicState + "segment.ms":          "600000", s.TopicState + "min.cleanable.dirty.ratio": "0.1",
			}[rc.Name+cfg.Key]
			if want != "" {
				checked++
			}
			if want != "" && cfg.MaybeValue() != want {
				t.Errorf("%s: %s=%s, want %s", rc.Name, cfg.Key, cfg.MaybeValue(), want)
			}
		}
	}
	if checked != 6 {
		t.Errorf("%d settings checked, want 6", checked)
	}
}

// Whatever runs after 'sotto topics ensure' finds the topics at every broker.
func TestEnsureTopicsWaitsUntilTheBrokersKnowThem(t *testing.T) {
	brokertest.OnlyEmbedded(t)
	c, err := brokertest.StartKfake()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := topicSettings(t, c)
	const late = 6
	f := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: s.TopicState, Err: kerr.UnknownTopicOrPartition, Count: late})
	if report, err := ensure(t, s, TopicPlan{Partitions: 3, Replication: 1}, CreateTopics); err != nil || !strings.Contains(report, s.TopicState+" created") {
		t.Fatalf("%v\n%s", err, report)
	}
	if n := f.Hits(); n < late {
		t.Errorf("it asked for the topics %d times, and did not know of the last one then", n)
	}
}

// Topics that were just created are as the stream wants them, also without a plan for the raw
// topic.
func TestAStartDoesNotWarnOfTopicsThatWereEnsured(t *testing.T) {
	t.Parallel()
	for i, kept := range []string{"", "3600000", "-1", "7200000", "-1"} {
		r := newRig(t, 1)
		r.Set.TopicRaw, r.Set.TopicState = r.Cluster.Name("ensured.raw"), r.Cluster.Name("ensured.state")
		if kept != "" {
			if err := brokertest.CreateTopic(t.Context(), r.Cluster, r.Set.TopicRaw, 1, map[string]string{"retention.ms": kept}); err != nil {
				t.Fatal(err)
			}
		}
		plan := TopicPlan{Partitions: 1, Replication: 1}
		if i > 2 { // a plan for the raw topic, which exists and is not changed
			plan.Raw = time.Hour
		}
		if report, err := ensure(t, r.Set, plan, CreateTopics); err != nil {
			t.Fatalf("%v\n%s", err, report)
		}
		in := r.start("a")
		eventually(t, "the start", func() bool { return in.Ready() == nil })
		in.mustStop(t)
		if strings.Contains(r.log.String(), "level=WARN") {
			t.Errorf("retention.ms=%q: the start warns:\n%s", kept, r.log.String())
		}
	}
}

func TestEnsureTopicsForTheReviewPage(t *testing.T) {
	c := brokertest.Open(t)
	s := topicSettings(t, c)
	s.TopicAnnotations = c.Name("annotations")
	plan := TopicPlan{Partitions: 3, Replication: 1, Review: true}
	if report, err := ensure(t, s, plan, CreateTopics); err != nil || !strings.Contains(report, s.TopicAnnotations+" created with 1 partition") {
		t.Fatalf("%v\n%s", err, report)
	}
	configs, err := admin(t, s).DescribeTopicConfigs(t.Context(), s.TopicAnnotations)
	if err != nil {
		t.Fatal(err)
	}
	for _, cfg := range configs[0].Configs {
		if cfg.Key == "cleanup.policy" && cfg.MaybeValue() != "compact" {
			t.Errorf("cleanup.policy is %s", cfg.MaybeValue())
		}
	}
}

// The broker keeps only the last record of each call in a topic of events that is compacted, and
// deletes states of open calls from a state topic that is not only compacted.
func TestTopicsThatLoseRecordsAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.KeepFinals(1)
	for _, bad := range []struct{ topic, policy string }{
		{r.Topics.Clean, "compact"}, {r.Topics.Audit, "compact"}, {r.Set.TopicFinal, "compact,delete"},
		{r.Topics.DeadLetter, "compact"}, {r.Topics.Raw, "compact"}, {r.Topics.State, "compact,delete"}, {r.Topics.State, "delete"},
	} {
		before := "delete"
		if bad.topic == r.Topics.State {
			before = "compact"
		}
		r.setCleanup(bad.topic, bad.policy)
		in := r.start("a")
		<-in.done
		if in.err == nil || !strings.Contains(in.err.Error(), bad.topic+" has cleanup.policy="+bad.policy) {
			t.Errorf("%s with cleanup.policy=%s: the stream ends with %v", bad.topic, bad.policy, in.err)
		}
		r.setCleanup(bad.topic, before)
	}
}

// A shorter retention deletes records, so it takes --apply.
func TestEnsureTopicsChangesExistingTopicsOnlyIfTold(t *testing.T) {
	c := brokertest.Open(t)
	s := topicSettings(t, c)
	month := map[string]string{"retention.ms": "2592000000"}
	if err := brokertest.CreateTopic(t.Context(), c, s.TopicRaw, 2, month); err != nil {
		t.Fatal(err)
	}
	retention := func() string {
		t.Helper()
		found, err := admin(t, s).DescribeTopicConfigs(t.Context(), s.TopicRaw)
		if err != nil || len(found) == 0 {
			t.Fatal(err)
		}
		for _, cfg := range found[0].Configs {
			if cfg.Key == "retention.ms" {
				return cfg.MaybeValue()
			}
		}
		return ""
	}
	plan := TopicPlan{Partitions: 2, Replication: 1, Raw: 72 * time.Hour}
	report, err := ensure(t, s, plan, CreateTopics)
	if err != nil || !strings.Contains(report, s.TopicRaw+`: retention.ms is "2592000000" and the plan has 259200000`) ||
		!strings.Contains(report, s.TopicState+" created") {
		t.Errorf("%v\n%s", err, report)
	}
	if got := retention(); got != "2592000000" {
		t.Errorf("the retention of an existing topic became %s", got)
	}
	report, err = ensure(t, s, plan, ApplyTopics)
	if err != nil || !strings.Contains(report, s.TopicRaw+": retention.ms is set to 259200000") {
		t.Errorf("--apply: %v\n%s", err, report)
	}
	eventually(t, "the shorter retention", func() bool { return retention() == "259200000" })
}

// The chart writes the same configuration for Strimzi.
func TestTheChartHasTheConfigurationOfTheStateTopic(t *testing.T) {
	page, err := os.ReadFile("../helm/sotto/templates/strimzi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range stateConfig(0) {
		if !strings.Contains(string(page), "    "+key+": "+value+"\n") {
			t.Errorf("strimzi.yaml has no %s: %s", key, value)
		}
	}
}

// More partitions would move open calls away from their states.
func TestEnsureTopicsNeverAddsPartitions(t *testing.T) {
	c := brokertest.Open(t)
	s := topicSettings(t, c)
	if err := brokertest.CreateTopic(t.Context(), c, s.TopicRaw, 2, nil); err != nil {
		t.Fatal(err)
	}
	if report, err := ensure(t, s, TopicPlan{Partitions: 6, Replication: 1}, CreateTopics); err != nil || !strings.Contains(report, s.TopicState+" created with 2 partitions") {
		t.Fatalf("%v\n%s", err, report)
	}
	// A broker may not know a new topic at once.
	adm := admin(t, s)
	eventually(t, "two topics with two partitions", func() bool {
		there, err := adm.ListTopics(t.Context(), s.TopicRaw, s.TopicState)
		return err == nil && len(there[s.TopicRaw].Partitions) == 2 && len(there[s.TopicState].Partitions) == 2
	})
}

func TestEnsureTopicsRefusesAPairThatDiffers(t *testing.T) {
	c := brokertest.Open(t)
	s := topicSettings(t, c)
	for name, n := range map[string]int32{s.TopicRaw: 2, s.TopicState: 3} {
		if err := brokertest.CreateTopic(t.Context(), c, name, n, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ensure(t, s, TopicPlan{Partitions: 2, Replication: 1}, CreateTopics); !errors.Is(err, ErrTopicsDiffer) {
		t.Errorf("got %v", err)
	}
}

// Not all brokers know a new topic at once.
func TestTheStartWaitsForTopics(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.TopicAudit = r.Cluster.Name("created.later")
	in := r.start("a")
	time.Sleep(300 * time.Millisecond)
	if err := brokertest.CreateTopic(t.Context(), r.Cluster, r.Set.TopicAudit, 1, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the processor to be ready", func() bool { return in.Ready() == nil })
}

// A broker that restarts accepts connections and cuts them. A start waits for it.
func TestTheStartWaitsForABrokerThatCutsConnections(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	cutting, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cutting.Close() })
	go func() {
		for {
			c, err := cutting.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	until := time.Now().Add(2 * time.Second)
	in := r.start("a", func(p *Processor) {
		p.extra = append(p.extra, kgo.Dialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
			if time.Now().Before(until) {
				addr = cutting.Addr().String()
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		}))
	})
	eventually(t, "the processor to be ready", func() bool { return in.Ready() == nil })
}

// A topic that is changed while the stream runs makes it not ready at once, rather than at the next
// restore. It is ready again when the topic is.
func TestATopicThatIsChangedWhileTheStreamRuns(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	in := r.start("a", func(p *Processor) { p.topicsInterval = 200 * time.Millisecond })
	r.Feed(r.caller(0, "c", 1, rosa))
	r.Await(r.Topics.Clean, 1)
	r.setCleanup(r.Topics.State, "delete")
	eventually(t, "the stream not to be ready", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "cleanup.policy=delete")
	})
	r.setCleanup(r.Topics.State, "compact")
	eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })
	if n := strings.Count(r.log.String(), "not as the stream needs them any more"); n != 1 {
		t.Errorf("it was logged %d times", n)
	}
}
