package chaos

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	"sotto/schemas"
)

// historyOptions say how a history is compared.
type historyOptions struct {
	// wrap, if not nil, replaces the engine of the serial run.
	wrap func(anonymize.Anonymizer) anonymize.Anonymizer
	// canonical, if not nil, removes the fields of a clean or audit event that need not be equal.
	canonical func(value []byte) []byte
}

// values makes the values of records canonical.
func (o historyOptions) values(recs []*kgo.Record) []*kgo.Record {
	if o.canonical == nil {
		return recs
	}
	for _, rec := range recs {
		rec.Value = o.canonical(rec.Value)
	}
	return recs
}

// texts makes the values of calls canonical.
func (o historyOptions) texts(byCall map[string][]string) map[string][]string {
	if o.canonical != nil {
		for _, values := range byCall {
			for i, v := range values {
				values[i] = string(o.canonical([]byte(v)))
			}
		}
	}
	return byCall
}

// checkHistory compares all that was written with a serial run over the raw topic, and returns how
// many clean records were aborted.
func checkHistory(t *testing.T, r *rig, o historyOptions) (aborted int) {
	t.Helper()
	clean := r.Read(r.Topics.Clean)
	idle := 0
	for _, e := range r.Clean(clean) {
		if e.Call != nil && e.Call.ClosedBy == schemas.ClosedByIdle {
			idle++
		}
	}
	in := r.Oracle()
	in.IdleEnds = idleEnds(r, clean)
	want := streamtest.Serial(t, in, o.wrap)
	if id := streamtest.Compare(t, "clean", streamtest.ByCall(o.values(clean)), o.texts(want.Clean)); id != "" {
		logRecords(t, r, id)
	}
	streamtest.Compare(t, "audit", streamtest.ByCall(o.values(r.Read(r.Topics.Audit))), o.texts(want.Audit))
	streamtest.Compare(t, "dead letters", streamtest.ByCall(r.Read(r.Topics.DeadLetter)), want.Dead)
	if r.Set.TopicFinal != "" {
		streamtest.Compare(t, "final", streamtest.ByCall(o.values(r.Read(r.Set.TopicFinal))), o.texts(want.Final))
	}
	if r.Set.TopicIndirect != "" && (want.Identifying == 0 || want.Unjudged == 0) {
		t.Errorf("the load has %d indirect identifiers, and %d calls before there were enough: it does not test the graph", want.Identifying, want.Unjudged)
	}
	streamtest.CheckStates(t, r.Read(r.Topics.State), want)

	for _, topic := range []string{r.Topics.Clean, r.Topics.Audit, r.Set.TopicFinal} {
		checkPlaces(t, r, topic)
	}
	r.CheckHeaders()
	all, err := brokertest.ReadAll(t.Context(), r.Cluster, r.Topics.Clean, brokertest.Uncommitted)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d raw records; %d clean events, %d of them the ENDs of idle calls; %d audit events; %d dead letters; %d calls; %d clean records aborted",
		len(r.Read(r.Topics.Raw)), len(clean), idle, len(slices.Concat(slices.Collect(maps.Values(want.Audit))...)), want.Refused, len(want.Clean), len(all)-len(clean))
	if idle == 0 || want.Refused == 0 {
		t.Error("the load does not cover all cases")
	}
	return len(all) - len(clean)
}

// checkPlaces checks that all events of a call are in one partition of a topic.
func checkPlaces(t *testing.T, r *rig, topic string) {
	t.Helper()
	if topic == "" {
		return
	}
	partitions := map[string]int32{}
	for _, rec := range r.Read(topic) {
		if p, ok := partitions[string(rec.Key)]; ok && p != rec.Partition {
			t.Errorf("events of the call %q are in partitions %d and %d of %s", rec.Key, p, rec.Partition, topic)
		}
		partitions[string(rec.Key)] = rec.Partition
	}
}

// logRecords logs where the records of a call are, those of aborted transactions among them, and which
// producer wrote them.
func logRecords(t *testing.T, r *rig, id string) {
	t.Helper()
	for _, topic := range []string{r.Topics.Raw, r.Topics.Clean, r.Topics.Audit, r.Topics.State, r.Topics.DeadLetter} {
		all, err := brokertest.ReadAll(t.Context(), r.Cluster, topic, brokertest.Uncommitted)
		if err != nil {
			t.Error(err)
			continue
		}
		type address struct {
			partition int32
			offset    int64
		}
		committed := map[address]bool{}
		for _, rec := range r.Read(topic) {
			committed[address{rec.Partition, rec.Offset}] = true
		}
		for _, rec := range all {
			if string(rec.Key) == id {
				t.Logf("%s %d/%d at %s by producer %d, epoch %d: %d bytes, committed %v", topic, rec.Partition, rec.Offset,
					rec.Timestamp.Format("15:04:05.000"), rec.ProducerID, rec.ProducerEpoch, len(rec.Value), committed[address{rec.Partition, rec.Offset}])
			}
		}
	}
}

// idleEnds returns when idle calls ended. A partition has no records for a while when its broker was
// killed, and then the wall clock ends calls, too.
func idleEnds(r *rig, clean []*kgo.Record) map[string]int64 {
	ends := map[string]int64{}
	for _, e := range r.Clean(clean) {
		if e.Call != nil && e.Call.ClosedBy == schemas.ClosedByIdle && e.Call.Indirect != nil {
			ends[e.CallID] = e.Call.Indirect.Calls
		}
	}
	return ends
}

// checkLeaks searches for raw text and personal values in everything that must not contain them.
func checkLeaks(t *testing.T, r *rig, s secrets, outputs []string) {
	t.Helper()
	topics := []string{r.Topics.State, r.Topics.DeadLetter}
	if r.Set.TopicIndirect != "" {
		topics = append(topics, r.Set.TopicIndirect)
	}
	for _, topic := range topics {
		leaks := 0
		for _, rec := range streamtest.Read(t, r.Cluster, topic) { // the claims, too
			found := s.in(rec.Key) || s.in(rec.Value)
			for _, h := range rec.Headers {
				found = found || s.in(h.Value)
			}
			if found {
				leaks++
			}
		}
		if leaks > 0 {
			t.Errorf("%d records of %s hold raw text", leaks, topic)
		}
	}
	for _, file := range outputs {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(data), "\n") {
			if s.in([]byte(line)) {
				t.Errorf("line %d of %s holds raw text", n+1, file)
			}
		}
	}
	if !s.in([]byte(fmt.Sprint("Said ", s.any(), "."))) {
		t.Error("the search finds no raw text even in the raw topic")
	}
}
