package schemas

import (
	"encoding/binary"
	"math"
	"slices"
)

// maxDepth is how deeply the values of one record may be nested, in JSON or in
// Avro. The events need eight levels.
const maxDepth = 64

// recode turns a body of the writer's schema into one of the reader's, which is one of ours. Fields are
// found by their names; one that is not there or null becomes the zero value, which is the default of
// every field that has one. seqAbsent reports whether the record has no seq.
func recode(writer, reader *node, body []byte) (out []byte, seqAbsent bool, err error) {
	if writer.kind != kindRecord {
		return nil, false, bad(ReasonWrongSchema)
	}
	c := recoder{in: avroReader{rest: body}, budget: 1024 + 8*len(body)}
	c.in.check(writer, 0, &c.budget)
	if err := c.in.end(); err != nil {
		return nil, false, err
	}
	// From here on, every read succeeds.
	c.in.rest = body
	c.root, c.budget = reader, math.MaxInt
	c.value(writer, reader)
	if c.wrong {
		return nil, false, bad(ReasonWrongType)
	}
	return c.out, c.seqAbsent, nil
}

type recoder struct {
	in     avroReader
	out    []byte
	budget int
	root   *node
	// wrong means that a value has a type which the reader's schema does not take.
	wrong     bool
	seqAbsent bool
}

// value recodes the next value, and reports whether there was one.
func (c *recoder) value(w, r *node) bool {
	for w.kind == kindUnion {
		w = w.branches[c.in.long()]
	}
	if w.kind == kindNull {
		c.zero(r)
		return false
	}
	if r.kind == kindUnion { // of null and another type
		c.out = appendLong(c.out, 1)
		r = r.branches[1]
	}
	switch r.kind {
	case kindRecord:
		c.record(w, r)
	case kindArray, kindMap:
		c.items(w, r)
	case kindString:
		c.text(w)
	case kindBoolean:
		c.expect(w, kindBoolean)
		c.out = appendBool(c.out, !c.wrong && c.in.bool())
	case kindDouble:
		c.out = appendDouble(c.out, c.double(w))
	default:
		n := c.long(w)
		c.wrong = c.wrong || r.kind == kindInt && n != int64(int32(n))
		c.out = appendLong(c.out, n)
	}
	return true
}

func (c *recoder) expect(w *node, kinds ...kind) {
	c.wrong = c.wrong || !slices.Contains(kinds, w.kind)
}

// zero writes the value that a field has which is not there.
func (c *recoder) zero(r *node) {
	switch r.kind {
	case kindRecord:
		for i := range r.fields {
			c.zero(r.fields[i].node)
		}
	case kindDouble:
		c.out = appendDouble(c.out, 0)
	default: // null, an empty text or list, false, 0
		c.out = append(c.out, 0)
	}
}

func (c *recoder) record(w, r *node) {
	c.expect(w, kindRecord)
	if c.wrong {
		return
	}
	starts := make([][]byte, len(w.fields))
	for i := range w.fields {
		starts[i] = c.in.rest
		c.in.check(w.fields[i].node, 0, &c.budget)
	}
	end := c.in.rest
	for i := range r.fields {
		given := false
		if k := slices.IndexFunc(w.fields, func(f field) bool { return f.name == r.fields[i].name }); k >= 0 {
			c.in.rest = starts[k]
			given = c.value(w.fields[k].node, r.fields[i].node)
		} else {
			c.zero(r.fields[i].node)
		}
		if !given && r == c.root && r.fields[i].name == "seq" {
			c.seqAbsent = true
		}
	}
	c.in.rest = end
}

func (c *recoder) items(w, r *node) {
	c.expect(w, r.kind)
	for !c.wrong {
		n := c.in.count()
		c.out = appendLong(c.out, n)
		if n == 0 {
			return
		}
		for ; n > 0 && !c.wrong; n-- {
			if r.kind == kindMap {
				c.copyText()
			}
			c.value(w.item, r.item)
		}
	}
}

// text recodes a string, bytes (which Avro promotes) or an enum's symbol.
func (c *recoder) text(w *node) {
	switch w.kind {
	case kindString, kindBytes:
		c.copyText()
	case kindEnum:
		c.out = appendString(c.out, w.symbols[c.in.long()])
	default:
		c.wrong = true
	}
}

func (c *recoder) copyText() {
	text := c.in.bytes(c.in.long())
	c.out = append(appendLong(c.out, int64(len(text))), text...)
}

func (c *recoder) long(w *node) int64 {
	c.expect(w, kindInt, kindLong)
	if c.wrong {
		return 0
	}
	return c.in.long()
}

func (c *recoder) double(w *node) float64 {
	switch w.kind {
	case kindFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(c.in.bytes(4))))
	case kindDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(c.in.bytes(8)))
	}
	return float64(c.long(w))
}
