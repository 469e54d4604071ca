package processor

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A static member dies after a rebalance took a partition from it and before it has joined again,
// and is back within the session timeout. The group then gives it its old assignment without a
// rebalance, so that nobody has the partition, until the processors notice.
func TestAPartitionWithoutOwnerIsFound(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.Set.SessionTimeout = 20 * time.Second
	soon := func(p *Processor) { p.ownerInterval = 300 * time.Millisecond }

	// Its successor joins under the same static ID.
	first, second := r.Cluster.Name("member-a"), r.Cluster.Name("member-b")
	var w wire
	var owned int
	assigned := make(chan int, 10)
	died := make(chan struct{})
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...), kgo.Dialer(w.dial), kgo.ConsumerGroup(r.Group), kgo.ConsumeTopics(r.Topics.Raw),
		kgo.InstanceID(first+"-0"), kgo.SessionTimeout(r.Set.SessionTimeout), kgo.HeartbeatInterval(100*time.Millisecond), kgo.DisableAutoCommit(),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, m map[string][]int32) {
			owned += len(m[r.Topics.Raw])
			assigned <- owned
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, m map[string][]int32) {
			if len(m[r.Topics.Raw]) == 1 {
				w.cut()
				close(died)
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for n := 0; n < 2; n = <-assigned {
		t.Logf("the first member has %d partitions", n)
	}
	r.Set.InstanceID = second
	r.start("b", soon)
	select {
	case <-died:
	case <-time.After(30 * time.Second):
		t.Fatal("the rebalance took nothing from the first member")
	}
	r.Set.InstanceID = first
	r.start("a", soon)
	r.Feed(r.Raw(0, utterance("call-0", 1, "x", "good morning")), r.Raw(1, utterance("call-1", 1, "x", "good morning")))
	r.Await(r.Topics.Clean, 2)
}
