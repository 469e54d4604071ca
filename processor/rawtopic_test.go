package processor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sotto/internal/testkit/brokertest"
)

// impatient notices within a second what it should notice within half a minute.
func impatient(p *Processor) {
	p.commitPatience, p.fetchPatience, p.topicPatience = 500*time.Millisecond, 500*time.Millisecond, 0
}

// deleteRaw deletes the raw topic and waits until it is gone.
func deleteRaw(t *testing.T, r *rig, adm *kadm.Client) {
	t.Helper()
	if _, err := adm.DeleteTopic(t.Context(), r.Topics.Raw); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the topic to be gone", func() bool {
		topics, err := adm.ListTopics(t.Context(), r.Topics.Raw)
		return err == nil && !topics.Has(r.Topics.Raw)
	})
}

// A stream whose raw topic is deleted is not ready and names the topic.
func TestADeletedRawTopicIsReported(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	in := r.start("a", impatient)
	r.Feed(speech(r, "c", 1, 2)...)
	r.Await(r.Topics.Clean, 2)
	deleteRaw(t, r, r.admin())
	eventually(t, "the stream not to be ready", func() bool { return in.Ready() != nil })
	eventually(t, "the log to name the topic", func() bool {
		return strings.Contains(r.log.String(), "topic "+r.Topics.Raw+" does not exist")
	})
}

// A stream does not continue by itself in a raw topic that was recreated, even if that has a record
// at its offset: it would skip the records before that. It continues where an operator says.
func TestARecreatedRawTopicIsRefused(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{true, false} {
		t.Run(fmt.Sprint("running ", running), func(t *testing.T) {
			r := newRig(t, 1)
			adm := r.admin()
			in := r.start("a", impatient)
			r.Feed(speech(r, "c", 1, 2)...)
			r.Await(r.Topics.Clean, 2)
			if !running {
				if err := in.stop(); err != nil {
					t.Fatal(err)
				}
			}
			deleteRaw(t, r, adm)
			if err := brokertest.CreateTopic(t.Context(), r.Cluster, r.Topics.Raw, 1, nil); err != nil {
				t.Fatal(err)
			}
			r.Feed(speech(r, "d", 1, 5)...)
			r.Feed(speech(r, "c", 3, 1)...)
			if !running {
				in = r.start("b", impatient)
			}
			eventually(t, "the partition to be stopped", func() bool {
				err := in.Ready()
				return err != nil && strings.Contains(err.Error(), "docs/operating.md")
			})
			if n := len(r.Read(r.Topics.Clean)); n != 2 {
				t.Errorf("%d clean events, want 2", n)
			}
			if err := in.stop(); err != nil {
				t.Fatal(err)
			}
			earliest := kadm.Offsets{}
			earliest.AddOffset(r.Topics.Raw, 0, 0, -1)
			eventually(t, "the offset to be set", func() bool { return adm.CommitAllOffsets(t.Context(), r.Group, earliest) == nil })
			r.start("c", impatient)
			clean := r.Clean(r.Await(r.Topics.Clean, 8))
			if n := len(clean); n != 8 {
				t.Errorf("%d clean events, want 8", n)
			}
			for _, e := range clean {
				if len(e.Entities) == 0 || e.Entities[0].ID != 1 {
					t.Errorf("call %s, seq %d does not continue with its numbers: %+v", e.CallID, e.Seq, e.Entities)
				}
			}
		})
	}
}
