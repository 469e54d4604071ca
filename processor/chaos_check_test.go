package processor

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/brokertest/chaos"
	"sotto/internal/testkit/serial"
	"sotto/schemas"
)

// historyOptions say how a history is compared.
type historyOptions struct {
	// wrap, if not nil, replaces the engine of the serial run.
	wrap func(engine) engine
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
	clean := r.read(r.topics.Clean)
	want := newSerial(r, o.wrap, func(in *serial.Input) { in.IdleEnds = idleEnds(r, clean) })
	compare(t, "clean", byCall(o.values(clean)), o.texts(want.Clean))
	compare(t, "audit", byCall(o.values(r.read(r.topics.Audit))), o.texts(want.Audit))
	compare(t, "dead letters", byCall(r.read(r.topics.DeadLetter)), want.Dead)
	if r.set.TopicFinal != "" {
		compare(t, "final", byCall(o.values(r.read(r.set.TopicFinal))), o.texts(want.Final))
	}
	if r.set.TopicIndirect != "" && (want.Identifying == 0 || want.Unjudged == 0) {
		t.Errorf("the load has %d indirect identifiers, and %d calls before there were enough: it does not test the graph", want.Identifying, want.Unjudged)
	}
	checkStates(t, r, want)

	// The same once more as violations: lost, doubled, ... A number that the engine itself changes
	// is not a fault of the stream.
	reference := serialHistory(t, r, want)
	own := map[chaos.Violation]bool{}
	for _, v := range reference.Check() {
		own[v] = true
	}
	h, err := chaos.ReadHistory(t.Context(), r.cluster, r.topics, decoders(r))
	if err != nil {
		t.Fatal(err)
	}
	for i := range h.Clean {
		if o.canonical != nil {
			h.Clean[i].Body = string(o.canonical([]byte(h.Clean[i].Body)))
		}
	}
	h.Reference = chaos.Reference(reference.Clean)
	kinds := map[chaos.Kind]int{}
	for _, v := range h.Check() {
		if own[v] {
			continue
		}
		if kinds[v.Kind]++; kinds[v.Kind] <= 5 {
			t.Error(v)
		}
	}
	if len(kinds) > 0 {
		t.Errorf("violations: %v", kinds)
	}

	extra := 0
	for _, e := range h.Clean {
		if e.Extra {
			extra++
		}
	}
	all, err := brokertest.ReadAll(t.Context(), r.cluster, r.topics.Clean, brokertest.Uncommitted)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d raw records; %d clean events, %d of them the ENDs of idle calls; %d audit events; %d dead letters; %d calls; %d clean records aborted; %d numbers that a serial run changes too",
		len(h.Raw), len(h.Clean), extra, len(slices.Concat(slices.Collect(maps.Values(want.Audit))...)), len(h.Dead), len(want.Clean), len(all)-len(clean), len(own))
	if extra == 0 || len(h.Dead) == 0 {
		t.Error("the load does not cover all cases")
	}
	return len(all) - len(clean)
}

// idleEnds returns when idle calls ended. A partition has no records for a while when its broker was
// killed, and then the wall clock ends calls, too.
func idleEnds(r *rig, clean []*kgo.Record) map[string]serial.IdleEnd {
	ends := map[string]serial.IdleEnd{}
	for _, e := range r.clean(clean) {
		if e.Call != nil && e.Call.ClosedBy == schemas.ClosedByIdle && e.Call.Indirect != nil {
			ends[e.CallID] = serial.IdleEnd{Counted: e.Call.Indirect.Calls, TimestampMS: e.TimestampMS}
		}
	}
	return ends
}

func decoders(r *rig) chaos.Decoders {
	return chaos.Decoders{Raw: r.codec.DecodeRaw, Clean: r.codec.DecodeClean, Dead: r.codec.DecodeDeadLetter}
}

// serialHistory is the history that a serial run would have left.
func serialHistory(t *testing.T, r *rig, s *serial.Output) chaos.History {
	t.Helper()
	var clean, dead []*kgo.Record
	for _, id := range slices.Sorted(maps.Keys(s.Clean)) {
		for _, v := range s.Clean[id] {
			clean = append(clean, &kgo.Record{Offset: int64(len(clean)), Value: []byte(v)})
		}
	}
	for _, values := range s.Dead {
		for _, v := range values {
			dead = append(dead, &kgo.Record{Value: []byte(v)})
		}
	}
	d := decoders(r)
	h := chaos.History{Raw: chaos.RawEvents(r.read(r.topics.Raw), d.Raw)}
	var err error
	if h.Clean, err = chaos.CleanEvents(clean, d.Clean); err != nil {
		t.Fatal(err)
	}
	if h.Dead, err = chaos.DeadLetters(dead, d.Dead); err != nil {
		t.Fatal(err)
	}
	return h
}

// checkLeaks searches for raw text and personal values in everything that must not contain them.
func checkLeaks(t *testing.T, r *rig, s secrets, outputs []string) {
	t.Helper()
	topics := []string{r.topics.State, r.topics.DeadLetter}
	if r.set.TopicIndirect != "" {
		topics = append(topics, r.set.TopicIndirect)
	}
	for _, topic := range topics {
		leaks := 0
		for _, rec := range r.read(topic) {
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
