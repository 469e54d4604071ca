package ner

// table holds the rows of weights by the 32-bit hash of their feature. A bucket is one cache line, and
// a bitmap in front of it, which stays in the cache, holds back most features that have no row. It is
// immutable once it is filled.
type table struct {
	seen    []uint64
	buckets []bucket
}

// bucket has up to three rows. A row whose bucket is full is in the next one that has room; more
// reports that there is such a row.
type bucket struct {
	keys [3]uint32
	more uint32
	rows [3]row
}

const (
	// seenShift leaves 23 bits of a hash: the bitmap takes 1 MiB.
	seenShift = 9
	// noKey is the key of an empty place; the feature with this hash is stored as the one after it.
	noKey = 0
)

// newTable makes a table for n rows.
func newTable(n int) table {
	return table{seen: make([]uint64, 1<<(32-seenShift)/64), buckets: make([]bucket, n*2/5+1)}
}

func keyOf(h uint32) uint32 {
	if h == noKey {
		return noKey + 1
	}
	return h
}

// home is the bucket in which a key belongs.
func (t *table) home(key uint32) uint64 {
	return uint64(key*0x9e3779b1) * uint64(len(t.buckets)) >> 32
}

// add adds the row of a feature that has none.
func (t *table) add(h uint32, r row) {
	b := h >> seenShift
	t.seen[b/64] |= 1 << (b % 64)
	key := keyOf(h)
	for i := t.home(key); ; {
		x := &t.buckets[i]
		for k := range x.keys {
			if x.keys[k] == noKey {
				x.keys[k], x.rows[k] = key, r
				return
			}
		}
		x.more = 1
		if i++; i == uint64(len(t.buckets)) {
			i = 0
		}
	}
}

// known moves the hashes that may have a row to the front, and returns them. It has no branch that
// depends on the data, so that the memory accesses of the next step overlap.
func (t *table) known(features []uint32) []uint32 {
	n := 0
	for _, f := range features {
		b := f >> seenShift
		features[n] = f
		n += int(t.seen[b/64] >> (b % 64) & 1)
	}
	return features[:n]
}

// find returns the row of a feature, nil if it has none.
func (t *table) find(h uint32) *row {
	key := keyOf(h)
	for i := t.home(key); ; {
		x := &t.buckets[i]
		switch key {
		case x.keys[0]:
			return &x.rows[0]
		case x.keys[1]:
			return &x.rows[1]
		case x.keys[2]:
			return &x.rows[2]
		}
		if x.more == 0 {
			return nil
		}
		if i++; i == uint64(len(t.buckets)) {
			i = 0
		}
	}
}
