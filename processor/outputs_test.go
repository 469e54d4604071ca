package processor

import (
	"bytes"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"
)

// A value that is kept never changes, however large the values after it are and whether they are kept.
func TestKeptValuesStayAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o outputs
		var kept, want [][]byte
		for i := range rapid.IntRange(1, 40).Draw(t, "values") {
			hint := rapid.SampledFrom([]int{0, 10, 400, largeValue - 1, largeValue, bytesPerPiece + 1}).Draw(t, "hint")
			size := rapid.SampledFrom([]int{0, 1, 10, 400, largeValue, bytesPerPiece, 2 * bytesPerPiece}).Draw(t, "size")
			value := append(o.room(hint), bytes.Repeat([]byte{byte(i)}, size)...)
			if rapid.Bool().Draw(t, "kept") {
				kept, want = append(kept, o.keep(value)), append(want, bytes.Clone(value))
			}
		}
		for i := range kept {
			if !bytes.Equal(kept[i], want[i]) {
				t.Fatalf("value %d changed", i)
			}
			if cap(kept[i]) != len(kept[i]) {
				t.Fatalf("value %d has room, which belongs to the next one", i)
			}
		}
	})
}

func TestRecordsAreDistinct(t *testing.T) {
	var o outputs
	seen := map[any]bool{}
	for range 3 * recordsPerPiece {
		r := o.record(kgo.Record{Topic: "x"})
		if seen[r] || r.Topic != "x" {
			t.Fatal("a record is given out twice")
		}
		seen[r] = true
	}
}

// A record with a large value shares no piece, which would keep the value for as long as the others.
func TestLargeValuesArePinnedByNoOther(t *testing.T) {
	var o outputs
	o.record(kgo.Record{Value: make([]byte, largeValue-1)})
	free := len(o.records)
	o.record(kgo.Record{Value: make([]byte, largeValue)})
	if len(o.records) != free || free != recordsPerPiece-1 {
		t.Errorf("%d records are free, then %d", free, len(o.records))
	}
}
