package processor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/processor/partition"
)

// A session that cannot commit what it has read is not ready, nor is its successor before it has read
// anything, until the records are committed or belong to another member.
func TestReadyWhenAnotherMemberHasTheRecords(t *testing.T) {
	polled := func(recs ...*kgo.Record) kgo.Fetches {
		return kgo.Fetches{{Topics: []kgo.FetchTopic{{Topic: "raw", Partitions: []kgo.FetchPartition{{Partition: 3, Records: recs}}}}}}
	}
	p := &Processor{}
	restored := func(next int64) *session {
		s := &session{p: p, parts: map[int32]*partition.Partition{}, idle: map[int32]idleness{}}
		s.health.Join([]int32{3})
		if s.caughtUp(nil) {
			t.Error("caught up before the partition is restored")
		}
		part := partition.New(3, partition.Limits{OutputPartitions: func() partition.OutputPartitions { return partition.OutputPartitions{} }})
		part.Ready(next, partition.Checkpoint{})
		s.queueAssignmentChange(assignmentChange{assigned: part})
		s.health.Clear(3)
		return s
	}
	s := restored(10)
	if !s.caughtUp(nil) {
		t.Error("not caught up although nothing was read")
	}
	s.waiting().read(polled(&kgo.Record{Partition: 3, Offset: 14}))
	s.waiting().failed(errors.New("the reason"), true)
	s.waiting().failed(errors.New("another reason"), false)
	if s.caughtUp(nil) {
		t.Error("caught up although what was read is not committed")
	}
	next := restored(10)
	if next.caughtUp(nil) {
		t.Error("the next session is caught up although what was read is not committed")
	}
	if err := p.waiting[0].ready(time.Hour); err == nil || !strings.Contains(err.Error(), "another reason") {
		t.Errorf("got %v, want not ready with the last reason", err)
	}
	if !restored(15).caughtUp(nil) {
		t.Error("not caught up although another member has committed the records")
	}
	next.queueAssignmentChange(assignmentChange{revoked: []int32{3}})
	if !next.caughtUp(nil) {
		t.Error("not caught up although the partition belongs to another member")
	}
	next.waiting().done()
	if err := p.waiting[0].ready(0); err != nil {
		t.Errorf("not ready: %v", err)
	}
}

// A broker refuses every clean event. The session is recreated, and the stream is not ready from then
// on, until the broker accepts one.
func TestNotReadyUntilACommitSucceeds(t *testing.T) {
	t.Parallel()
	r, fake := fakeRig(t, 1)
	in := r.start("a")
	r.Feed(speech(r, "c", 1, 1)...)
	r.Await(r.Topics.Clean, 1)
	f := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: r.Topics.Clean, Err: kerr.PolicyViolation, Count: -1})
	r.Feed(speech(r, "c", 2, 1)...)
	eventually(t, "the stream not to be ready", func() bool { return in.Ready() != nil })
	eventually(t, "another session", func() bool {
		if in.Ready() == nil {
			t.Fatal("ready although nothing can be written")
		}
		return strings.Count(r.log.String(), "the session is recreated") > 1
	})
	if err := in.Ready(); err == nil || !strings.Contains(err.Error(), "Write on topic "+r.Topics.Clean) {
		t.Errorf("got %v, want the operation and the topic", err)
	}
	f.Remove()
	eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })
	sameAsSerial(t, r)
}
