package wordhash

import (
	"testing"

	"pgregory.net/rapid"
)

// Few different hashes, so that slots are taken by others.
func TestTableIsTheMapItIsMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hash := rapid.Uint64Range(1, 40)
		values := rapid.MapOf(hash, rapid.Int()).Draw(t, "values")
		table := NewTable(values)
		for h := range uint64(42) {
			want, known := values[h]
			if got := table.Get(h); (got != nil) != known || known && *got != want {
				t.Fatalf("hash %d has the value %v, want %d, %v", h, got, want, known)
			}
		}
	})
	if (Table[int]{}).Get(1) != nil {
		t.Error("an empty table has a value")
	}
}
