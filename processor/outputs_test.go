package processor

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// A value that is kept never changes, however large the values after it are and whether they are kept.
func TestKeptValuesStayAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o outputs
		var kept, want [][]byte
		for i := range rapid.IntRange(1, 40).Draw(t, "values") {
			hint := rapid.SampledFrom([]int{0, 10, 400, valuesPerPiece - 1, valuesPerPiece, valuesPerPiece + 1}).Draw(t, "hint")
			size := rapid.SampledFrom([]int{0, 1, 10, 400, valuesPerPiece, 2 * valuesPerPiece}).Draw(t, "size")
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
		r := o.record()
		if seen[r] || r.Topic != "" {
			t.Fatal("a record is given out twice")
		}
		seen[r], r.Topic = true, "x"
	}
}
