package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	"sotto/schemas"
)

// idleCalls are a stream of their own in which no call has an END: the wall clock
// closes them. They come in waves, while no member runs: how far the clock has moved
// in between must not matter.
type idleCalls struct {
	r      *rig
	fleet  *chaosFleet
	waves  int
	closed int
}

const (
	idlePartitions   = 2
	idleCallsPerWave = 30
)

// idleCluster gives the idle calls topics of their own.
type idleCluster struct{ *proxiedKafka }

// Name implements brokertest.Cluster.
func (c idleCluster) Name(base string) string { return c.ReplicatedKafka.Name("idle-" + base) }

func newIdleCalls(t *testing.T, k *proxiedKafka) *idleCalls {
	t.Helper()
	r := newRigOn(t, idleCluster{k}, idlePartitions)
	return &idleCalls{r: r, fleet: r.fleet(1, map[string]string{
		"SOTTO_KAFKA_BROKERS":         strings.Join(k.proxied(), ","),
		"SOTTO_KAFKA_SESSION_TIMEOUT": chaosSession.String(), "SOTTO_KAFKA_TRANSACTION_TIMEOUT": "4s",
		"SOTTO_CALL_IDLE_TIMEOUT": "3s", "SOTTO_CALL_GRACE": "1s",
	}, instanceID)}
}

// wave feeds calls and waits until all of them are closed. The member is killed
// meanwhile.
func (i *idleCalls) wave(ctx context.Context, rng *rand.Rand, fault func()) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	i.waves++
	var recs []*kgo.Record
	for n := range idleCallsPerWave {
		call := fmt.Sprintf("idle-%d-%d", i.waves, n)
		for seq := range int64(3) {
			e := streamtest.Utterance(call, seq+1, "x", "this is Rosa Lindqvist speaking, my number is 604 555 0134")
			e.TimestampMS += int64(i.waves) * (24 * time.Hour).Milliseconds()
			recs = append(recs, i.r.Raw(int32(n%idlePartitions), e))
		}
	}
	streamtest.Feed(i.r.T, i.r.Cluster, recs...)
	if err := i.fleet.Start(0); err != nil {
		return err
	}
	for range 2 {
		if err := wait(ctx, between(rng, 500*time.Millisecond, 3*time.Second)); err != nil {
			return err
		}
		fault()
		if err := i.fleet.Kill(0); err != nil {
			return err
		}
		if err := i.fleet.Start(0); err != nil {
			return err
		}
	}
	err := brokertest.WaitFor(ctx, "the idle calls to be closed", func(context.Context) (bool, error) {
		i.closed = 0
		for _, e := range i.r.Clean(i.r.Read(i.r.Topics.Clean)) {
			if e.Type == schemas.End {
				i.closed++
			}
		}
		return i.closed >= i.waves*idleCallsPerWave && len(streamtest.Open(i.r.Read(i.r.Topics.State))) == 0, nil
	})
	if err != nil {
		return err
	}
	return i.fleet.Terminate(ctx, 0)
}

// check compares all waves with a single thread whose clock goes on until every call
// is over.
func (i *idleCalls) check(t *testing.T) {
	t.Helper()
	in := i.r.Oracle()
	in.CloseAll = true
	want := streamtest.Serial(t, in, nil)
	streamtest.Compare(t, "clean events of idle calls", streamtest.ByCall(i.r.Read(i.r.Topics.Clean)), want.Clean)
	streamtest.Compare(t, "dead letters", streamtest.ByCall(i.r.Read(i.r.Topics.DeadLetter)), want.Dead)
	if open := streamtest.Open(i.r.Read(i.r.Topics.State)); len(open) > 0 {
		t.Errorf("%d idle calls were closed and still have a state", len(open))
	}
	if i.closed != i.waves*idleCallsPerWave || i.waves == 0 {
		t.Errorf("%d idle calls were closed in %d waves", i.closed, i.waves)
	}
}
