package schemas

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// avroReader reads a body. The first failure stays in reason; after it every
// read returns zero, so that callers need to look once at the end. Lengths are
// checked against what is left before anything is allocated.
type avroReader struct {
	rest   []byte
	reason string // empty: none
}

func (r *avroReader) fail(reason string) {
	if r.reason == "" {
		r.reason = reason
	}
	r.rest = nil
}

func (r *avroReader) end() error {
	if r.reason == "" && len(r.rest) > 0 {
		r.reason = ReasonTrailingData
	}
	if r.reason != "" {
		return bad(r.reason)
	}
	return nil
}

func (r *avroReader) long() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail(ReasonInvalidAvro)
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *avroReader) bytes(n int64) []byte {
	if n < 0 || n > int64(len(r.rest)) {
		r.fail(ReasonInvalidAvro)
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *avroReader) bool() bool {
	b := r.bytes(1)
	if len(b) == 0 || b[0] > 1 {
		r.fail(ReasonInvalidAvro)
		return false
	}
	return b[0] == 1
}

func (r *avroReader) text() []byte {
	b := r.bytes(r.long())
	if !utf8.Valid(b) {
		r.fail(ReasonInvalidUTF8)
		return nil
	}
	return b
}

// some reads the branch of a union of null and one other type.
func (r *avroReader) some() bool {
	switch r.long() {
	case 0:
		return false
	case 1:
		return r.reason == ""
	}
	r.fail(ReasonInvalidAvro)
	return false
}

func (r *avroReader) double() float64 {
	b := r.bytes(8)
	if len(b) == 0 {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if !isFinite(x) {
		r.fail(ReasonWrongType)
		return 0
	}
	return x
}

// block reads the number of items of the next block of an array or a map, 0 at
// its end. An item takes at least one byte, so that a count which the rest cannot
// hold is refused.
func (r *avroReader) block() int64 {
	n := r.count()
	if n > int64(len(r.rest)) {
		r.fail(ReasonInvalidAvro)
		return 0
	}
	return n
}

// count is block for items that may take no bytes.
func (r *avroReader) count() int64 {
	n := r.long()
	if n < 0 {
		// The length in bytes follows; it is of use to those who skip only.
		n = -n
		if r.long() < 0 {
			r.fail(ReasonInvalidAvro)
		}
	}
	if n < 0 || r.reason != "" {
		r.fail(ReasonInvalidAvro)
		return 0
	}
	return n
}

// items reads the blocks of an array or a map; count reads the number of the items of one.
func (r *avroReader) items(count func() int64, item func()) {
	for n := count(); n > 0; n = count() {
		for ; n > 0 && r.reason == ""; n-- {
			item()
		}
	}
}

// check reads a value along its schema and fails if the bytes do not follow it, or
// go deeper than any event into a schema that refers to itself.
func (r *avroReader) check(n *node, depth int, budget *int) {
	// Items may take no bytes at all, so that their number is bounded by a
	// budget which any sane body keeps.
	*budget--
	if depth > maxDepth {
		r.fail(ReasonTooDeep)
	}
	if *budget < 0 {
		r.fail(ReasonInvalidAvro)
	}
	if r.reason != "" {
		return
	}
	switch n.kind {
	case kindUnion:
		v := r.long()
		if v < 0 || v >= int64(len(n.branches)) {
			r.fail(ReasonInvalidAvro)
			return
		}
		r.check(n.branches[v], depth+1, budget)
	case kindRecord:
		for i := range n.fields {
			r.check(n.fields[i].node, depth+1, budget)
		}
	case kindArray, kindMap:
		r.items(r.count, func() {
			if n.kind == kindMap {
				r.bytes(r.long())
			}
			r.check(n.item, depth+1, budget)
		})
	default:
		r.checkPlain(n)
	}
}

func (r *avroReader) checkPlain(n *node) {
	switch n.kind {
	case kindBoolean:
		r.bool()
	case kindInt:
		if v := r.long(); v < math.MinInt32 || v > math.MaxInt32 {
			r.fail(ReasonInvalidAvro)
		}
	case kindLong:
		r.long()
	case kindFloat:
		r.bytes(4)
	case kindDouble:
		r.bytes(8)
	case kindBytes, kindString:
		r.bytes(r.long())
	case kindFixed:
		r.bytes(int64(n.size))
	case kindEnum:
		if v := r.long(); v < 0 || v >= int64(len(n.symbols)) {
			r.fail(ReasonInvalidAvro)
		}
	}
}
