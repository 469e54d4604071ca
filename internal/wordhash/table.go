package wordhash

// Table finds values by the hashes of words. It is faster than a map, which would hash the hashes again. It is
// immutable, and an empty one is ready to use.
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

// Get returns the value of a word, nil if it has none, as the hash 0. The value must not be changed.
func (t Table[V]) Get(h uint64) *V {
	if len(t.slots) == 0 {
		return nil
	}
	if s := t.find(h); s.hash != 0 {
		return &s.value
	}
	return nil
}

// find returns the slot of a word, a free one if it has none.
func (t Table[V]) find(h uint64) *slot[V] {
	for i := h; ; i++ {
		if s := &t.slots[i&uint64(len(t.slots)-1)]; s.hash == h || s.hash == 0 {
			return s
		}
	}
}
