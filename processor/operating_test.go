package processor

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// These tests follow the procedures of docs/operating.md step by step, as an operator would.
// Rotating keys and putting one back is in fault_test.go.

func (r *rig) admin() *kadm.Client {
	r.T.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...))
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

// deleteRecords does what kafka-delete-records does; an offset of -1 deletes all records.
func (r *rig) deleteRecords(topic string, partition int32, before int64) {
	r.T.Helper()
	var o kadm.Offsets
	o.AddOffset(topic, partition, before, -1)
	if before < 0 {
		ends, err := r.admin().ListEndOffsets(r.T.Context(), topic)
		if err != nil {
			r.T.Fatal(err)
		}
		end, _ := ends.Lookup(topic, partition)
		o.AddOffset(topic, partition, end.Offset, -1)
	}
	// A broker may not know yet that the topic's policy permits it.
	brokertest.Eventually(r.T, 20*time.Second, "the broker to delete records", func() bool {
		deleted, err := r.admin().DeleteRecords(r.T.Context(), o)
		if err == nil {
			err = deleted.Error()
		}
		if err != nil && !errors.Is(err, kerr.PolicyViolation) {
			r.T.Fatal(err)
		}
		return err == nil
	})
}

func (r *rig) setCleanup(topic, policy string) {
	r.T.Helper()
	if err := brokertest.Configure(r.T.Context(), r.Cluster, topic, map[string]string{"cleanup.policy": policy}); err != nil {
		r.T.Fatal(err)
	}
}

// commit does what kafka-consumer-groups --reset-offsets does.
func (r *rig) commit(group string, o kadm.Offsets) {
	r.T.Helper()
	committed, err := r.admin().CommitOffsets(r.T.Context(), group, o)
	if err == nil {
		err = committed.Error()
	}
	if err != nil {
		r.T.Fatal(err)
	}
}

// caller is an event in which a speaker gives a name.
func (r *rig) caller(partition int32, call string, seq int64, name string) *kgo.Record {
	return r.Raw(partition, utterance(call, seq, "x", "this is "+name+" speaking"))
}

// numbers returns the numbers of the names in a call, by seq, and the number of its clean events.
func (r *rig) numbers(call string) (numbers map[int64]int, events int) {
	r.T.Helper()
	numbers = map[int64]int{}
	for _, e := range r.Clean(r.Read(r.Topics.Clean)) {
		if e.CallID != call {
			continue
		}
		events++
		for _, x := range e.Entities {
			if x.Type == "PERSON_NAME" {
				numbers[e.Seq] = x.ID
			}
		}
	}
	return numbers, events
}

func (r *rig) checkNumbers(call string, want map[int64]int) {
	r.T.Helper()
	if got, n := r.numbers(call); n != len(want) || !maps.Equal(got, want) {
		r.T.Errorf("call %s has the numbers %v in %d events, want %v", call, got, n, want)
	}
}

// secondTopics creates the topics of a second release.
func (r *rig) secondTopics(partitions int32) brokertest.Topics {
	r.T.Helper()
	name := func(base string) string { return r.Cluster.Name("second." + base) }
	topics := brokertest.Topics{Raw: name("raw"), Clean: name("clean"), Audit: name("audit"), State: name("state"), DeadLetter: name("dead")}
	for _, topic := range []string{topics.Raw, topics.Clean, topics.Audit, topics.State, topics.DeadLetter} {
		var config map[string]string
		if topic == topics.State {
			config = map[string]string{"cleanup.policy": "compact"}
		}
		if err := brokertest.CreateTopic(r.T.Context(), r.Cluster, topic, partitions, config); err != nil {
			r.T.Fatal(err)
		}
	}
	return topics
}

const rosa, hugo = "Rosa Lindqvist", "Hugo Brandt"

func (in *instance) mustStop(t *testing.T) {
	t.Helper()
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
}

func TestRehearseAStateTopicThatIsDamaged(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	in := r.start("a")
	r.Feed(r.caller(0, "damaged", 1, rosa), r.caller(1, "kept", 1, rosa))
	r.Await(r.Topics.Clean, 2)
	in.mustStop(t)
	r.Feed(&kgo.Record{Topic: r.Topics.State, Partition: 0, Key: []byte("damaged"), Value: []byte("anything")})

	in = r.start("a")
	r.Feed(r.caller(0, "damaged", 2, hugo), r.caller(1, "kept", 2, hugo))
	r.Await(r.Topics.Clean, 3)
	eventually(t, "partition 0 to stop", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "partition 0 is stopped")
	})
	in.mustStop(t)

	// Kafka does not delete records of a topic that is only compacted.
	r.setCleanup(r.Topics.State, "compact,delete")
	r.deleteRecords(r.Topics.State, 0, -1)
	r.setCleanup(r.Topics.State, "compact")
	// The stream does not restart the numbering of the call by itself.
	in = r.start("a")
	eventually(t, "partition 0 to stop", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "docs/operating.md")
	})
	in.mustStop(t)
	r.resetToCurrent(0)
	in = r.start("a")
	r.Await(r.Topics.Clean, 4)
	eventually(t, "all partitions", func() bool { return in.Ready() == nil })
	r.checkNumbers("kept", map[int64]int{1: 1, 2: 2})
	// The guide tells operators to announce this to the readers.
	r.checkNumbers("damaged", map[int64]int{1: 1, 2: 1})
}

// resetToCurrent sets the committed offset of a raw partition to itself, as
// kafka-consumer-groups.sh --reset-offsets --to-current does.
func (r *rig) resetToCurrent(partition int32) {
	r.T.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...))
	if err != nil {
		r.T.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	ctx, cancel := context.WithTimeout(r.T.Context(), time.Minute)
	defer cancel()
	if err := brokertest.WaitFor(ctx, "the offsets to be set", func(ctx context.Context) (bool, error) { // the coordinator may be moving
		now, err := adm.FetchOffsets(ctx, r.Group)
		if err != nil {
			return false, err
		}
		at, _ := now.Lookup(r.Topics.Raw, partition)
		var set kadm.Offsets
		set.AddOffset(r.Topics.Raw, partition, at.At, -1)
		return true, adm.CommitAllOffsets(ctx, r.Group, set)
	}); err != nil {
		r.T.Fatal(err)
	}
}

func TestRehearseARawTopicThatWasTooShort(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	in := r.start("a")
	r.Feed(r.caller(0, "c", 1, rosa), r.caller(0, "c", 2, rosa))
	r.Await(r.Topics.Clean, 2)
	in.mustStop(t)
	r.Feed(r.caller(0, "c", 3, rosa), r.caller(0, "c", 4, rosa), r.caller(0, "c", 5, hugo))
	r.deleteRecords(r.Topics.Raw, 0, 4)

	in = r.start("a")
	select {
	case <-in.done:
	case <-time.After(30 * time.Second):
		t.Fatal("the processor continues although records are gone")
	}
	if !errors.Is(in.err, errFatal) || !strings.Contains(in.err.Error(), "no longer has the committed offset") {
		t.Fatalf("it ended with %v", in.err)
	}

	starts, err := r.admin().ListStartOffsets(t.Context(), r.Topics.Raw)
	if err != nil {
		t.Fatal(err)
	}
	r.commit(r.Group, starts.Offsets()) // as --to-earliest does, without metadata
	r.start("a")
	r.Await(r.Topics.Clean, 3)
	r.checkNumbers("c", map[int64]int{1: 1, 2: 1, 5: 2})
}

func TestRehearseMovingAGroup(t *testing.T) {
	t.Parallel()
	for name, metadata := range map[string]bool{"with the metadata": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2)
			in := r.start("a")
			r.Feed(r.caller(0, "c", 1, rosa), r.caller(1, "d", 1, rosa))
			r.Await(r.Topics.Clean, 2)
			in.mustStop(t)

			offsets, err := r.admin().FetchOffsets(t.Context(), r.Group)
			if err != nil {
				t.Fatal(err)
			}
			moved := offsets.Offsets()
			if !metadata {
				for _, partitions := range moved {
					for p, o := range partitions {
						o.Metadata = ""
						partitions[p] = o
					}
				}
			}
			if _, err := r.admin().DeleteGroup(t.Context(), r.Group); err != nil {
				t.Fatal(err)
			}
			r.Group += "-renamed"
			r.Set.Group = r.Group
			r.commit(r.Group, moved)
			r.start("a")
			r.Feed(r.caller(0, "c", 2, hugo), r.caller(1, "d", 2, hugo), r.Raw(0, ended("c", 3)))
			sameAsSerial(t, r)
			r.checkNumbers("d", map[int64]int{1: 1, 2: 2})
		})
	}
}

func TestRehearseProcessingAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.Set.AuditRate = "0.5"
	r.start("a")
	for p, call := range []string{"c", "d"} {
		r.Feed(r.caller(int32(p), call, 1, rosa), r.caller(int32(p), call, 2, hugo), r.Raw(int32(p), ended(call, 3)))
	}
	first := byCall(r.Await(r.Topics.Clean, 6))

	topics := r.secondTopics(2)
	topics.Raw = r.Topics.Raw
	again := newRigWith(t, r.Cluster, topics, r.Cluster.Name("again"))
	again.Set.AuditRate = "0.5"
	again.start("b")
	compare(t, "clean", byCall(again.Await(topics.Clean, 6)), first)
}

func TestRehearseMorePartitions(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	in := r.start("a")
	r.Feed(r.caller(0, "old", 1, rosa))
	r.Await(r.Topics.Clean, 1)

	topics := r.secondTopics(5)
	topics.Clean = r.Topics.Clean
	wider := newRigWith(t, r.Cluster, topics, r.Cluster.Name("wider"))
	second := wider.start("b")
	r.Feed(r.caller(0, "old", 2, hugo), wider.caller(4, "new", 1, hugo))
	r.Await(r.Topics.Clean, 3)
	in.mustStop(t)
	r.Feed(wider.caller(4, "new", 2, rosa))
	r.Await(r.Topics.Clean, 4)
	if err := second.Ready(); err != nil {
		t.Error(err)
	}
	r.checkNumbers("old", map[int64]int{1: 1, 2: 2})
	r.checkNumbers("new", map[int64]int{1: 1, 2: 2})
}

// Partitions that are added while calls are open stop the stream, whether it runs or not, before
// any call has two numberings. It goes on when somebody sets the offsets.
func TestRehearseAddedPartitions(t *testing.T) {
	t.Parallel()
	for name, running := range map[string]bool{"while it runs": true, "while it is stopped": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2)
			start := func() *instance {
				return r.start("a", func(p *Processor) { p.ownerInterval = 100 * time.Millisecond })
			}
			in := start()
			r.Feed(r.caller(0, "c", 1, rosa), r.caller(1, "d", 1, rosa))
			r.Await(r.Topics.Clean, 2)
			if !running {
				in.mustStop(t)
			}
			if _, err := r.admin().UpdatePartitions(t.Context(), 4, r.Topics.Raw); err != nil {
				t.Fatal(err)
			}
			if running {
				eventually(t, "the reason in the log", func() bool { return strings.Contains(r.log.String(), "partitions were added while the stream ran") })
			}
			if _, err := r.admin().UpdatePartitions(t.Context(), 4, r.Topics.State); err != nil {
				t.Fatal(err)
			}
			if !running {
				// A stream that starts while a broker does not know them yet ends with an error.
				eventually(t, "the broker to know the partitions", func() bool {
					topics, err := r.admin().ListTopics(t.Context(), r.Topics.Raw, r.Topics.State)
					return err == nil && len(topics[r.Topics.Raw].Partitions) == 4 && len(topics[r.Topics.State].Partitions) == 4
				})
				in = start()
			}
			eventually(t, "the partitions to be stopped", func() bool {
				err := in.Ready()
				return err != nil && strings.Contains(err.Error(), "Partitions were added")
			})
			r.Feed(r.caller(3, "c", 2, rosa), r.caller(1, "d", 2, rosa))
			time.Sleep(300 * time.Millisecond)
			if n := len(r.Read(r.Topics.Clean)); n != 2 {
				t.Errorf("%d clean events were written", n-2)
			}
			in.mustStop(t)
			// As the page says.
			r.resetToCurrent(0)
			r.resetToCurrent(1)
			starts, err := r.admin().ListStartOffsets(t.Context(), r.Topics.Raw)
			if err != nil {
				t.Fatal(err)
			}
			delete(starts[r.Topics.Raw], 0)
			delete(starts[r.Topics.Raw], 1)
			r.commit(r.Group, starts.Offsets())
			in = start()
			r.Await(r.Topics.Clean, 4)
			in.mustStop(t)
			r.start("a")
			r.Feed(r.caller(3, "c", 3, rosa))
			r.Await(r.Topics.Clean, 5)
		})
	}
}
