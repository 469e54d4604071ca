package processor

import "github.com/twmb/franz-go/pkg/kgo"

// outputs is memory for the records that a worker writes, in pieces that many records share. A piece
// is freed with the last of its records, which the client keeps until the broker has them. So pieces
// are small, and a large value is in none. Not safe for concurrent use.
type outputs struct {
	records []kgo.Record
	values  []byte
}

const (
	recordsPerPiece = 64
	valuesPerPiece  = 64 << 10
	// largeValue is the size from which the record of a value shares no piece: each record of a piece
	// keeps the values of all of them.
	largeValue = 4 << 10
)

// record returns the record as one that the client may keep.
func (o *outputs) record(rec kgo.Record) *kgo.Record {
	if len(rec.Value) >= largeValue {
		own := rec // so that rec itself needs no memory
		return &own
	}
	if len(o.records) == 0 {
		o.records = make([]kgo.Record, recordsPerPiece)
	}
	r := &o.records[0]
	*r, o.records = rec, o.records[1:]
	return r
}

// room returns an empty buffer for a value of about n bytes. It is valid until the next call of room,
// unless keep is called.
func (o *outputs) room(n int) []byte {
	if n >= largeValue {
		return make([]byte, 0, n)
	}
	if cap(o.values)-len(o.values) < n {
		o.values = make([]byte, 0, valuesPerPiece)
	}
	return o.values[len(o.values):]
}

// keep reserves the memory of a value that was appended to the last room, and returns the value.
func (o *outputs) keep(value []byte) []byte {
	if free := cap(o.values) - len(o.values); cap(value) == free && free > 0 && &value[:1][0] == &o.values[:len(o.values)+1][len(o.values)] {
		o.values = o.values[:len(o.values)+len(value)]
	}
	return value[:len(value):len(value)]
}
