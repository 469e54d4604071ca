package processor

import (
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/state/sealing"
)

// A state is authentic, and its memory cannot be decoded. That shows only when the
// call wakes. Then its partition stops, nothing of the transaction is written, and the
// other partitions continue.
func TestADormantStateThatDoesNotOpenStopsItsPartition(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	in := r.start("a")
	r.Feed(r.caller(0, "c", 1, "Rosa Lindqvist"), r.caller(1, "d", 1, "Tobias Ferrant"))
	r.Await(r.Topics.Clean, 2)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	keys, err := sealing.LoadKeyring(r.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range r.Read(r.Topics.State) {
		if string(rec.Key) != "c" {
			continue
		}
		body, err := keys.Open("c", rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		var b map[int]any
		if err := cbor.Unmarshal(body, &b); err != nil {
			t.Fatal(err)
		}
		b[2] = []byte{0xff} // the memory of the engine
		deterministic, err := cbor.CoreDetEncOptions().EncMode()
		if err != nil {
			t.Fatal(err)
		}
		if body, err = deterministic.Marshal(b); err != nil {
			t.Fatal(err)
		}
		sealer, err := keys.Sealer("c")
		if err != nil {
			t.Fatal(err)
		}
		r.Feed(&kgo.Record{Topic: r.Topics.State, Partition: rec.Partition, Key: rec.Key, Value: sealer.Seal(nil, body)})
	}
	r.resetToCurrent(0) // the state is not the one with which the offset was committed
	in = r.start("b")
	eventually(t, "the restore", func() bool { return in.Ready() == nil })
	r.Feed(r.caller(0, "c", 2, "Rosa Lindqvist"))
	eventually(t, "the partition to be stopped", func() bool {
		err := in.Ready()
		return err != nil && strings.Contains(err.Error(), "partition 0 is stopped") && strings.Contains(err.Error(), "not valid")
	})
	r.Feed(r.caller(1, "d", 2, "Tobias Ferrant"))
	r.Await(r.Topics.Clean, 3)
	for _, e := range r.Clean(r.Read(r.Topics.Clean)) {
		if e.CallID == "c" && e.Seq == 2 {
			t.Error("an event of the call was written")
		}
	}
	if dead := r.DeadLetters(); len(dead) > 0 {
		t.Errorf("%d dead letters", len(dead))
	}
}
