package processor

import "github.com/twmb/franz-go/pkg/kgo"

// outputs is memory for the records that a worker writes, in pieces that many records share. A piece
// is freed with the last of its records, which the client keeps until the broker has them. So pieces
// are small, and a large value is in none. Not safe for concurrent use.
type outputs struct {
	pieces
	records []kgo.Record
}

// recordsPerPiece is the number of records that are freed together.
const recordsPerPiece = 64

// record returns the record as one that the client may keep.
func (o *outputs) record(rec kgo.Record) *kgo.Record {
	if len(rec.Value) >= largeValue { // the other records of a piece would keep the value, too
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

// pieces gives many small values memory in larger pieces. A piece is freed with the last of its values.
// The zero value is ready for use. Not safe for concurrent use.
type pieces struct{ free []byte }

const (
	bytesPerPiece = 32 << 10
	// largeValue is the size from which a value gets memory of its own.
	largeValue = bytesPerPiece / 8
)

// room returns an empty buffer for a value of about n bytes. It is valid until the next call of room,
// unless keep is called.
func (p *pieces) room(n int) []byte {
	if n >= largeValue {
		return make([]byte, 0, n)
	}
	if n > len(p.free) {
		p.free = make([]byte, bytesPerPiece)
	}
	return p.free[:0]
}

// keep reserves the memory of a value that was appended to the last room, and returns the value.
func (p *pieces) keep(value []byte) []byte {
	if len(p.free) > 0 && cap(value) > 0 && &value[:1][0] == &p.free[0] { // it is in the piece
		p.free = p.free[len(value):]
	}
	return value[:len(value):len(value)]
}
