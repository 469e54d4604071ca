package processor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// mirror copies records of a topic to a topic of another cluster, as a mirror does: keys,
// values, partitions and timestamps, but other offsets. It returns how many.
func mirror(from, to *rig, fromTopic, toTopic string, arrived func(*kgo.Record) bool) int {
	from.t.Helper()
	var copies []*kgo.Record
	for _, rec := range from.read(fromTopic) {
		if arrived(rec) {
			copies = append(copies, &kgo.Record{Topic: toTopic, Partition: rec.Partition, Key: rec.Key, Value: rec.Value, Timestamp: rec.Timestamp})
		}
	}
	to.feed(copies...)
	return len(copies)
}

// An unplanned loss of a cluster, as docs/operating.md and docs/scaling.md describe it: the
// other region has a mirror of the raw and the clean topic that lags, and an empty state
// topic. It starts from a time before the last clean event that was mirrored.
func TestRehearseTheLossOfACluster(t *testing.T) {
	here, there := newRig(t, 2), newRig(t, 2)
	began := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	var recs []*kgo.Record
	for seq := int64(1); seq <= 10; seq++ {
		for c := range 4 {
			rec := here.caller(int32(c%2), fmt.Sprintf("c-%d", c), seq, []string{"Rosa Lindqvist", "Tobias Ferrant"}[seq%2])
			rec.Timestamp = began.Add(time.Duration(seq) * time.Minute)
			recs = append(recs, rec)
		}
	}
	lost := here.start("a")
	here.feed(recs...)
	here.await(here.topics.Clean, len(recs))
	lost.kill() // with its whole cluster

	// The last records of both topics were not mirrored.
	mirroredRaw := mirror(here, there, here.topics.Raw, there.topics.Raw, func(rec *kgo.Record) bool {
		return rec.Timestamp.Before(began.Add(10 * time.Minute))
	})
	mirroredClean := mirror(here, there, here.topics.Clean, there.topics.Clean, func(rec *kgo.Record) bool {
		return here.clean([]*kgo.Record{rec})[0].Seq <= 7
	})

	// Steps 3 and 4: the offsets of a time that is the length of a long call earlier.
	at, err := there.admin().ListOffsetsAfterMilli(t.Context(), began.Add(2*time.Minute).UnixMilli(), there.topics.Raw)
	if err != nil {
		t.Fatal(err)
	}
	var offsets kadm.Offsets
	skipped := 0
	at.Each(func(o kadm.ListedOffset) {
		offsets.AddOffset(o.Topic, o.Partition, o.Offset, -1)
		skipped += int(o.Offset)
	})
	if skipped == 0 || skipped >= mirroredRaw {
		t.Fatalf("%d of %d records are before the time", skipped, mirroredRaw)
	}
	there.commit(there.group, offsets)
	there.start("b")
	all := there.await(there.topics.Clean, mirroredClean+mirroredRaw-skipped)

	// Readers drop what they have twice. Nothing that was mirrored is missing, and nothing is
	// left of what callers said about themselves.
	seen := map[string]int{}
	for _, e := range there.clean(all) {
		seen[fmt.Sprintf("%s %d", e.CallID, e.Seq)]++
		if strings.Contains(e.Text, "Rosa") || strings.Contains(e.Text, "Ferrant") {
			t.Errorf("%s %d: %s", e.CallID, e.Seq, e.Text)
		}
	}
	twice := 0
	for _, rec := range there.read(there.topics.Raw) {
		ev, err := there.codec.DecodeRaw(rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		switch id := fmt.Sprintf("%s %d", ev.CallID, ev.Seq); seen[id] {
		case 0:
			t.Errorf("%s is lost, although it was mirrored", id)
		case 2:
			twice++
		}
	}
	if twice == 0 {
		t.Error("no event is there twice, so the rehearsal shows nothing")
	}
	// Calls that come after the loss go on as ever.
	there.feed(there.caller(0, "after", 1, "Rosa Lindqvist"))
	there.await(there.topics.Clean, len(all)+1)
	if d := there.deadLetters(); len(d) > 0 {
		t.Errorf("%d dead letters: %+v", len(d), d[0])
	}
}
