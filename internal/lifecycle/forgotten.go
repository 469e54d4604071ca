package lifecycle

import (
	"hash/maphash"
	"maps"
	"slices"
)

// Forgotten is the set of the calls that have expired, as 64-bit hashes. The additions since the
// last commit can be undone.
//
// The latest calls, up to a bound, can be looked up fastest. Older ones take eight bytes each (see
// hashSet) until the retention is over.
type Forgotten struct {
	bound  int
	latest map[uint64]struct{}
	order  []uint64 // of latest, oldest first
	added  int      // at the end of order, not committed

	retention int64
	wallClock func() int64
	older     []generation // the newest last
}

// Retentions that are no time in ms.
const (
	// Forever remembers every call.
	Forever = 0
	// LatestOnly remembers no more calls than the bound.
	LatestOnly = -1
)

// generation holds the calls that left latest in a quarter of the retention.
type generation struct {
	began int64
	calls hashSet
}

var seed = maphash.MakeSeed()

// NewForgotten returns an empty set. retention is how long a call is remembered at least, in ms of
// the wall clock; only then is that needed.
func NewForgotten(bound int, retention int64, wallClock func() int64) *Forgotten {
	return &Forgotten{bound: bound, retention: retention, wallClock: wallClock, latest: map[uint64]struct{}{}}
}

// Has reports whether a call has expired.
func (s *Forgotten) Has(id string) bool {
	h := maphash.String(seed, id)
	if _, ok := s.latest[h]; ok {
		return true
	}
	return slices.ContainsFunc(s.older, func(g generation) bool { return g.calls.has(h) })
}

func (s *Forgotten) add(id string) {
	h := maphash.String(seed, id)
	if _, ok := s.latest[h]; ok {
		return
	}
	s.latest[h] = struct{}{}
	s.order = append(s.order, h)
	s.added++
}

// Restore adds a call while a partition is restored, for good.
func (s *Forgotten) Restore(id string) {
	s.add(id)
	s.commit()
}

// Revive is for a restore only. There a call may follow its own tombstone, if an
// earlier version had forgotten it.
func (s *Forgotten) Revive(id string) {
	h := maphash.String(seed, id)
	if _, ok := s.latest[h]; !ok {
		return
	}
	delete(s.latest, h)
	if i := slices.Index(s.order, h); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
}

func (s *Forgotten) commit() {
	s.added = 0
	surplus := max(0, len(s.order)-s.bound)
	if surplus == 0 {
		return
	}
	var g *hashSet
	if s.retention != LatestOnly {
		g = s.generation()
	}
	for _, h := range s.order[:surplus] {
		delete(s.latest, h)
		if g != nil {
			g.add(h)
		}
	}
	s.order = s.order[surplus:] // append moves it, which frees the rest
}

// generation returns the newest generation, which it begins if necessary, and
// drops those whose retention is over.
func (s *Forgotten) generation() *hashSet {
	now := int64(0)
	if s.retention > 0 {
		now = s.wallClock()
	}
	n := len(s.older)
	if n == 0 || s.retention > 0 && now-s.older[n-1].began > s.retention/4 {
		s.older = append(s.older, generation{began: now})
	}
	// What is in a generation expired before the next one began.
	for len(s.older) > 1 && s.retention > 0 && now-s.older[1].began > s.retention {
		s.older = slices.Delete(s.older, 0, 1)
	}
	return &s.older[len(s.older)-1].calls
}

func (s *Forgotten) rollback() {
	keep := len(s.order) - s.added
	for _, h := range s.order[keep:] {
		delete(s.latest, h)
	}
	s.order, s.added = s.order[:keep], 0
}

// hashSet is a set of hashes that takes little more than eight bytes for each.
type hashSet struct {
	sorted []uint64
	recent map[uint64]struct{} // not yet in sorted
}

// minMerge and mergeShare bound recent: so many hashes, or a share of sorted.
const (
	minMerge   = 1024
	mergeShare = 16
)

func (s *hashSet) has(h uint64) bool {
	if _, ok := s.recent[h]; ok {
		return true
	}
	_, ok := slices.BinarySearch(s.sorted, h)
	return ok
}

func (s *hashSet) add(h uint64) {
	if s.recent == nil {
		s.recent = map[uint64]struct{}{}
	}
	s.recent[h] = struct{}{}
	if len(s.recent) < max(minMerge, len(s.sorted)/mergeShare) {
		return
	}
	merged := make([]uint64, 0, len(s.sorted)+len(s.recent))
	at := 0 // in s.sorted
	for _, added := range slices.Sorted(maps.Keys(s.recent)) {
		from := at
		for at < len(s.sorted) && s.sorted[at] <= added {
			at++
		}
		merged = append(append(merged, s.sorted[from:at]...), added)
	}
	s.sorted, s.recent = append(merged, s.sorted[at:]...), nil
}
