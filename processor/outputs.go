package processor

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/pieces"
)

// outputs is memory for the records that a worker writes, in pieces that many records share. A piece
// is freed with the last of its records, which the client keeps until the broker has them. So pieces
// are small, and a large value is in none. Not safe for concurrent use.
type outputs struct {
	pieces.Pieces
	records []kgo.Record
}

// recordsPerPiece is the number of records that are freed together.
const recordsPerPiece = 64

// record returns the record as one that the client may keep.
func (o *outputs) record(rec kgo.Record) *kgo.Record {
	if len(rec.Value) >= pieces.Large { // the other records of a piece would keep the value, too
		return new(rec)
	}
	if len(o.records) == 0 {
		o.records = make([]kgo.Record, recordsPerPiece)
	}
	r := &o.records[0]
	*r, o.records = rec, o.records[1:]
	return r
}
