package pieces

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// A value that is kept never changes, however large the values after it are and whether they are
// kept.
func TestKeptValuesStayAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o Pieces
		var kept, want [][]byte
		for i := range rapid.IntRange(1, 40).Draw(t, "values") {
			hint := rapid.SampledFrom([]int{0, 10, 400, Large - 1, Large, Size + 1}).Draw(t, "hint")
			size := rapid.SampledFrom([]int{0, 1, 10, 400, Large, Size, 2 * Size}).Draw(t, "size")
			value := append(o.Room(hint), bytes.Repeat([]byte{byte(i)}, size)...)
			if rapid.Bool().Draw(t, "kept") {
				kept, want = append(kept, o.Keep(value)), append(want, bytes.Clone(value))
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
