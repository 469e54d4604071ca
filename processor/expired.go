package processor

import "hash/maphash"

// expiredCalls is the set of the latest calls that have expired, up to a bound, as
// 64-bit hashes. Additions since the last commit can be undone. A restore fills
// it from the tombstones of the state topic.
type expiredCalls struct {
	bound   int
	has64   map[uint64]struct{}
	order   []uint64 // oldest first, from start
	start   int
	added   int // at the end of order, not committed
	evicted int // by the additions, just before start
}

var expiredSeed = maphash.MakeSeed()

func newExpiredCalls(bound int) *expiredCalls {
	return &expiredCalls{bound: bound, has64: map[uint64]struct{}{}}
}

func (s *expiredCalls) has(id string) bool {
	_, ok := s.has64[maphash.String(expiredSeed, id)]
	return ok
}

func (s *expiredCalls) add(id string) {
	h := maphash.String(expiredSeed, id)
	if _, ok := s.has64[h]; ok {
		return
	}
	s.has64[h] = struct{}{}
	s.order = append(s.order, h)
	s.added++
	if len(s.order)-s.start > s.bound {
		old := s.order[s.start]
		s.start++
		delete(s.has64, old)
		s.evicted++
	}
}

// remove is for a restore only. There a call may follow its own tombstone, if the
// set had evicted it.
func (s *expiredCalls) remove(id string) {
	h := maphash.String(expiredSeed, id)
	if _, ok := s.has64[h]; !ok {
		return
	}
	delete(s.has64, h)
	for i := s.start; i < len(s.order); i++ {
		if s.order[i] == h {
			s.order = append(s.order[:i], s.order[i+1:]...)
			return
		}
	}
}

func (s *expiredCalls) commit() {
	s.added, s.evicted = 0, 0
	if s.start > s.bound {
		s.order = append([]uint64(nil), s.order[s.start:]...)
		s.start = 0
	}
}

func (s *expiredCalls) rollback() {
	keep := len(s.order) - s.added
	for _, h := range s.order[keep:] {
		delete(s.has64, h)
	}
	s.order = s.order[:keep]
	s.start -= s.evicted
	for _, h := range s.order[s.start:min(s.start+s.evicted, keep)] {
		s.has64[h] = struct{}{}
	}
	s.added, s.evicted = 0, 0
}
