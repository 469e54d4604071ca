package processor

import "github.com/twmb/franz-go/pkg/kgo"

// outputs is memory for the records that a worker writes, in pieces that many records share. The
// client keeps a record until the broker has it, and a piece is freed with its last record, so pieces
// are small. Not safe for concurrent use.
type outputs struct {
	records []kgo.Record
	values  []byte
}

const (
	recordsPerPiece = 64
	valuesPerPiece  = 64 << 10
)

// record returns an empty record.
func (o *outputs) record() *kgo.Record {
	if len(o.records) == 0 {
		o.records = make([]kgo.Record, recordsPerPiece)
	}
	r := &o.records[0]
	o.records = o.records[1:]
	return r
}

// room returns an empty buffer for a value of about n bytes. It is valid until the next call of room,
// unless keep is called.
func (o *outputs) room(n int) []byte {
	if cap(o.values)-len(o.values) < n {
		o.values = make([]byte, 0, max(valuesPerPiece, n))
	}
	return o.values[len(o.values):]
}

// keep returns a value, which was appended to the last room, as one that stays as it is.
func (o *outputs) keep(value []byte) []byte {
	if free := cap(o.values) - len(o.values); cap(value) == free && free > 0 && &value[:1][0] == &o.values[:len(o.values)+1][len(o.values)] {
		o.values = o.values[:len(o.values)+len(value)]
	}
	return value[:len(value):len(value)]
}
