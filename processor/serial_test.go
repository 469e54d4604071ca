package processor

import (
	"maps"
	"slices"
	"testing"

	"sotto/internal/testkit/serial"
	"sotto/state"
)

// newSerial returns what the stream must write for the current raw topic, by the engine that wrap
// returns.
func newSerial(r *rig, wrap func(engine) engine, change ...func(*serial.Input)) *serial.Output {
	r.t.Helper()
	e, err := r.set.NewEngine()
	if err != nil {
		r.t.Fatal(err)
	}
	keys, err := state.LoadKeyring(r.keyFile())
	if err != nil {
		r.t.Fatal(err)
	}
	in := serial.Input{
		Settings: &r.set, Codec: r.codec, Engine: e, Keys: keys, Raw: r.read(r.topics.Raw),
		Late:   serial.Reason{Name: reasonLate, Detail: reasonDetails[reasonLate]},
		Failed: serial.Reason{Name: reasonPanic, Detail: reasonDetails[reasonPanic]},
	}
	if wrap != nil {
		in.Engine = wrap(e)
	}
	for _, c := range change {
		c(&in)
	}
	out, err := serial.Run(r.t.Context(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// compare reports how the content of a topic differs from the reference.
func compare(t testing.TB, topic string, got, want map[string][]string) {
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
		return
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if want[id] == nil {
			t.Errorf("%s holds the call %q, which it should not", topic, id)
			return
		}
	}
}
