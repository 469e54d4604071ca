package processor

import (
	"maps"
	"slices"
	"testing"

	"sotto/processor/partition"
	"sotto/schemas"
	"sotto/state"
)

// newSerial returns what the stream must write for the current raw topic, by the engine that wrap
// returns.
func newSerial(r *rig, wrap func(engine) engine, change ...func(*oracleInput)) *oracleOutput {
	r.t.Helper()
	e, err := r.set.NewEngine()
	if err != nil {
		r.t.Fatal(err)
	}
	keys, err := state.LoadKeyring(r.keyFile())
	if err != nil {
		r.t.Fatal(err)
	}
	in := oracleInput{
		Settings: &r.set, Codec: r.codec, Engine: e, Keys: keys, Raw: r.read(r.topics.Raw),
		Late:   oracleReason{Name: reasonLate, Detail: schemas.Explain(reasonLate)},
		Failed: oracleReason{Name: reasonPanic, Detail: schemas.Explain(reasonPanic)},
	}
	if wrap != nil {
		in.Engine = wrap(e)
	}
	for _, c := range change {
		c(&in)
	}
	out, err := runOracle(r.t.Context(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// compare reports how the content of a topic differs from the reference.
func compare(t testing.TB, topic string, got, want map[string][]string) (differs string) {
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

// checkStates compares the calls that a restore would find in the state topic with those that are
// open in the reference. No transcript may outlive its call.
func checkStates(t testing.TB, r *rig, want *oracleOutput) {
	t.Helper()
	open, transcripts := restorable(r)
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

// openStates are the calls that a restore would find.
func openStates(r *rig) map[string]bool {
	open, _ := restorable(r)
	return open
}

// restorable are the calls of which the state topic has a state, and those of which it has a
// transcript.
func restorable(r *rig) (states, transcripts map[string]bool) {
	last := map[string]bool{}
	for _, rec := range r.read(r.topics.State) {
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
