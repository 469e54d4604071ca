package processor

import (
	"hash/maphash"
	"slices"
)

// expiredCalls is the set of the calls that have expired, as 64-bit hashes. The
// additions since the last commit can be undone. A restore fills the set from the
// tombstones of the state topic.
//
// It never forgets a call whose tombstone the state topic still has to keep:
// otherwise a late event would open the call again, with numbers from 1. The
// latest calls, up to a bound, can be looked up fastest. Older ones take eight
// bytes each (see hashSet) until retention is over.
type expiredCalls struct {
	bound  int
	latest map[uint64]struct{}
	order  []uint64 // of latest, oldest first
	added  int      // at the end of order, not committed

	// retention is how long a call is remembered at least, in ms; 0: forever.
	retention int64
	wallClock func() int64
	older     []expiredGeneration // the newest last
}

// expiredGeneration holds the calls that left latest in a quarter of the retention.
type expiredGeneration struct {
	began int64
	calls hashSet
}

var expiredSeed = maphash.MakeSeed()

func newExpiredCalls(bound int, retention int64, wallClock func() int64) *expiredCalls {
	return &expiredCalls{bound: bound, retention: retention, wallClock: wallClock, latest: map[uint64]struct{}{}}
}

func (s *expiredCalls) has(id string) bool {
	h := maphash.String(expiredSeed, id)
	if _, ok := s.latest[h]; ok {
		return true
	}
	return slices.ContainsFunc(s.older, func(g expiredGeneration) bool { return g.calls.has(h) })
}

func (s *expiredCalls) add(id string) {
	h := maphash.String(expiredSeed, id)
	if _, ok := s.latest[h]; ok {
		return
	}
	s.latest[h] = struct{}{}
	s.order = append(s.order, h)
	s.added++
}

// remove is for a restore only. There a call may follow its own tombstone, if an
// earlier version had forgotten it.
func (s *expiredCalls) remove(id string) {
	h := maphash.String(expiredSeed, id)
	if _, ok := s.latest[h]; !ok {
		return
	}
	delete(s.latest, h)
	if i := slices.Index(s.order, h); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
}

func (s *expiredCalls) commit() {
	s.added = 0
	surplus := max(0, len(s.order)-s.bound)
	if surplus == 0 {
		return
	}
	g := s.generation()
	for _, h := range s.order[:surplus] {
		delete(s.latest, h)
		g.add(h)
	}
	s.order = s.order[surplus:] // append moves it, which frees the rest
}

// generation returns the newest generation, which it begins if necessary, and
// drops those whose tombstones the state topic may have removed.
func (s *expiredCalls) generation() *hashSet {
	now := s.wallClock()
	n := len(s.older)
	if n == 0 || s.retention > 0 && now-s.older[n-1].began > s.retention/4 {
		s.older = append(s.older, expiredGeneration{began: now})
	}
	// What is in a generation expired before the next one began.
	for len(s.older) > 1 && s.retention > 0 && now-s.older[1].began > s.retention {
		s.older = slices.Delete(s.older, 0, 1)
	}
	return &s.older[len(s.older)-1].calls
}

func (s *expiredCalls) rollback() {
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
	added := make([]uint64, 0, len(s.recent))
	for h := range s.recent {
		added = append(added, h)
	}
	slices.Sort(added)
	old := s.sorted
	for len(old) > 0 && len(added) > 0 {
		if old[0] <= added[0] {
			merged, old = append(merged, old[0]), old[1:]
		} else {
			merged, added = append(merged, added[0]), added[1:]
		}
	}
	s.sorted = append(append(merged, old...), added...)
	s.recent = nil
}
