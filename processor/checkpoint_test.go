package processor

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/processor/partition"
)

// interrupted is a rig whose stream has two open calls and was stopped.
func interrupted(t *testing.T) (*rig, *kadm.Client) {
	r := newRig(t, 1)
	in := r.start("a")
	r.Feed(speech(r, "one", 1, 2)...)
	r.Feed(speech(r, "two", 1, 2)...)
	r.Await(r.Topics.Clean, 4)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...))
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
	clean := len(r.Read(r.Topics.Clean))
	in := r.start("b")
	eventually(t, "the partition to be stopped", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), why) && strings.Contains(err.Error(), "docs/operating.md")
	})
	r.Feed(speech(r, "one", 3, 1)...)
	time.Sleep(300 * time.Millisecond)
	if got := len(r.Read(r.Topics.Clean)); got != clean {
		t.Errorf("%d clean events were written", got-clean)
	}
	in.stop()
}

// resetToCurrent sets the offsets of the group to what they are, as docs/operating.md says: their
// metadata is gone then.
func resetToCurrent(t *testing.T, r *rig, adm *kadm.Client) {
	t.Helper()
	offsets, err := adm.FetchOffsets(t.Context(), r.Group)
	if err != nil {
		t.Fatal(err)
	}
	current := kadm.Offsets{}
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic == r.Topics.Raw {
			current.AddOffset(o.Topic, o.Partition, o.At, -1)
		}
	})
	if err := adm.CommitAllOffsets(t.Context(), r.Group, current); err != nil {
		t.Fatal(err)
	}
}

// Lost offsets must not make the stream write every event again. It continues after an operator has
// set them.
func TestLostOffsetsAreRefused(t *testing.T) {
	t.Parallel()
	r, adm := interrupted(t)
	if _, err := adm.DeleteGroup(t.Context(), r.Group); err != nil {
		t.Fatal(err)
	}
	refused(t, r, "the group has no offset")
	if err := adm.CommitAllOffsets(t.Context(), r.Group, kadm.Offsets{r.Topics.Raw: {0: {Topic: r.Topics.Raw, Partition: 0, At: 4, LeaderEpoch: -1}}}); err != nil {
		t.Fatal(err)
	}
	r.start("c")
	clean := r.Clean(r.Await(r.Topics.Clean, 5))
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
		if _, err := adm.DeleteTopic(t.Context(), r.Topics.State); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the topic to be gone", func() bool {
			topics, err := adm.ListTopics(t.Context(), r.Topics.State)
			return err == nil && !topics.Has(r.Topics.State)
		})
		if err := brokertest.CreateTopic(t.Context(), r.Cluster, r.Topics.State, 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
			t.Fatal(err)
		}
		refused(t, r, "recreated")
		resetToCurrent(t, r, adm)
		r.start("c")
		if n := len(r.Await(r.Topics.Clean, 5)); n != 5 {
			t.Errorf("%d clean events, want 5", n)
		}
	})
	t.Run("emptied", func(t *testing.T) {
		r, adm := interrupted(t)
		r.setCleanup(r.Topics.State, "compact,delete") // Kafka does not delete records of a topic that is only compacted
		r.deleteRecords(r.Topics.State, 0, -1)
		r.setCleanup(r.Topics.State, "compact")
		refused(t, r, "states of 2 calls, of which the state topic has 0")
		resetToCurrent(t, r, adm)
		r.start("c")
		if n := len(r.Await(r.Topics.Clean, 5)); n != 5 {
			t.Errorf("%d clean events, want 5", n)
		}
	})
}

// A broker that becomes the leader of a partition without the latest records cuts its log off. Then
// the topic holds as many calls as before, of which some have an earlier state, and it may be longer
// than before when somebody looks.
func TestStatesThatAreNotTheLatestAreRefused(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, change func(*rig)) (*rig, *kadm.Client) {
		r := newGraphRig(t, 1)
		r.Set.IndirectMinCalls = 1
		in := r.start("a")
		r.Feed(r.caller(0, "c", 1, rosa))
		r.Await(r.Topics.Clean, 1)
		r.said(0, "one", "hello there")
		r.Await(r.Topics.Clean, 3)
		r.Feed(r.caller(0, "c", 2, hugo))
		r.said(0, "two", "hello again")
		r.Await(r.Topics.Clean, 6)
		in.mustStop(t)
		change(r)
		return r, r.admin()
	}
	first := func(r *rig, topic string, is func(*kgo.Record) bool) *kgo.Record {
		for _, rec := range r.Read(topic) {
			if is(rec) {
				return &kgo.Record{Topic: topic, Partition: rec.Partition, Key: rec.Key, Value: rec.Value}
			}
		}
		t.Error("there is no such record")
		return nil
	}
	chunk := func(rec *kgo.Record) bool {
		id, _, ok := partition.ParseChunkKey(string(rec.Key))
		return ok && id == "c"
	}
	shorter := func(field string) func(*rig) { return func(r *rig) { r.mustHold(field) } }
	for name, c := range map[string]struct {
		change func(*rig)
		why    string
	}{
		"an earlier state": {func(r *rig) {
			r.Feed(first(r, r.Topics.State, func(rec *kgo.Record) bool { return string(rec.Key) == "c" }))
		}, "does not hold what it held"},
		"a lost chunk": {func(r *rig) {
			rec := first(r, r.Topics.State, chunk)
			rec.Value = nil
			r.Feed(rec)
		}, "does not hold what it held"},
		"a shorter log": {shorter("states.end"), "although the brokers have acknowledged what is before offset 1000"},
		"an earlier word": {func(r *rig) {
			r.Feed(first(r, r.Set.TopicIndirect, func(rec *kgo.Record) bool { return len(rec.Key) == 12 && rec.Value[0] == 1 }))
		}, "does not hold what it held"},
		"a shorter graph": {shorter("grams.end"), "although the brokers have acknowledged what is before offset 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, adm := open(t, c.change)
			in := r.start("b")
			eventually(t, "the partition to be stopped", func() bool {
				err := in.Ready()
				return err != nil && strings.Contains(err.Error(), c.why) && strings.Contains(err.Error(), "docs/")
			})
			in.mustStop(t)
			resetToCurrent(t, r, adm)
			r.start("c")
			r.Feed(r.caller(0, "d", 1, rosa))
			r.Await(r.Topics.Clean, 7)
		})
	}
}

// mustHold makes the committed offset say that a topic must end at offset 1000 at least.
func (r *rig) mustHold(field string) {
	r.T.Helper()
	offsets, err := r.admin().FetchOffsets(r.T.Context(), r.Group)
	if err != nil {
		r.T.Fatal(err)
	}
	at, _ := offsets.Lookup(r.Topics.Raw, 0)
	set := kadm.Offset{Topic: r.Topics.Raw, At: at.At, LeaderEpoch: -1, Metadata: regexp.MustCompile(field+`=\d+`).ReplaceAllString(at.Metadata, field+"=1000")}
	if set.Metadata == at.Metadata {
		r.T.Errorf("%q lacks %s", at.Metadata, field)
	}
	r.commit(r.Group, kadm.Offsets{r.Topics.Raw: {0: set}})
}

// A log that was cut off may end in a transaction whose end is lost: nobody can read it to its end. The
// partition is stopped by what must be there, at once.
func TestAShorterLogThatEndsInATransaction(t *testing.T) {
	t.Parallel()
	r, _ := interrupted(t)
	r.mustHold("states.end")
	r.begin(r.upstream("cut-off"), &kgo.Record{Topic: r.Topics.State, Key: []byte("one"), Value: []byte("half")})
	refused(t, r, "although the brokers have acknowledged what is before offset 1000")
}

// A stream that cannot commit is not ready. It is ready again once it can.
func TestAStreamThatCannotCommitIsNotReady(t *testing.T) {
	t.Parallel()
	r, _ := fakeRig(t, 1)
	in := r.start("a", func(p *Processor) { p.commitPatience, p.topicPatience = 500*time.Millisecond, 0 })
	r.Feed(speech(r, "c", 1, 1)...)
	r.Await(r.Topics.Clean, 1)
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Cluster.Brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	if _, err := adm.DeleteTopic(t.Context(), r.Topics.Audit); err != nil {
		t.Fatal(err)
	}
	if _, err := adm.DeleteTopic(t.Context(), r.Topics.State); err != nil {
		t.Fatal(err)
	}
	r.Feed(speech(r, "d", 1, 1)...)
	eventually(t, "the stream not to be ready", func() bool { return in.Ready() != nil })
	eventually(t, "the log to name the topic", func() bool {
		return strings.Contains(r.log.String(), "topic "+r.Topics.State+" does not exist")
	})
}
