package processor

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
)

// formerStream is what a former release left in its topics when it was stopped while it deferred
// events: two of the call "c", whose first event is written, and the only one of the call "d". It
// was recorded with the last release that had a hold-back, and the key of newRig.
type formerStream struct {
	Raw []struct{ Key, Value string }
	// States are the latest records of the state topic.
	States map[string][]byte
	// Offset and Metadata are what the group committed.
	Offset   int64
	Metadata string
}

// takeOverFormer fills the topics of a rig.
func takeOverFormer(r *rig) {
	r.T.Helper()
	data, err := os.ReadFile("testdata/former-deferred.json")
	if err != nil {
		r.T.Fatal(err)
	}
	var f formerStream
	if err := json.Unmarshal(data, &f); err != nil {
		r.T.Fatal(err)
	}
	for _, rec := range f.Raw {
		r.Feed(&kgo.Record{Topic: r.Topics.Raw, Key: []byte(rec.Key), Value: []byte(rec.Value)})
	}
	for id, sealed := range f.States {
		r.Feed(&kgo.Record{Topic: r.Topics.State, Key: []byte(id), Value: sealed})
	}
	// The state topic of the rig is another one, so its ID is left out.
	metadata := regexp.MustCompile(` state=\w+`).ReplaceAllString(f.Metadata, "")
	var o kadm.Offsets
	o.Add(kadm.Offset{Topic: r.Topics.Raw, At: f.Offset, LeaderEpoch: -1, Metadata: metadata})
	r.commit(r.Group, o)
}

// compareFormer compares the clean events with a run over all raw records in which every event is
// anonymized when it arrives. The former release wrote the first event of "c".
func compareFormer(r *rig) {
	r.T.Helper()
	want := newSerial(r, nil).Clean
	want["c"] = want["c"][1:]
	compare(r.T, "clean", byCall(r.Read(r.Topics.Clean)), want)
}

// Events that a former release deferred come out one by one, in order, exactly once and before
// anything else of their calls, although the first process that tries dies at it.
func TestDeferredEventsOfAFormerReleaseComeOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.RebalanceTimeout = 6 * time.Second
	if _, ok := r.Cluster.(*brokertest.Kfake); ok {
		r.Set.SessionTimeout = time.Second
	}
	takeOverFormer(r)
	r.Feed(r.Raw(0, utterance("c", 5, "customer", "two eight three oh three six six")))
	reached, release := make(chan struct{}, 100), make(chan struct{})
	first := r.start("a", func(p *Processor) {
		p.wrap = func(e engine) engine { return stuck{e, reached, release} }
	})
	<-reached
	first.kill()
	close(release)
	in := r.start("b")
	r.Await(r.Topics.Clean, 4)
	compareFormer(r)
	r.Feed(r.Raw(0, ended("c", 6)), r.Raw(0, ended("d", 7)))
	r.Await(r.Topics.Clean, 6)
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	compareFormer(r)
	if dead := r.DeadLetters(); len(dead) > 0 {
		t.Errorf("%d dead letters", len(dead))
	}
	for _, rec := range r.Read(r.Topics.State) {
		if len(rec.Value) > 0 && rec.Offset > 2 && rec.Value[0] != 1 {
			t.Error("a state that was written later has the version of one with staged events")
		}
	}
}

// They also come out if the first event that the stream reads ends the grace period of their calls.
func TestDeferredEventsOfAFormerReleaseComeOutBeforeTheirCallEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	takeOverFormer(r)
	step := r.Set.CallIdleTimeout / 5
	var recs []*kgo.Record
	for passed := step; passed < 2*r.Set.CallIdleTimeout; passed += step {
		e := utterance("e", int64(len(recs)), "agent", "hello")
		e.TimestampMS += passed.Milliseconds()
		recs = append(recs, r.Raw(0, e))
	}
	r.Feed(recs...)
	in := r.start("a")
	r.Await(r.Topics.Clean, 7)
	if err := in.stop(); err != nil {
		t.Error(err)
	}
	compareFormer(r)
}
