package processor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/streamtest"
)

func (r *rig) intrude(protocol string) *streamtest.Intruder {
	r.T.Helper()
	return streamtest.Intrude(r.T, r.Cluster, r.Group, r.Topics.Raw, protocol)
}

// callsTo feeds n events of a call to each of some partitions, and returns how many that are.
func (r *rig) callsTo(partitions int32, from, n int64) int {
	r.T.Helper()
	var recs []*kgo.Record
	for id := range partitions {
		for seq := from; seq < from+n; seq++ {
			recs = append(recs, r.caller(id, fmt.Sprint("call-", id), seq, rosa))
		}
	}
	r.Feed(recs...)
	return len(recs)
}

// stoppedBy returns the partitions that are stopped, of what the log says.
func (r *rig) stoppedBy() map[int32]streamtest.Stop { return streamtest.StopsIn(r.log.String()) }

// checkOnce checks that every event of the calls was written once, with the number 1 for its name.
func (r *rig) checkOnce(partitions int32, events int64) {
	r.T.Helper()
	for id := range partitions {
		seen := map[int64]int{}
		for _, e := range r.Clean(r.Read(r.Topics.Clean)) {
			if e.CallID != fmt.Sprint("call-", id) {
				continue
			}
			seen[e.Seq]++
			if len(e.Entities) != 1 || e.Entities[0].ID != 1 {
				r.T.Errorf("partition %d, seq %d has other numbers", id, e.Seq)
			}
		}
		for seq := int64(1); seq <= events; seq++ {
			if seen[seq] != 1 {
				r.T.Errorf("partition %d, seq %d was written %d times", id, seq, seen[seq])
			}
		}
	}
}

// goOnFromWhereItWas does what docs/operating.md says after another consumer was in the group.
func (r *rig) goOnFromWhereItWas() {
	r.T.Helper()
	var set kadm.Offsets
	for id, at := range r.stoppedBy() {
		set.AddOffset(r.Topics.Raw, id, at.Next, -1)
	}
	r.commit(r.Group, set)
}

func awaitReading(t *testing.T, i *streamtest.Intruder, n int64) {
	t.Helper()
	eventually(t, "the other consumer to read events", func() bool { return i.Read() >= n })
}

// A consumer that runs in the group of the stream for a while takes events from it. The partitions
// that it had are stopped, and with the procedure of the message nothing is lost and nothing doubled.
func TestAnotherConsumerInTheGroupLosesNothing(t *testing.T) {
	t.Parallel()
	const partitions = 4
	for protocol := range streamtest.Protocols {
		if protocol == "range" { // cannot join; see below
			continue
		}
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, partitions)
			in := r.start("a")
			r.Await(r.Topics.Clean, r.callsTo(partitions, 1, 5))
			other := r.intrude(protocol)
			eventually(t, "the stream to name the other consumer", func() bool {
				err := in.Ready()
				return err != nil && strings.Contains(err.Error(), "another consumer in the group takes the events") && strings.Contains(err.Error(), `client ID "reporting"`)
			})
			r.callsTo(partitions, 6, 5)
			awaitReading(t, other, 5)
			other.Leave()
			eventually(t, "the partitions to be stopped", func() bool {
				err := in.Ready()
				return err != nil && strings.Contains(err.Error(), "is stopped") && strings.Contains(err.Error(), `client ID "reporting"`) && strings.Contains(err.Error(), "docs/operating.md")
			})
			r.callsTo(partitions, 11, 2)
			time.Sleep(300 * time.Millisecond)
			in.mustStop(t)
			// Also a process that knows nothing of it stops them.
			in = r.start("b")
			eventually(t, "the partitions to be stopped again", func() bool {
				err := in.Ready()
				return err != nil && strings.Contains(err.Error(), "is stopped")
			})
			in.mustStop(t)
			r.goOnFromWhereItWas()
			in = r.start("c")
			r.Await(r.Topics.Clean, 12*partitions)
			if err := in.Ready(); err != nil {
				t.Error(err)
			}
			r.checkOnce(partitions, 12)
		})
	}
}

// A consumer runs alone in the group while the stream does not.
func TestAnotherConsumerWhileTheStreamWasStopped(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"range", "KIP-848"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			in := r.start("a")
			r.Await(r.Topics.Clean, r.callsTo(2, 1, 3))
			in.mustStop(t)
			r.callsTo(2, 4, 3)
			other := r.intrude(protocol)
			awaitReading(t, other, 6)
			in = r.start("b") // while the other one is there
			time.Sleep(300 * time.Millisecond)
			other.Leave()
			eventually(t, "the partitions to be stopped", func() bool { return len(r.stoppedBy()) == 2 })
			in.mustStop(t)
			r.goOnFromWhereItWas()
			r.start("c")
			r.Await(r.Topics.Clean, 12)
			r.checkOnce(2, 6)
		})
	}
}

// The stream starts for the first time beside a consumer that is in the group already.
func TestTheFirstStartBesideAnotherConsumer(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.callsTo(2, 1, 3)
	other := r.intrude("range")
	awaitReading(t, other, 6)
	eventually(t, "the other consumer to commit", func() bool {
		offsets, err := r.admin().FetchOffsets(t.Context(), r.Group)
		return err == nil && len(offsets[r.Topics.Raw]) == 2
	})
	in := r.start("a")
	eventually(t, "the stream to name the other consumer", func() bool {
		return strings.Contains(r.log.String(), "another consumer is in the group")
	})
	other.Leave()
	eventually(t, "the partitions to be stopped", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "an unknown part of its records")
	})
	if n := len(r.Read(r.Topics.Clean)); n > 0 {
		t.Errorf("%d events were written", n)
	}
}

// What a person does with the offsets while the stream is stopped is done: records are read again, a
// part of the topic is skipped only if the mark is deleted, too.
func TestAPersonsOffsetsAreAccepted(t *testing.T) {
	t.Parallel()
	set := func(r *rig, next int64) {
		var o kadm.Offsets
		o.AddOffset(r.Topics.Raw, 0, next, -1)
		r.commit(r.Group, o)
	}
	for name, c := range map[string]struct {
		prepare func(*rig)
		next    int64
		stops   bool
		want    []int64
	}{
		"read again":           {nil, 1, false, []int64{1, 2, 3, 2, 3, 4, 5}},
		"as it is":             {nil, -1, false, []int64{1, 2, 3, 4, 5}},
		"skipped by mistake":   {nil, 4, true, []int64{1, 2, 3}},
		"skipped on purpose":   {func(r *rig) { r.deleteMark(0) }, 4, false, []int64{1, 2, 3, 5}},
		"skipped what is gone": {func(r *rig) { r.deleteRecords(r.Topics.Raw, 0, 4) }, 4, false, []int64{1, 2, 3, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			in := r.start("a")
			r.Await(r.Topics.Clean, r.callsTo(1, 1, 3))
			in.mustStop(t)
			offsets, err := r.admin().FetchOffsets(t.Context(), r.Group)
			if err != nil {
				t.Fatal(err)
			}
			at, _ := offsets.Lookup(r.Topics.Raw, 0)
			r.callsTo(1, 4, 2)
			if c.prepare != nil {
				c.prepare(r)
			}
			if c.next < 0 {
				c.next = at.At
			}
			set(r, c.next)
			in = r.start("b")
			if c.stops {
				eventually(t, "the partition to be stopped", func() bool { return len(r.stoppedBy()) == 1 })
			}
			events := r.Clean(r.Await(r.Topics.Clean, len(c.want)))
			if !c.stops {
				eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })
			}
			var got []int64
			for _, e := range events {
				got = append(got, e.Seq)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the events %v were written, want %v", got, c.want)
			}
		})
	}
}

// deleteMark does what kafka-consumer-groups --delete-offsets does.
func (r *rig) deleteMark(partition int32) {
	r.T.Helper()
	set := kadm.TopicsSet{}
	set.Add(r.Topics.State, partition)
	deleted, err := r.admin().DeleteOffsets(r.T.Context(), r.Group, set)
	if err == nil {
		err = deleted.Error()
	}
	if err != nil {
		r.T.Fatal(err)
	}
}
