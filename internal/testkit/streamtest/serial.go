package streamtest

import (
	"maps"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize"
	"sotto/internal/testkit/oracle"
	"sotto/processor/partition"
	"sotto/schemas"
	"sotto/state/sealing"
)

// Serial returns what the stream must write, by the engine that wrap returns, or the settings' own
// if it is nil. Of the input, it adds the engine, the keys and the reasons of dead letters.
func Serial(t testing.TB, in oracle.Input, wrap func(anonymize.Anonymizer) anonymize.Anonymizer) *oracle.Output {
	t.Helper()
	e, err := in.Settings.NewEngine()
	if err != nil {
		t.Fatal(err)
	}
	if in.Keys, err = sealing.LoadKeyring(in.Settings.StateKeyFile); err != nil {
		t.Fatal(err)
	}
	in.Engine, in.Late, in.Failed = e, reason(t, "late"), reason(t, "panic")
	if wrap != nil {
		in.Engine = wrap(e)
	}
	out, err := oracle.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reason is a reason of dead letters, with the words by which package processor explains it.
func reason(t testing.TB, name string) oracle.Reason {
	t.Helper()
	detail := schemas.Explain(name)
	if detail == "" {
		t.Fatalf("nothing explains the reason %q: the test must import sotto/processor", name)
	}
	return oracle.Reason{Name: name, Detail: detail}
}

// Compare reports how the content of a topic differs from the reference.
func Compare(t testing.TB, topic string, got, want map[string][]string) (differs string) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(want)) {
		g, w := got[id], want[id]
		if topic == "dead letters" { // their order among each other means nothing
			slices.Sort(g)
			slices.Sort(w)
		}
		if slices.Equal(g, w) {
			continue
		}
		at := 0
		for at < min(len(g), len(w)) && g[at] == w[at] {
			at++
		}
		show := func(list []string) string {
			if at < len(list) {
				return list[at]
			}
			return "nothing"
		}
		t.Errorf("%s, call %q: %d records, want %d; the first difference is at %d:\n got %s\nwant %s", topic, id, len(g), len(w), at, show(g), show(w))
		return id
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if want[id] == nil {
			t.Errorf("%s holds the call %q, which it should not", topic, id)
			return id
		}
	}
	return ""
}

// CheckStates compares the calls that a restore would find in the records of a state topic with those
// that are open in the reference. No transcript may outlive its call.
func CheckStates(t testing.TB, recs []*kgo.Record, want *oracle.Output) {
	t.Helper()
	open, transcripts := restorable(recs)
	for id := range transcripts {
		if !want.Going[id] {
			t.Errorf("the transcript of the call %q, which has ended, is still kept", id)
		}
		if !open[id] {
			t.Errorf("a transcript of the call %q, which has no state", id)
		}
	}
	if !maps.Equal(open, want.Open) {
		t.Errorf("the state topic holds %d calls, want %d", len(open), len(want.Open))
	}
}

// Open are the calls that a restore would find in the records of a state topic.
func Open(recs []*kgo.Record) map[string]bool {
	open, _ := restorable(recs)
	return open
}

// restorable are the calls of which there is a state, and those of which there is a transcript.
func restorable(recs []*kgo.Record) (states, transcripts map[string]bool) {
	last := map[string]bool{}
	for _, rec := range States(recs) {
		last[string(rec.Key)] = rec.Value != nil
	}
	states, transcripts = map[string]bool{}, map[string]bool{}
	for key, kept := range last {
		id, _, chunk := partition.ParseChunkKey(key)
		switch {
		case !kept:
		case chunk:
			transcripts[id] = true
		default:
			states[key] = true
		}
	}
	return states, transcripts
}
