package schemas

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSONSchema stands for every schema in JSON Schema: what is written with one is JSON, which can be read
// without it.
func JSONSchema() *Schema { return &Schema{json: true} }

// Foreign returns a schema in another language than Avro, with which only trees can be made of bodies: see Schema.Tree, of whose
// values and errors the same holds as of those of tree.
func Foreign(tree func(body []byte) (any, error)) *Schema { return &Schema{tree: tree} }

// Framed looks at a record that may be somebody else's. If it names its schema by ID in Confluent's wire
// format, it returns the body, and the schema to read that with, or none if the body is JSON. All other
// records, and raw events of ours, it returns as they are. Of its error the same holds as of that of a Decode method.
func (c *Codec) Framed(data []byte) (body []byte, s *Schema, err error) {
	if len(data) == 0 || data[0] != magicConfluent {
		return data, nil, nil
	}
	s, body, err = c.open(rawEvent, data)
	if err != nil {
		return nil, nil, err
	}
	if s != nil && s.tree == nil && s.root.kind == kindRecord && s.root.name == c.families[rawEvent].current.root.name {
		return data, nil, nil
	}
	return body, s, nil
}

// Tree returns the value that a body has by the schema, in the types that encoding/json decodes into an any:
// numbers are a json.Number with all their digits, an enum is the text of its symbol, a union the value of its
// branch. A decimal is a number and a UUID a text; values of other logical types are as they are written. Bytes
// are a text if they are one, else nil, as are numbers that are not finite. The error is a *DecodeError.
func (s *Schema) Tree(body []byte) (tree any, err error) {
	defer contain(&err)
	if s.tree != nil {
		return s.tree(body)
	}
	t := treeReader{avroReader{rest: body}, 1024 + 4*len(body), 4096 + len(body)/8}
	tree = t.value(s.root, 0)
	if err := t.end(); err != nil {
		return nil, err
	}
	return tree, nil
}

// treeReader makes a tree. Its memory is bounded by the length of the body, also where the schema has values
// that take no bytes.
type treeReader struct {
	avroReader
	values, objects int // that it may still make
}

// noMembers is every object without any. Trees are not changed.
var noMembers = map[string]any{}

func (t *treeReader) value(n *node, depth int) any {
	for n.kind == kindUnion {
		branch := t.long()
		if branch < 0 || branch >= int64(len(n.branches)) {
			t.fail(ReasonInvalidAvro)
			return nil
		}
		n = n.branches[branch]
	}
	t.values--
	switch {
	case depth > maxDepth:
		t.fail(ReasonTooDeep)
	case t.values < 0:
		t.fail(ReasonInvalidAvro)
	}
	if t.reason != "" {
		return nil
	}
	switch n.kind {
	case kindRecord:
		members := t.object(len(n.fields))
		for i := range n.fields {
			members = t.member(members, n.fields[i].name, n.fields[i].node, depth)
		}
		return members
	case kindMap:
		members := t.object(0)
		t.items(t.count, func() { members = t.member(members, string(t.text()), n.item, depth) })
		return members
	case kindArray:
		list := []any{}
		t.items(t.count, func() { list = append(list, t.value(n.item, depth+1)) })
		return list
	}
	return t.plain(n)
}

// object returns an object for so many members.
func (t *treeReader) object(members int) map[string]any {
	if t.objects--; t.objects < 0 {
		t.fail(ReasonInvalidAvro)
	}
	if members == 0 {
		return noMembers
	}
	return nil
}

// member adds the next value to an object, unless it is null.
func (t *treeReader) member(to map[string]any, name string, n *node, depth int) map[string]any {
	v := t.value(n, depth+1)
	if len(to) == 0 {
		if v == nil {
			return noMembers
		}
		to = map[string]any{}
	}
	if v == nil {
		delete(to, name) // of a map that has the key twice, the later value counts
	} else {
		to[name] = v
	}
	return to
}

func (t *treeReader) plain(n *node) any {
	switch n.kind {
	case kindBoolean:
		return t.bool()
	case kindInt, kindLong:
		v := t.long()
		if n.kind == kindInt && v != int64(int32(v)) {
			t.fail(ReasonInvalidAvro)
		}
		return json.Number(strconv.FormatInt(v, 10))
	case kindFloat:
		if b := t.bytes(4); len(b) == 4 {
			return Digits(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
		}
	case kindDouble:
		if b := t.bytes(8); len(b) == 8 {
			return Digits(math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
		}
	case kindString:
		return string(t.text())
	case kindEnum:
		if v := t.long(); v >= 0 && v < int64(len(n.symbols)) {
			return n.symbols[v]
		}
		t.fail(ReasonInvalidAvro)
	case kindBytes:
		return t.binary(n, t.bytes(t.long()))
	case kindFixed:
		return t.binary(n, t.bytes(int64(n.size)))
	}
	return nil // null
}

// Digits returns a number of a tree in the fewest digits that give it again, nil if it is not finite.
func Digits(x float64, bits int) any {
	if !isFinite(x) {
		return nil
	}
	format := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return json.Number(strconv.FormatFloat(x, format, -1, bits))
}

// maxDecimal bounds the bytes of a decimal: those of the largest number in use have 32.
const maxDecimal = 256

// binary returns the value of bytes. Those that are no text are no value: as hexadecimal or base64, they could be a
// text of which nobody sees what it says.
func (t *treeReader) binary(n *node, b []byte) any {
	switch {
	case n.logical == logicalDecimal && len(b) > maxDecimal:
		t.fail(ReasonWrongType)
	case n.logical == logicalDecimal:
		return decimal(b, n.scale)
	case n.logical == logicalUUID && n.size == 16:
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	case utf8.Valid(b):
		return string(b)
	}
	return nil
}

// decimal returns the number that bytes are as a two's complement, with so many digits behind the point.
func decimal(b []byte, scale int) json.Number {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	digits, sign := x.Text(10), ""
	if x.Sign() < 0 {
		digits, sign = digits[1:], "-"
	}
	if scale == 0 {
		return json.Number(sign + digits)
	}
	digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
	return json.Number(sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:])
}
