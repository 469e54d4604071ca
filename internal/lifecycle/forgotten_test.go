package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestExpiredCallsAreUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewForgotten(rapid.IntRange(1, 6).Draw(t, "bound"), 0, func() int64 { return 0 })
		model, committed := map[string]bool{}, map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s.commit()
				committed = maps.Clone(model)
			case 1:
				s.rollback()
				model = maps.Clone(committed)
			default:
				id := fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "id"))
				s.add(id)
				model[id] = true
			}
			for i := range 13 {
				if id := fmt.Sprint(i); s.Has(id) != model[id] {
					t.Fatalf("Has(%s) is %v, the model has %v", id, s.Has(id), model)
				}
			}
		}
	})
}

// A call is remembered for the retention, and not much longer.
func TestExpiredCallsAreRememberedForTheRetention(t *testing.T) {
	const retention = 1000
	now := int64(1)
	s := NewForgotten(3, retention, func() int64 { return now })
	const calls = 20_000 // enough to merge the hashes several times
	since := map[string]int64{}
	for i := range calls {
		now++
		id := fmt.Sprint(i)
		since[id] = now
		s.add(id)
		s.commit()
		if i%1000 != 0 {
			continue
		}
		for id, at := range since {
			if now-at <= retention && !s.Has(id) {
				t.Fatalf("a call is forgotten %d ms after it expired, want at least %d", now-at, retention)
			}
		}
	}
	held := len(s.latest)
	for _, g := range s.older {
		held += len(g.calls.sorted) + len(g.calls.recent)
	}
	if held > 2*retention {
		t.Errorf("%d of %d calls are remembered, want at most twice the %d of the retention", held, calls, retention)
	}
}

func TestHashSet(t *testing.T) {
	var s hashSet
	for i := range uint64(50_000) {
		s.add(i * 2_654_435_761 % 1_000_003)
	}
	for i := range uint64(50_000) {
		if h := i * 2_654_435_761 % 1_000_003; !s.has(h) {
			t.Fatalf("hash %d is missing", h)
		}
	}
	if !slices.IsSorted(s.sorted) || s.has(1_000_003) {
		t.Error("the set holds what was not added, or is not sorted")
	}
	if n := len(s.recent); n > len(s.sorted)/10 {
		t.Errorf("%d of %d hashes are not compact", n, 50_000)
	}
}
