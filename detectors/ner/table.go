package ner

import "sotto/internal/hugepages"

// table holds the rows of weights by the 32-bit hash of their feature. A bucket is one cache line. It is
// immutable once it is filled.
type table struct {
	buckets []bucket
	// filter has two bits in one word for each key. Most features that have no row do not pass it,
	// so that they cost no cache line of a bucket.
	filter *[1 << filterBits]uint64
}

// filterBits is the logarithm of the words of the filter, which stay in the cache: 128 KiB.
const filterBits = 14

// filterAt returns the word of a key in the filter, and its bits.
func filterAt(key uint32) (at uint32, bits uint64) {
	return key >> (32 - filterBits), 1<<(key&63) | 1<<(key>>6&63)
}

// bucket has up to three rows. A row whose bucket is full is in the next one that has room; more
// reports that there is such a row.
type bucket struct {
	keys [3]uint32
	more uint32
	rows [3]row
}

// noKey is the key of an empty place; the feature with this hash is stored as the one after it.
const noKey = 0

// newTable makes a table for n rows.
func newTable(n int) table {
	return table{buckets: hugepages.Make[bucket](n*2/3 + 1), filter: new([1 << filterBits]uint64)}
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
	key := keyOf(h)
	at, bits := filterAt(key)
	t.filter[at] |= bits
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

// known puts the keys of the features that may have a row to the front of the slice, and returns them.
func (t *table) known(features []uint32) []uint32 {
	n := 0
	for _, f := range features {
		key := keyOf(f)
		at, bits := filterAt(key)
		features[n] = key
		if t.filter[at]&bits == bits {
			n++
		}
	}
	return features[:n]
}

// atOnce is how many keys are looked up at once.
const atOnce = 64

// touch looks up in which bucket each key belongs. It reads each of them, without waiting for one before
// it reads the next, so that they are in the cache when find needs them. It returns 0.
func (t *table) touch(keys []uint32, at *[atOnce]*bucket) (zero uint64) {
	for i, key := range keys {
		b := &t.buckets[t.home(key)]
		at[i%atOnce] = b
		zero |= uint64(b.more)
	}
	return zero >> 1
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

// findBehind returns the row of a key that is not in the bucket where it belongs, as find does.
func (t *table) findBehind(key uint32) (r *row, found uint64) {
	for i := t.home(key); ; {
		if i++; i == uint64(len(t.buckets)) {
			i = 0
		}
		b := &t.buckets[i]
		for k, x := range &b.keys {
			if x == key {
				return &b.rows[k], ^uint64(0)
			}
		}
		if b.more == 0 {
			return &b.rows[0], 0
		}
	}
}
