package partition

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"

	"sotto/internal/lifecycle"
)

// A restore splits a state without decoding the memory, and nothing of it is lost.
func TestAStateIsSplitAsItIsDecoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := stateBody{
			Meta: Meta{
				Utterances: rapid.Int64().Draw(t, "utterances"), LastSeq: rapid.Int64().Draw(t, "seq"),
				Context: rapid.String().Draw(t, "context"), Tenant: rapid.String().Draw(t, "tenant"),
				Life: lifecycle.Life{Ended: rapid.Bool().Draw(t, "ended"), Active: rapid.Int64().Draw(t, "active")},
				Next: rapid.Int64().Draw(t, "next"),
				Draw: rapid.Float64Range(0.1, 1).Draw(t, "draw"),
			},
			Memory: rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "memory"),
		}
		if rapid.Bool().Draw(t, "risk") {
			want.Risk = sealedRisk{Keys: []uint32{1<<5 | 1}, Chosen: true, Missing: rapid.Int64().Draw(t, "missing")}
		}
		body, err := stateEncoding.Marshal(&want)
		if err != nil {
			t.Fatal(err)
		}
		meta, rest, err := splitState(bytes.Clone(body))
		if err != nil {
			t.Fatal(err)
		}
		var got dormantBody
		if err := cbor.Unmarshal(rest, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(meta, want.Meta) || !bytes.Equal(got.Memory, want.Memory) || !reflect.DeepEqual(got.Risk, want.Risk) || got.Chunks != 0 || got.Events != nil {
			t.Fatalf("the parts are %+v and %+v, want %+v", meta, got, want)
		}
		if _, _, err := splitState(body[:rapid.IntRange(0, len(body)-1).Draw(t, "cut at")]); err == nil {
			t.Fatal("a state that is cut is split")
		}
	})
}

func TestOtherBytesAreNoState(t *testing.T) {
	for name, body := range map[string][]byte{
		"nothing": nil, "an empty map": {0xa0}, "a long map": {0xb8, 1, 1, 0xa0}, "a list": {0x82, 1, 0xa0},
		"another first key": {0xa1, 2, 0xa0}, "no counts": {0xa1, 1, 0x01}, "more after the end": {0xa1, 1, 0xa0, 0x00},
		"a risk of another form": {0xa2, 1, 0xa0, 3, 0x01},
	} {
		if _, _, err := splitState(body); err == nil {
			t.Errorf("%s is taken for a state", name)
		}
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	p := New(0, Limits{Closed: 1, Workers: 1})
	p.calls.Clock, p.StateTopic = 1_700_000_000_000, [16]byte{1, 2, 3}
	text := p.Checkpoint().String()
	if got := ParseCheckpoint(&text); got.Clock != p.calls.Clock || got.StateTopic != p.StateTopic || got.Calls != 0 {
		t.Errorf("%q is read as %+v", text, got)
	}
	full := Checkpoint{Known: true, Next: math.MaxInt64, Clock: math.MaxInt64, Clocks: strings.Repeat("-86400000,", maxClocks), Partitions: math.MaxInt32,
		Calls: math.MaxInt32, Graph: math.MaxInt64, States: Contents{math.MaxInt64, new(uint64(math.MaxUint64))}, Grams: Contents{math.MaxInt64, new(uint64(math.MaxUint64))}}
	text = full.String()
	if got := ParseCheckpoint(&text); !reflect.DeepEqual(got, full) {
		t.Errorf("%q is read as %+v", text, got)
	}
	if len(text) > 1000 { // offset.metadata.max.bytes of the brokers is 4096
		t.Errorf("a checkpoint has %d bytes", len(text))
	}
	earlier := "sotto/1 clock=7"
	for _, text := range []*string{nil, new(string), &earlier} {
		got := ParseCheckpoint(text)
		if got.Calls != -1 || got.StateTopic != [16]byte{} || text == &earlier && got.Clock != 7 {
			t.Errorf("%+v", got)
		}
		if why := got.Contradiction(5, Found{Topic: [16]byte{9}, Records: 3}); why != "" {
			t.Errorf("an offset without a checkpoint is refused: %s", why)
		}
	}
}
