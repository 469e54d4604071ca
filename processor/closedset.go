package processor

import "hash/maphash"

// closedSet remembers the calls that are over, the latest up to a bound, as
// hashes of 64 bits. What was added since the last commit can be undone. On a
// restart it is filled from the tombstones of the state topic.
type closedSet struct {
	bound   int
	has64   map[uint64]struct{}
	order   []uint64 // oldest first, from start
	start   int
	added   int // at the end of order, not committed
	evicted int // by what was added, just before start
}

var closedSeed = maphash.MakeSeed()

func newClosedSet(bound int) *closedSet {
	return &closedSet{bound: bound, has64: map[uint64]struct{}{}}
}

func (s *closedSet) has(id string) bool {
	_, ok := s.has64[maphash.String(closedSeed, id)]
	return ok
}

func (s *closedSet) add(id string) {
	h := maphash.String(closedSeed, id)
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

// remove is for a restore only, where a call may follow its own tombstone
// when the set had forgotten it.
func (s *closedSet) remove(id string) {
	h := maphash.String(closedSeed, id)
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

func (s *closedSet) commit() {
	s.added, s.evicted = 0, 0
	if s.start > s.bound {
		s.order = append([]uint64(nil), s.order[s.start:]...)
		s.start = 0
	}
}

func (s *closedSet) rollback() {
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
