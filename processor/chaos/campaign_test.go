package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
)

// envFaults asks for a campaign of about so many faults. Without it there is one of
// each kind.
const envFaults = "SOTTO_TEST_FAULTS"

const (
	campaignPartitions = 6
	// campaignRate leaves a small machine time for three brokers and four members.
	campaignRate = 300
	maxMembers   = 4
)

// TestChaosOnThreeBrokers disturbs everything at once: one to four dynamic members
// behind proxies that read from the closest replica, three brokers with replicated topics, keys and dictionaries that
// change, offsets that are lost, consumers of others in the group, producers with transactions, and topics of outputs
// that get more partitions. Calls come in as Avro all the time, by clocks that
// are hours apart. In the end, partitions are added, which every member must refuse, and
// the topics hold byte for byte what a single thread writes that shares no code with the
// stream.
//
// SOTTO_TEST_SEED repeats a run as far as chance allows.
func TestChaosOnThreeBrokers(t *testing.T) {
	if os.Getenv(envChaos) == "" {
		t.Skipf("takes minutes: run `make test-chaos` or set %s=1", envChaos)
	}
	var failure error
	// The brokers print the ends of their logs when a test has failed. The reason is to come after them.
	t.Cleanup(func() {
		if failure != nil {
			t.Error(failure)
		}
	})
	k := &proxiedKafka{}
	k.ReplicatedKafka = brokertest.OpenReplicatedKafka(t, brokertest.KafkaOptions{
		Front: k.front(t),
		// A broker or controller that stalls on a busy machine is not to be taken for dead.
		Config: map[string]string{"broker.session.timeout.ms": "6000", "controller.quorum.fetch.timeout.ms": "5000"},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 70*time.Minute)
	defer cancel()
	if failure = newCampaign(t, k).run(ctx, chaosSeed(t)); failure != nil {
		t.FailNow()
	}
}

// run disturbs the stream under load, and then checks all that it has written.
func (c *campaign) run(ctx context.Context, seed uint64) error {
	t := c.t
	c.first = int(seed % 100)
	if err := c.startMembers(); err != nil {
		return err
	}
	f := c.r.newFeeder(campaignPartitions, campaignRate, seed)
	fed, stop := make(chan error, 1), make(chan struct{})
	go func() { fed <- f.run(ctx, stop) }()

	schedule := chaosSchedule{
		Seed: seed, Actions: c.actions(), MinPause: 100 * time.Millisecond, MaxPause: time.Second,
		Logf: func(format string, args ...any) { t.Logf("%v: "+format, append([]any{c.elapsed()}, args...)...) },
	}
	if err := schedule.Run(ctx); err != nil {
		return err
	}
	close(stop)
	if err := <-fed; err != nil {
		return fmt.Errorf("feeding the raw topic: %w", err)
	}
	t.Logf("%v: %d faults: %v; %d raw records", c.elapsed(), c.count(), c.faults, f.count())
	drained, cancelDrained := context.WithTimeout(ctx, 4*time.Minute)
	defer cancelDrained()
	if err := awaitDrained(drained, c.kafka, c.r.Group, c.r.Topics.Raw); err != nil {
		return err
	}
	if err := c.addPartitions(drained); err != nil {
		t.Error(err)
	}
	if err := c.stopMembers(drained, 0); err != nil {
		t.Error(err)
	}
	f.checkRaw(t)
	checkHistory(t, c.r, historyOptions{canonical: c.anyPolicy()})
	maps.Copy(f.secrets, c.said)
	checkLeaks(t, c.r, f.secrets, c.fleet.Outputs())
	c.checkNeighbours(t)
	c.idle.check(t)
	t.Logf("%v: checked; %d policies", c.elapsed(), len(c.policies()))
	return nil
}

// campaign is what is disturbed, and how often it was.
type campaign struct {
	t     *testing.T
	kafka *proxiedKafka
	adm   *kadm.Client
	r     *rig
	fleet *chaosFleet
	gain  gain
	idle  *idleCalls
	dict  string // the dictionary folder
	keys  int    // versions of the state key
	began time.Time
	// want is how many members should run: the first of the fleet.
	want   int
	faults map[string]int
	logs   []int64 // see markLog

	// intrusions count the foreign members, the first of which has a protocol that first decides, and
	// stopped the partitions that were stopped because of them. upstreams count the producers with
	// transactions, and said has their texts.
	first, intrusions, stopped, upstreams int
	said                                  secrets
	outputs                               int // partitions of the topics of outputs
}

func newCampaign(t *testing.T, k *proxiedKafka) *campaign {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.Brokers()...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	c := &campaign{
		t: t, kafka: k, adm: kadm.NewClient(cl), r: newRigOn(t, k, campaignPartitions), dict: t.TempDir(),
		keys: 1, began: time.Now(), want: 2, faults: map[string]int{}, said: secrets{}, outputs: campaignPartitions,
	}
	c.gain = gain{r: c.r}
	settings := map[string]string{
		"SOTTO_KAFKA_BROKERS": strings.Join(k.proxied(), ","), "SOTTO_CODEC": "avro", "SOTTO_READING": "fast", // see streamtest.Settings
		"SOTTO_DICTIONARY_DIR": c.dict,
		// Which calls are audited depends on the key, so all of them are.
		"SOTTO_AUDIT_RATE": "1", "SOTTO_RAW_OFFSETS": "true",
		"SOTTO_KAFKA_SESSION_TIMEOUT": chaosSession.String(), "SOTTO_KAFKA_TRANSACTION_TIMEOUT": "4s",
		"SOTTO_CALL_IDLE_TIMEOUT": "5m", "SOTTO_CALL_GRACE": "2m",
	}
	maps.Copy(settings, c.r.graphSettings(campaignPartitions, config.MarkIndirect))
	// No member has an instance ID: the group gives its partitions away when it is gone, and its
	// transactions end by their timeout.
	c.fleet = c.r.fleetWith(maxMembers, settings, func(member int) []string {
		return []string{"SOTTO_KAFKA_RACK=" + brokertest.Rack(1+member%len(k.Nodes))}
	})
	c.idle = newIdleCalls(t, k)
	return c
}

func (c *campaign) elapsed() time.Duration { return time.Since(c.began).Round(100 * time.Millisecond) }

// fault counts a fault of a kind.
func (c *campaign) fault(kind string) {
	c.faults[kind]++
	c.t.Logf("%v: %s", c.elapsed(), kind)
}

func (c *campaign) count() (n int) {
	for _, times := range c.faults {
		n += times
	}
	return n
}

// actions are all that is done, each after the stream has got on and with everything
// running again at its end.
func (c *campaign) actions() []chaosAction {
	times, long := 1, os.Getenv(envFaults) != ""
	if s := os.Getenv(envFaults); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			c.t.Fatalf("%s must be a number: %v", envFaults, err)
		}
		times = max(1, (n+faultsPerRound-1)/faultsPerRound)
	}
	actions := slices.Concat(c.memberFaults(), c.brokerFaults(), c.networkFaults(), c.operatorFaults(), c.neighbourFaults(long))
	for i := range actions {
		do := actions[i].Do
		actions[i].Times *= times
		actions[i].Do = func(ctx context.Context, rng *rand.Rand) error {
			c.markLog()
			if err := c.gain.await(ctx); err != nil {
				return err
			}
			return do(ctx, rng)
		}
	}
	return actions
}

// startMembers starts the members that should run and do not.
func (c *campaign) startMembers() error {
	for i := range c.want {
		if c.fleet.Running(i) {
			continue
		}
		if err := c.fleet.Start(i); err != nil {
			return err
		}
	}
	return nil
}

// stopMembers stops all members but the first n in order.
func (c *campaign) stopMembers(ctx context.Context, n int) error {
	c.want = n
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for i := n; i < c.fleet.Size(); i++ {
		if !c.fleet.Running(i) {
			continue
		}
		if err := c.fleet.AwaitOutputOf(ctx, i, startedLine); err != nil {
			return err
		}
		if err := c.fleet.Terminate(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// kill kills members and starts them again after a pause.
func (c *campaign) kill(ctx context.Context, pause time.Duration, members ...int) error {
	for _, i := range members {
		if err := c.fleet.Kill(i); err != nil {
			return err
		}
		c.fault("kill of a member")
	}
	if err := wait(ctx, pause); err != nil {
		return err
	}
	return c.startMembers()
}

func (c *campaign) anyMember(rng *rand.Rand) int { return rng.IntN(c.want) }

// policies are the hashes of the policies by which events were anonymized.
func (c *campaign) policies() []string {
	c.t.Helper()
	seen := map[string]bool{}
	for _, e := range c.r.Clean(c.r.Read(c.r.Topics.Clean)) {
		seen[e.Policy] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// anyPolicy replaces the policy of an event. The dictionaries that are loaded meanwhile
// mask nothing that is said, so events differ in nothing else.
func (c *campaign) anyPolicy() func([]byte) []byte {
	c.t.Helper()
	e, err := c.r.Set.NewEngine()
	if err != nil {
		c.t.Fatal(err)
	}
	policies := append(c.policies(), e.Policy())
	if len(policies) < 3 {
		c.t.Errorf("events were anonymized by policies %v: no dictionary was reloaded", policies)
	}
	return func(value []byte) []byte {
		for _, p := range policies {
			value = bytes.ReplaceAll(value, []byte(p), []byte(strings.Repeat("0", len(p))))
		}
		return value
	}
}

// replaceFile writes a file that a member may read at any time.
func replaceFile(path, content string) error {
	next := filepath.Join(filepath.Dir(path), ".next")
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// awaitGroup waits until the group has so many members.
func (c *campaign) awaitGroup(ctx context.Context, members int) error {
	return brokertest.WaitFor(ctx, fmt.Sprintf("the group to have %d members", members), func(ctx context.Context) (bool, error) {
		groups, err := c.adm.DescribeGroups(ctx, c.r.Group)
		if err == nil {
			err = groups.Error()
		}
		if members == 0 && errors.Is(err, kerr.GroupIDNotFound) {
			return true, nil // or its last member was one of KIP-848; a change of offsets says so
		}
		if err != nil {
			return false, err
		}
		g := groups[c.r.Group]
		return len(g.Members) == members && (g.State == "Stable" || members == 0), nil
	})
}
