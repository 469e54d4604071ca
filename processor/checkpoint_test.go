package processor

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// interrupted is a rig whose stream has two open calls and was stopped.
func interrupted(t *testing.T) (*rig, *kadm.Client) {
	r := newRig(t, 1)
	in := r.start("a")
	r.feed(speech(r, "one", 1, 2)...)
	r.feed(speech(r, "two", 1, 2)...)
	r.await(r.topics.Clean, 4)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.cluster.Brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return r, kadm.NewClient(cl)
}

// refused starts the stream again and checks that it stops the partition, gives the reason, and
// writes nothing.
func refused(t *testing.T, r *rig, why string) {
	t.Helper()
	clean := len(r.read(r.topics.Clean))
	in := r.start("b")
	eventually(t, "the partition to be stopped", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), why) && strings.Contains(err.Error(), "docs/operating.md")
	})
	r.feed(speech(r, "one", 3, 1)...)
	time.Sleep(300 * time.Millisecond)
	if got := len(r.read(r.topics.Clean)); got != clean {
		t.Errorf("%d clean events were written", got-clean)
	}
	in.stop()
}

// resetToCurrent sets the offsets of the group to what they are, as docs/operating.md says: their
// metadata is gone then.
func resetToCurrent(t *testing.T, r *rig, adm *kadm.Client) {
	t.Helper()
	offsets, err := adm.FetchOffsets(t.Context(), r.group)
	if err != nil {
		t.Fatal(err)
	}
	current := kadm.Offsets{}
	offsets.Each(func(o kadm.OffsetResponse) { current.AddOffset(o.Topic, o.Partition, o.At, o.LeaderEpoch) })
	if err := adm.CommitAllOffsets(t.Context(), r.group, current); err != nil {
		t.Fatal(err)
	}
}

// Lost offsets must not make the stream write every event again. It continues after an operator has
// set them.
func TestLostOffsetsAreRefused(t *testing.T) {
	t.Parallel()
	r, adm := interrupted(t)
	if _, err := adm.DeleteGroup(t.Context(), r.group); err != nil {
		t.Fatal(err)
	}
	refused(t, r, "the group has no offset")
	if err := adm.CommitAllOffsets(t.Context(), r.group, kadm.Offsets{r.topics.Raw: {0: {Topic: r.topics.Raw, Partition: 0, At: 4, LeaderEpoch: -1}}}); err != nil {
		t.Fatal(err)
	}
	r.start("c")
	clean := r.clean(r.await(r.topics.Clean, 5))
	if e := clean[len(clean)-1]; len(e.Entities) == 0 || e.Entities[0].ID != 1 {
		t.Errorf("the numbering did not continue: %+v", e.Entities)
	}
}

// A state topic that was recreated or emptied must not restart the numbering of open calls by
// itself. After an operator has accepted that, no event is written twice.
func TestLostStatesAreRefused(t *testing.T) {
	t.Parallel()
	t.Run("recreated", func(t *testing.T) {
		r, adm := interrupted(t)
		if _, err := adm.DeleteTopic(t.Context(), r.topics.State); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the topic to be gone", func() bool {
			topics, err := adm.ListTopics(t.Context(), r.topics.State)
			return err == nil && !topics.Has(r.topics.State)
		})
		if err := brokertest.CreateTopic(t.Context(), r.cluster, r.topics.State, 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
			t.Fatal(err)
		}
		refused(t, r, "recreated")
		resetToCurrent(t, r, adm)
		r.start("c")
		if n := len(r.await(r.topics.Clean, 5)); n != 5 {
			t.Errorf("%d clean events, want 5", n)
		}
	})
	t.Run("emptied", func(t *testing.T) {
		r, adm := interrupted(t)
		r.setCleanup(r.topics.State, "compact,delete") // Kafka does not delete records of a topic that is only compacted
		r.deleteRecords(r.topics.State, 0, -1)
		r.setCleanup(r.topics.State, "compact")
		refused(t, r, "states of 2 calls, of which the state topic has 0")
		resetToCurrent(t, r, adm)
		r.start("c")
		if n := len(r.await(r.topics.Clean, 5)); n != 5 {
			t.Errorf("%d clean events, want 5", n)
		}
	})
}

// A stream that cannot commit is not ready. It is ready again once it can.
func TestAStreamThatCannotCommitIsNotReady(t *testing.T) {
	t.Parallel()
	r, _ := fakeRig(t, 1)
	in := r.start("a", func(p *Processor) { p.commitPatience, p.topicPatience = 500*time.Millisecond, 0 })
	r.feed(speech(r, "c", 1, 1)...)
	r.await(r.topics.Clean, 1)
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.cluster.Brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	if _, err := adm.DeleteTopic(t.Context(), r.topics.Audit); err != nil {
		t.Fatal(err)
	}
	if _, err := adm.DeleteTopic(t.Context(), r.topics.State); err != nil {
		t.Fatal(err)
	}
	r.feed(speech(r, "d", 1, 1)...)
	eventually(t, "the stream not to be ready", func() bool { return in.Ready() != nil })
	eventually(t, "the log to name the topic", func() bool {
		return strings.Contains(r.log.String(), "topic "+r.topics.State+" does not exist")
	})
}
