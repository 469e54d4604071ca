package anonymize

import (
	"strconv"
	"sync/atomic"

	"sotto/internal/wordhash"
	"sotto/schemas"
)

// speakerTable has the speakers of clean events: few differ, so that events share them and must not
// change them. A place has the speaker that was asked for last of those that belong there. The zero
// table is empty. It is safe for concurrent use.
type speakerTable [256]atomic.Pointer[schemas.Speaker]

// maxSharedLabel bounds the bytes of a label in the table.
const maxSharedLabel = 64

// speaker returns the speaker "sn" with a label that is anonymized and a role.
func (t *speakerTable) speaker(n int, label string, role schemas.Role) *schemas.Speaker {
	hash := wordhash.String(label)
	place := &t[(hash^hash>>32^uint64(n)*31^uint64(len(role)))%uint64(len(t))]
	if s := place.Load(); s != nil && s.Label == label && s.Role == role && isNumbered(s.ID, n) {
		return s
	}
	s := &schemas.Speaker{ID: "s" + strconv.Itoa(n), Label: label, Role: role}
	if len(label) <= maxSharedLabel {
		place.Store(s)
	}
	return s
}

func isNumbered(id string, n int) bool {
	var buf [24]byte
	return id == string(strconv.AppendInt(append(buf[:0], 's'), int64(n), 10))
}
