package processor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
)

// ensure runs EnsureTopics and returns the lines that it reported.
func ensure(t *testing.T, s config.Settings, plan TopicPlan, dryRun bool) (string, error) {
	t.Helper()
	var report []string
	err := EnsureTopics(t.Context(), s, plan, dryRun, func(line string) { report = append(report, line) })
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

	if report, err := ensure(t, s, plan, true); !errors.Is(err, ErrTopicsDiffer) || strings.Count(report, "would be created") != 5 {
		t.Fatalf("dry run: %v\n%s", err, report)
	}
	if report, err := ensure(t, s, plan, false); err != nil || strings.Count(report, "created with 3 partitions") != 5 {
		t.Fatalf("first run: %v\n%s", err, report)
	}
	eventually(t, "a second run finds nothing to do", func() bool {
		report, err := ensure(t, s, plan, true)
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
			}[rc.Name+cfg.Key]
			if want != "" {
				checked++
			}
			if want != "" && cfg.MaybeValue() != want {
				t.Errorf("%s: %s=%s, want %s", rc.Name, cfg.Key, cfg.MaybeValue(), want)
			}
		}
	}
	if checked != 4 {
		t.Errorf("%d settings checked, want 4", checked)
	}
	plan.Raw = 24 * time.Hour
	report, err := ensure(t, s, plan, false)
	if err != nil || !strings.Contains(report, s.TopicRaw+": retention.ms is set to 86400000") ||
		!strings.Contains(report, s.TopicState+": delete.retention.ms is set to 86400000") {
		t.Errorf("changed retention: %v\n%s", err, report)
	}
}

// More partitions would move open calls away from their states.
func TestEnsureTopicsNeverAddsPartitions(t *testing.T) {
	c := brokertest.Open(t)
	s := topicSettings(t, c)
	if err := c.CreateTopic(t.Context(), s.TopicRaw, 2, nil); err != nil {
		t.Fatal(err)
	}
	if report, err := ensure(t, s, TopicPlan{Partitions: 6, Replication: 1}, false); err != nil || !strings.Contains(report, s.TopicState+" created with 2 partitions") {
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
		if err := c.CreateTopic(t.Context(), name, n, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ensure(t, s, TopicPlan{Partitions: 2, Replication: 1}, false); !errors.Is(err, ErrTopicsDiffer) {
		t.Errorf("got %v", err)
	}
}

// Not all brokers know a new topic at once.
func TestTheStartWaitsForTopics(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.set.TopicAudit = r.cluster.Name("created.later")
	in := r.start("a")
	time.Sleep(300 * time.Millisecond)
	if err := r.cluster.CreateTopic(t.Context(), r.set.TopicAudit, 1, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the processor to be ready", func() bool { return in.Ready() == nil })
}
