package processor

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
)

// uncleanTopic creates a topic of states with replicas on two of three brokers, of which one suffices
// and may become the leader without the latest records.
func uncleanTopic(t *testing.T, r *rig, cl *kgo.Client) {
	t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = r.Cluster.Name("calls.unclean"), -1, -1
	placed := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
	placed.Replicas = []int32{1, 2}
	topic.ReplicaAssignment = append(topic.ReplicaAssignment, placed)
	for name, value := range map[string]string{"cleanup.policy": "compact", "min.insync.replicas": "1", "unclean.leader.election.enable": "true"} {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = name, &value
		topic.Configs = append(topic.Configs, c)
	}
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(t.Context(), cl)
	if err != nil {
		t.Fatal(err)
	}
	if code := resp.Topics[0].ErrorCode; code != 0 {
		t.Fatalf("the topic cannot be created: error %d", code)
	}
	r.Set.TopicState, r.Topics.State = topic.Topic, topic.Topic
}

// uncleanRig is a rig on three brokers, of which the second one lacks the latest state of the only call.
// The first one, which has it, is alive.
func uncleanRig(t *testing.T) (*brokertest.ReplicatedKafka, *rig, *instance) {
	t.Helper()
	k := brokertest.OpenReplicatedKafka(t, brokertest.KafkaOptions{})
	r := newRigOn(t, k, 1)
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.Brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	uncleanTopic(t, r, cl)
	in := r.start("a")
	r.Feed(r.caller(0, "c", 1, rosa))
	r.Await(r.Topics.Clean, 1)
	time.Sleep(time.Second) // the followers have it
	if err := k.Nodes[1].Kill(); err != nil {
		t.Fatal(err)
	}
	r.Feed(r.caller(0, "c", 2, hugo))
	r.Await(r.Topics.Clean, 2)
	r.Await(r.Topics.State, 2) // its log has the end of the transaction, too
	return k, r, in
}

// awaitNotReady waits until the stream says all of that about why it is not ready.
func awaitNotReady(t *testing.T, in *instance, says ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := brokertest.WaitFor(ctx, "the partition to be stopped", func(context.Context) (bool, error) {
		err := in.Ready()
		for _, s := range says {
			if err == nil || !strings.Contains(err.Error(), s) {
				return false, err
			}
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// The state topic loses acknowledged records to an unclean election, and has as many calls afterwards.
func TestAnUncleanElectionOfTheStateTopicIsNoticed(t *testing.T) {
	k, r, in := uncleanRig(t)
	in.mustStop(t)
	if err := k.Nodes[0].Kill(); err != nil {
		t.Fatal(err)
	}
	if err := k.Nodes[1].Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	in = r.start("b")
	awaitNotReady(t, in, streamtest.LostStates, "docs/operating.md")
	in.mustStop(t)
	// The log grows again, by records of others.
	for range 10 {
		r.Feed(&kgo.Record{Topic: r.Topics.State, Key: []byte("other"), Value: nil})
	}
	in = r.start("c")
	awaitNotReady(t, in, streamtest.LostStates, "docs/operating.md")
	in.mustStop(t)
	if n := len(r.Read(r.Topics.Clean)); n != 2 {
		t.Errorf("%d events were written", n)
	}
	// The operator accepts that a number may stand for two names.
	r.resetToCurrent(0)
	r.start("d")
	r.Feed(r.caller(0, "c", 3, rosa))
	r.Await(r.Topics.Clean, 3)
}

// The same happens under a stream that runs. It commits nothing to the shorter log, so the broker that is
// gone can come back as docs/operating.md says, and the call goes on with its numbers.
func TestAnUncleanElectionUnderTheStreamIsNoticed(t *testing.T) {
	k, r, in := uncleanRig(t)
	if err := k.Nodes[0].Kill(); err != nil {
		t.Fatal(err)
	}
	if err := k.Nodes[1].Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Feed(r.caller(0, "c", 3, rosa))
	awaitNotReady(t, in, streamtest.LostStates, "docs/operating.md")
	in.mustStop(t)
	if n := len(r.Read(r.Topics.Clean)); n != 2 {
		t.Errorf("%d events were written", n)
	}
	if err := k.Nodes[1].Stop(); err != nil {
		t.Fatal(err)
	}
	if err := k.Nodes[0].Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.start("b")
	r.Await(r.Topics.Clean, 3)
	if numbers, events := r.numbers("c"); events != 3 || !maps.Equal(numbers, map[int64]int{1: 1, 2: 2, 3: 1}) {
		t.Errorf("the call has %d events with the numbers %v", events, numbers)
	}
}

// A record that the brokers acknowledge before the end that they had says that they have lost others. The
// embedded broker loses none, so this only tests what is noticed.
func TestAnAcknowledgementBeforeTheEndIsNoticed(t *testing.T) {
	t.Parallel()
	var a acked
	a.restored("states", 1, 10)
	for _, c := range []struct {
		offset int64
		lost   bool
	}{{10, false}, {13, false}, {13, true}, {14, false}, {0, true}} {
		if err := a.note(&kgo.Record{Topic: "states", Partition: 1, Offset: c.offset}); (err != nil) != c.lost {
			t.Errorf("offset %d: %v", c.offset, err)
		}
	}
	if end := a.end("states", 1); end != 1 {
		t.Errorf("the end is %d", end)
	}
}
