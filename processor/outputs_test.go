package processor

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/pieces"
)

func TestRecordsAreDistinct(t *testing.T) {
	var o outputs
	seen := map[any]bool{}
	for range 3 * recordsPerPiece {
		r := o.record(kgo.Record{Topic: "x"})
		if seen[r] || r.Topic != "x" {
			t.Fatal("a record is given out twice")
		}
		seen[r] = true
	}
}

// A record with a large value shares no piece, which would keep the value for as long as the others.
func TestLargeValuesArePinnedByNoOther(t *testing.T) {
	var o outputs
	o.record(kgo.Record{Value: make([]byte, pieces.Large-1)})
	free := len(o.records)
	o.record(kgo.Record{Value: make([]byte, pieces.Large)})
	if len(o.records) != free || free != recordsPerPiece-1 {
		t.Errorf("%d records are free, then %d", free, len(o.records))
	}
}
