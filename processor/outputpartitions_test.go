package processor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// addPartitions adds partitions to the topics of outputs, and waits until a broker knows them.
func (r *rig) addPartitions(n int) {
	r.T.Helper()
	topics := []string{r.Set.TopicClean, r.Set.TopicAudit, r.Set.TopicFinal}
	if _, err := r.admin().UpdatePartitions(r.T.Context(), n, topics...); err != nil {
		r.T.Fatal(err)
	}
	brokertest.Eventually(r.T, time.Minute, "the broker to know the partitions", func() bool {
		described, err := r.admin().ListTopics(r.T.Context(), topics...)
		return err == nil && !slices.ContainsFunc(topics, func(t string) bool { return len(described[t].Partitions) != n })
	})
}

// placesOf returns the partitions to which the events of each call went, and fails if the events of a call
// are not in the order of their numbers there.
func (r *rig) placesOf(topic string) map[string][]int32 {
	r.T.Helper()
	places, last := map[string][]int32{}, map[string]int64{}
	recs := r.Read(topic) // in the order of partition and offset
	for i, e := range r.Clean(recs) {
		if id := recs[i].Partition; !slices.Contains(places[e.CallID], id) {
			places[e.CallID] = append(places[e.CallID], id)
		}
		if e.Seq <= last[e.CallID] {
			r.T.Errorf("%s: seq %d of %s comes after %d", topic, e.Seq, e.CallID, last[e.CallID])
		}
		last[e.CallID] = e.Seq
	}
	return places
}

// Partitions are added to the topics of outputs while calls are open. Each call goes on in the
// partitions where it began, also in other processes; later calls use the added ones.
func TestACallKeepsItsOutputPartitions(t *testing.T) {
	t.Parallel()
	const calls, added = 30, 9
	r := newRig(t, 2)
	r.KeepFinals(2)
	r.Set.AuditRate = "1"
	quick := func(p *Processor) { p.topicsInterval = 50 * time.Millisecond }
	in := r.start("a", quick)
	say := func(call string, seq int64) *kgo.Record {
		return r.caller(int32(len(call)%2), call, seq, rosa)
	}
	feed := func(seq int64, prefix string, event func(call string, seq int64) *kgo.Record) {
		var recs []*kgo.Record
		for i := range calls {
			recs = append(recs, event(fmt.Sprint(prefix, i), seq))
		}
		r.Feed(recs...)
	}
	end := func(call string, seq int64) *kgo.Record { return r.Raw(int32(len(call)%2), ended(call, seq)) }
	feed(1, "early-", say)
	r.Await(r.Topics.Clean, calls)
	r.addPartitions(added)
	eventually(t, "the process to know the partitions", func() bool { return in.outputPartitions.Load().Clean == added })
	feed(2, "early-", say)
	feed(1, "late-", say)
	r.Await(r.Topics.Clean, 3*calls)
	in.mustStop(t)
	in = r.start("b", quick)
	feed(3, "early-", say)
	feed(2, "late-", say)
	r.Await(r.Topics.Clean, 5*calls)
	feed(4, "early-", end)
	feed(3, "late-", end)
	r.Await(r.Topics.Clean, 7*calls)
	feed(5, "early-", say) // within the grace period
	r.Await(r.Topics.Clean, 8*calls)
	in.mustStop(t)
	for _, topic := range []string{r.Set.TopicClean, r.Set.TopicAudit, r.Set.TopicFinal} {
		beyond := map[string]int{}
		for call, places := range r.placesOf(topic) {
			if len(places) != 1 {
				t.Errorf("%s: the events of %s are in partitions %v", topic, call, places)
			}
			if places[0] >= 2 {
				kind, _, _ := strings.Cut(call, "-")
				beyond[kind]++
			}
		}
		if beyond["early"] > 0 || beyond["late"] < calls/3 {
			t.Errorf("%s: %d early calls and %d late ones of %d are in added partitions", topic, beyond["early"], beyond["late"], calls)
		}
	}
	// A new call goes where any client of Kafka would have put its key.
	var recs []*kgo.Record
	other := r.Cluster.Name("elsewhere")
	for i := range calls {
		recs = append(recs, &kgo.Record{Topic: other, Key: []byte(fmt.Sprint("late-", i))})
	}
	if err := brokertest.CreateTopic(t.Context(), r.Cluster, other, added, nil); err != nil {
		t.Fatal(err)
	}
	if err := brokertest.Produce(t.Context(), r.Cluster, recs...); err != nil {
		t.Fatal(err)
	}
	places := r.placesOf(r.Set.TopicClean)
	for _, rec := range recs {
		if got := places[string(rec.Key)][0]; got != rec.Partition {
			t.Errorf("%s is in partition %d; the default partitioner says %d", rec.Key, got, rec.Partition)
		}
	}
}

// A topic of outputs is created again with fewer partitions while calls are open: the stream says how
// many it needs, and goes on when it has them.
func TestAnOutputTopicWithFewerPartitions(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	in := r.start("a")
	r.Feed(r.caller(0, "c", 1, rosa))
	r.Await(r.Topics.Clean, 1)
	in.mustStop(t)
	if _, err := r.admin().DeleteTopics(t.Context(), r.Topics.Clean); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the topic to be gone", func() bool {
		topics, err := r.admin().ListTopics(t.Context(), r.Topics.Clean)
		return err == nil && topics[r.Topics.Clean].Err != nil
	})
	if err := brokertest.CreateTopic(t.Context(), r.Cluster, r.Topics.Clean, 2, nil); err != nil {
		t.Fatal(err)
	}
	in = r.start("b")
	eventually(t, "the stream to say why it does not run", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "has 2 partitions and had 4 when open calls began") && strings.Contains(err.Error(), "docs/operating.md")
	})
	if _, err := r.admin().UpdatePartitions(t.Context(), 4, r.Topics.Clean); err != nil {
		t.Fatal(err)
	}
	r.Feed(r.caller(0, "c", 2, rosa))
	events := r.Clean(r.Await(r.Topics.Clean, 1))
	if events[0].Seq != 2 || events[0].Type != schemas.Utterance || events[0].Entities[0].ID != 1 {
		t.Errorf("the call did not go on: seq %d", events[0].Seq)
	}
	eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })
}
