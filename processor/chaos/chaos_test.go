package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/config/kafka"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
)

// envChaos enables the tests that kill processes for minutes.
const envChaos = "SOTTO_TEST_CHAOS"

// startedLine is what `sotto run` logs once it can handle signals and has found
// its topics.
const startedLine = `"msg":"started"`

// fleet makes n members that run `sotto run` with the settings, and applies the settings to the
// rig, because the serial reference uses them. Each member has the instance ID that the function
// returns, or none. The members' logs are kept if the test runs with -artifacts.
func (r *rig) fleet(n int, settings map[string]string, instance func(member int) string) *chaosFleet {
	r.T.Helper()
	return r.fleetWith(n, settings, func(member int) []string { return []string{"SOTTO_KAFKA_INSTANCE_ID=" + instance(member)} })
}

// fleetWith is fleet with more variables of each member, as "NAME=value".
func (r *rig) fleetWith(n int, settings map[string]string, more func(member int) []string) *chaosFleet {
	r.T.Helper()
	own := map[string]string{
		"SOTTO_KAFKA_BROKERS": strings.Join(r.Cluster.Brokers(), ","), "SOTTO_KAFKA_GROUP": r.Group,
		"SOTTO_STATE_KEY_FILE": r.KeyFile(), "SOTTO_CODEC": "json", "SOTTO_HTTP_ADDR": "off",
		"SOTTO_COMMIT_INTERVAL": "100ms", "SOTTO_CALL_DORMANT_AFTER": "0s", "SOTTO_TENANTS": "north,south,east,west",
	}
	for _, e := range r.Topics.Env() {
		name, value, _ := strings.Cut(e, "=")
		own[name] = value
	}
	maps.Copy(own, settings)
	var err error
	if r.Set, err = config.Load(own); err != nil {
		r.T.Fatal(err)
	}
	if r.Codec, err = kafka.NewCodec(r.T.Context(), &r.Set); err != nil {
		r.T.Fatal(err)
	}
	stream, err := program()
	if err != nil {
		r.T.Fatal(err)
	}
	logs := filepath.Join(r.T.ArtifactDir(), r.Group)
	if err := os.Mkdir(logs, 0o700); err != nil {
		r.T.Fatal(err)
	}
	return newChaosFleet(r.T, n, logs, func(member int) []string {
		var env []string
		for name, value := range own {
			env = append(env, name+"="+value)
		}
		return append(env, more(member)...)
	}, stream, "run")
}

// graphSettings creates the topics of final versions and of the graphs of indirect identifiers, and
// returns the settings that enable them.
func (r *rig) graphSettings(partitions int32, indirect string) map[string]string {
	r.T.Helper()
	r.Set.TopicFinal = streamtest.FinalTopic(r.T, r.Cluster, partitions)
	r.Set.TopicIndirect = streamtest.GraphTopic(r.T, r.Cluster, partitions)
	return map[string]string{
		"SOTTO_TOPIC_FINAL": r.Set.TopicFinal, "SOTTO_TOPIC_INDIRECT": r.Set.TopicIndirect,
		"SOTTO_INDIRECT": indirect, "SOTTO_INDIRECT_MIN_CALLS": "20",
	}
}

func instanceID(member int) string { return fmt.Sprint("member-", member) }

// chaosSession is the session timeout: how long the group waits for a silent member.
const chaosSession = 4 * time.Second

// TestChaosLosesDoublesAndRenumbersNothing kills `sotto run` processes, two of which share the
// partitions, and their broker while calls come in. At the end, the topics hold byte for byte what
// one thread without any failure writes, and no raw text is found anywhere else.
//
// SOTTO_TEST_SEED repeats a run as far as timing allows; -short kills less often.
func TestChaosLosesDoublesAndRenumbersNothing(t *testing.T) {
	if os.Getenv(envChaos) == "" {
		t.Skipf("takes minutes: run `make test-chaos` or set %s=1", envChaos)
	}
	k := brokertest.OpenKafka(t, brokertest.KafkaOptions{
		SeparateController: true,
		// A broker that stalls on a busy machine must not be considered dead.
		Config: map[string]string{"broker.session.timeout.ms": "6000"},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Minute)
	defer cancel()
	seed := chaosSeed(t)
	r := newRigOn(t, k, 6)
	settings := map[string]string{
		"SOTTO_RAW_OFFSETS": "true", "SOTTO_AUDIT_RATE": "0.2", "SOTTO_READING": "fast", // see streamtest.Settings
		"SOTTO_KAFKA_SESSION_TIMEOUT": chaosSession.String(), "SOTTO_KAFKA_TRANSACTION_TIMEOUT": "4s",
		"SOTTO_CALL_IDLE_TIMEOUT": "5m", "SOTTO_CALL_GRACE": "2m",
	}
	indirect := []string{config.MarkIndirect, config.MaskIndirect}[seed/2%2]
	t.Log("indirect identifiers:", indirect)
	maps.Copy(settings, r.graphSettings(6, indirect))
	h := &havoc{kafka: k, began: time.Now(), gain: gain{r: r}, fleet: r.fleet(2, settings, instanceID)}
	if err := h.fleet.StartAll(); err != nil {
		t.Fatal(err)
	}
	rate := 2000
	if testing.Short() {
		rate = 800
	}
	f := r.newFeeder(6, rate, seed)
	fed, stop := make(chan error, 1), make(chan struct{})
	go func() { fed <- f.run(ctx, stop) }()
	schedule := chaosSchedule{
		Seed: seed, Actions: h.actions(testing.Short()), MinPause: 300 * time.Millisecond, MaxPause: 2500 * time.Millisecond,
		Logf: func(format string, args ...any) { t.Logf("%v: "+format, append([]any{h.elapsed()}, args...)...) },
	}
	if err := schedule.Run(ctx); err != nil {
		t.Fatal(err)
	}
	close(stop)
	if err := <-fed; err != nil {
		t.Fatalf("feeding the raw topic: %v", err)
	}
	t.Logf("%v: %d kills of processes, %d of the broker, %d stops in order, %d freezes; %d raw records",
		h.elapsed(), h.kills, h.brokerKills, h.stops, h.freezes, f.count())
	drained, cancelDrained := context.WithTimeout(ctx, 2*time.Minute)
	defer cancelDrained()
	if err := awaitDrained(drained, k, r.Group, r.Topics.Raw); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v: drained", h.elapsed())
	if err := h.fleet.AwaitOutput(drained, startedLine); err != nil {
		t.Fatal(err)
	}
	for i := range h.fleet.Size() {
		if err := h.fleet.Terminate(drained, i); err != nil {
			t.Error(err)
		}
	}
	if !testing.Short() && (h.kills < 20 || h.brokerKills < 5) {
		t.Error("there were too few kills")
	}
	f.checkRaw(t)
	if aborted := checkHistory(t, r, historyOptions{}); aborted == 0 {
		t.Error("no kill hit an open transaction")
	}
	checkLeaks(t, r, f.secrets, h.fleet.Outputs())
	t.Logf("%v: checked", h.elapsed())
}

// havoc is what can be done to two processes and their broker. Each action begins when the stream
// makes progress, and leaves all processes running.
type havoc struct {
	fleet *chaosFleet
	kafka *brokertest.Kafka
	began time.Time
	gain  gain

	kills, brokerKills, stops, freezes int
}

func (h *havoc) elapsed() time.Duration { return time.Since(h.began).Round(100 * time.Millisecond) }

func (h *havoc) actions(short bool) []chaosAction {
	deeds := []chaosAction{
		{Name: "kill one", Times: 6, Do: func(_ context.Context, rng *rand.Rand) error {
			return h.kill(rng.IntN(2))
		}},
		{Name: "kill one, back when the other may have its partitions", Times: 4, Do: func(ctx context.Context, rng *rand.Rand) error {
			return h.killAnd(ctx, between(rng, 0, 2*chaosSession), rng.IntN(2))
		}},
		{Name: "kill both", Times: 3, Do: func(context.Context, *rand.Rand) error {
			return h.kill(0, 1)
		}},
		{Name: "kill both, back later", Times: 2, Do: func(ctx context.Context, rng *rand.Rand) error {
			return h.killAnd(ctx, between(rng, 0, chaosSession*3/2), 0, 1)
		}},
		{Name: "kill one again while it starts", Times: 2, Do: func(ctx context.Context, rng *rand.Rand) error {
			i := rng.IntN(2)
			if err := h.killAnd(ctx, 0, i); err != nil {
				return err
			}
			if err := wait(ctx, between(rng, 0, 800*time.Millisecond)); err != nil {
				return err
			}
			return h.kill(i)
		}},
		{Name: "kill the broker", Times: 3, Do: func(ctx context.Context, _ *rand.Rand) error {
			return h.killBroker(ctx)
		}},
		{Name: "kill the broker and a member", Times: 2, Do: func(ctx context.Context, rng *rand.Rand) error {
			if err := h.kafka.Kill(); err != nil {
				return err
			}
			if err := wait(ctx, between(rng, 0, 500*time.Millisecond)); err != nil {
				return err
			}
			h.kills++
			if err := h.fleet.Kill(rng.IntN(2)); err != nil {
				return err
			}
			// Without a broker it would not start.
			if err := h.killBroker(ctx); err != nil {
				return err
			}
			return h.fleet.StartAll()
		}},
		{Name: "stop one in order", Times: 3, Do: func(ctx context.Context, rng *rand.Rand) error {
			if err := h.fleet.AwaitOutput(ctx, startedLine); err != nil {
				return err
			}
			h.stops++
			ctx, cancel := context.WithTimeout(ctx, 40*time.Second)
			defer cancel()
			if err := h.fleet.Terminate(ctx, rng.IntN(2)); err != nil {
				return err
			}
			return h.fleet.StartAll()
		}},
		{Name: "freeze one until it is given up", Times: 2, Do: func(ctx context.Context, rng *rand.Rand) error {
			h.freezes++
			return h.fleet.Freeze(ctx, rng.IntN(2), between(rng, chaosSession+time.Second, chaosSession*2))
		}},
	}
	for i := range deeds {
		do := deeds[i].Do
		deeds[i].Do = func(ctx context.Context, rng *rand.Rand) error {
			if err := h.gain.await(ctx); err != nil {
				return err
			}
			return do(ctx, rng)
		}
		if short {
			deeds[i].Times = (deeds[i].Times + 2) / 3
		}
	}
	return deeds
}

func (h *havoc) kill(members ...int) error { return h.killAnd(context.Background(), 0, members...) }

// killAnd kills members and restarts them after a pause.
func (h *havoc) killAnd(ctx context.Context, pause time.Duration, members ...int) error {
	for _, i := range members {
		if err := h.fleet.Kill(i); err != nil {
			return err
		}
		h.kills++
	}
	if err := wait(ctx, pause); err != nil {
		return err
	}
	return h.fleet.StartAll()
}

func (h *havoc) killBroker(ctx context.Context) error {
	h.brokerKills++
	return h.kafka.Restart(ctx)
}

// gain tracks the progress of a group.
type gain struct {
	r        *rig
	consumed int64
}

// await waits until the group has committed more than at the previous call: to kill a process that
// does not run yet would prove nothing.
func (g *gain) await(ctx context.Context) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(g.r.Cluster.Brokers()...))
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return brokertest.WaitFor(ctx, "the stream to get on", func(ctx context.Context) (bool, error) {
		offsets, err := kadm.NewClient(cl).FetchOffsets(ctx, g.r.Group)
		if err == nil {
			err = offsets.Error()
		}
		if err != nil {
			return false, err
		}
		var sum int64
		offsets.Each(func(o kadm.OffsetResponse) { sum += max(0, o.At) })
		more := sum > g.consumed
		g.consumed = max(g.consumed, sum)
		return more, nil
	})
}

// again waits until the group gets on from where it is now, which may be behind where it was.
func (g *gain) again(ctx context.Context) error {
	g.consumed = 0
	return errors.Join(g.await(ctx), g.await(ctx))
}

func between(rng *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(rng.Int64N(int64(most-least)+1))
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
