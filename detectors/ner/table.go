package ner

import "sotto/internal/hugepages"

// table holds the rows of weights by the 32-bit hash of their feature. A bucket is one cache line. It is
// immutable once it is filled.
type table struct{ buckets []bucket }

// bucket has up to three rows. A row whose bucket is full is in the next one that has room; passed has
// the bits of the keys that were full here. A bucket that has room has none. rows_amd64.s knows this
// layout.
type bucket struct {
	keys   [3]uint32
	passed uint32
	rows   [3]row
}

// noKey is the key of an empty place; the feature with this hash is stored as the one after it.
const noKey = 0

// newTable makes a table for n rows.
func newTable(n int) table {
	return table{buckets: hugepages.Make[bucket](n*2/3 + 1)}
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

// passedBit is the bit of a key in bucket.passed.
func passedBit(key uint32) uint32 { return 1 << (key % 32) }

// add adds the row of a feature that has none.
func (t *table) add(h uint32, r row) {
	key := keyOf(h)
	for i := t.home(key); ; {
		x := &t.buckets[i]
		for k := range x.keys {
			if x.keys[k] == noKey {
				x.keys[k], x.rows[k] = key, r
				return
			}
		}
		x.passed |= passedBit(key)
		if i++; i == uint64(len(t.buckets)) {
			i = 0
		}
	}
}

// find returns the row of a key and a mask of ones, or any row and 0 if it is not in the bucket. No
// branch depends on the data.
func (b *bucket) find(key uint32) (r *row, found uint64) {
	k := 0
	if key == b.keys[1] {
		k = 1
	}
	if key == b.keys[2] {
		k = 2
	}
	if key == b.keys[k] {
		found = ^uint64(0)
	}
	return &b.rows[k], found
}

// find returns the row of a feature and a mask of ones, or any row and 0 if it has none.
func (t *table) find(h uint32) (r *row, found uint64) {
	key := keyOf(h)
	for i := t.home(key); ; {
		b := &t.buckets[i]
		if r, found = b.find(key); found != 0 || b.passed&passedBit(key) == 0 {
			return r, found
		}
		if i++; i == uint64(len(t.buckets)) {
			i = 0
		}
	}
}
