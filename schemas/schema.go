package schemas

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// maxSchemaDepth bounds how deeply a schema may be written inside itself.
const maxSchemaDepth = 32

// kind is the type of a schema's node, named as Avro does.
type kind string

const (
	kindNull    kind = "null"
	kindBoolean kind = "boolean"
	kindInt     kind = "int"
	kindLong    kind = "long"
	kindFloat   kind = "float"
	kindDouble  kind = "double"
	kindBytes   kind = "bytes"
	kindString  kind = "string"
	kindRecord  kind = "record"
	kindEnum    kind = "enum"
	kindFixed   kind = "fixed"
	kindArray   kind = "array"
	kindMap     kind = "map"
	kindUnion   kind = "union"
)

// Logical types that a tree shows in another way than as what they are written as. The events have none.
const (
	logicalDecimal = "decimal"
	logicalUUID    = "uuid"
)

// node is one type of a parsed schema. A type that refers to itself makes the
// nodes a cyclic graph.
type node struct {
	kind     kind
	logical  string   // of bytes and fixed: one of those above, or empty
	scale    int      // decimal
	name     string   // full name of a record, enum or fixed
	fields   []field  // record
	symbols  []string // enum
	fallback string   // enum: the symbol read for an unknown one, or empty
	size     int      // fixed
	item     *node    // array, map
	branches []*node  // union
}

// field is a field of a record. Its default matters to what may become of the
// schema, and not to reading: every default is the zero value of the Go types.
type field struct {
	name       string
	node       *node
	hasDefault bool
	def        any // as encoding/json decodes it
}

// Schema is an Avro schema that records may be written with.
type Schema struct {
	json        bool                           // one of JSON Schema, of which nothing else is known
	tree        func(body []byte) (any, error) // of a Foreign one, of which nothing else is known
	root        *node
	fingerprint uint64 // CRC-64-AVRO of the canonical form
}

// ParseSchema reads an Avro schema. Named types of the refs, which are texts of
// schemas, may be used in it. The errors may quote the schema, which is no
// personal information. It does not check what reading a record does not need, such as which names are
// permitted: that is for whoever takes schemas from others.
func ParseSchema(text string, refs ...string) (*Schema, error) {
	p := parser{named: map[string]*node{}}
	for _, ref := range refs {
		if _, err := p.parseText(ref); err != nil {
			return nil, fmt.Errorf("referenced schema: %w", err)
		}
	}
	root, err := p.parseText(text)
	if err != nil {
		return nil, err
	}
	s := &Schema{root: root}
	s.fingerprint = rabin(s.Canonical())
	return s, nil
}

type parser struct {
	named map[string]*node
}

func (p *parser) parseText(text string) (*node, error) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return p.parse(v, "", 0)
}

func (p *parser) parse(v any, namespace string, depth int) (*node, error) {
	if depth > maxSchemaDepth {
		return nil, errors.New("the schema is nested too deeply")
	}
	switch v := v.(type) {
	case string:
		return p.parseName(v, namespace)
	case []any:
		n := &node{kind: kindUnion}
		for _, b := range v {
			branch, err := p.parse(b, namespace, depth+1)
			if err != nil {
				return nil, err
			}
			if branch.kind == kindUnion {
				return nil, errors.New("a union holds a union")
			}
			n.branches = append(n.branches, branch)
		}
		return n, nil
	case map[string]any:
		return p.parseObject(v, namespace, depth)
	}
	return nil, errors.New("a type is neither a name, a list nor an object")
}

func (p *parser) parseName(name, namespace string) (*node, error) {
	switch k := kind(name); k {
	case kindNull, kindBoolean, kindInt, kindLong, kindFloat, kindDouble, kindBytes, kindString:
		return &node{kind: k}, nil
	}
	if n := p.named[qualify(name, namespace)]; n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("type %q is not defined", name)
}

func (p *parser) parseObject(obj map[string]any, namespace string, depth int) (*node, error) {
	typ, ok := obj["type"].(string)
	if !ok {
		return p.parse(obj["type"], namespace, depth+1)
	}
	switch k := kind(typ); k {
	case kindArray, kindMap:
		key := "items"
		if k == kindMap {
			key = "values"
		}
		item, err := p.parse(obj[key], namespace, depth+1)
		return &node{kind: k, item: item}, err
	case kindRecord, kindEnum, kindFixed:
		return p.parseNamed(k, obj, namespace, depth)
	}
	n, err := p.parseName(typ, namespace)
	if err == nil && n.kind == kindBytes {
		n.setLogical(obj)
	}
	return n, err
}

// maxScale bounds the digits behind the point of a decimal.
const maxScale = 1000

// setLogical sets the logical type of bytes, unless it is not valid there: then it is to be ignored.
func (n *node) setLogical(obj map[string]any) {
	precision, _ := obj["precision"].(float64)
	scale, _ := obj["scale"].(float64)
	switch obj["logicalType"] {
	case logicalDecimal:
		if precision >= 1 && scale >= 0 && scale <= min(precision, maxScale) && scale == float64(int(scale)) {
			n.logical, n.scale = logicalDecimal, int(scale)
		}
	case logicalUUID:
		n.logical = logicalUUID
	}
}

func (p *parser) parseNamed(k kind, obj map[string]any, namespace string, depth int) (*node, error) {
	name, _ := obj["name"].(string)
	if ns, ok := obj["namespace"].(string); ok {
		namespace = ns
	}
	n := &node{kind: k, name: qualify(name, namespace)}
	if p.named[n.name] != nil {
		return nil, fmt.Errorf("type %q is defined twice", n.name)
	}
	p.named[n.name] = n
	if i := strings.LastIndexByte(n.name, '.'); i >= 0 {
		namespace = n.name[:i]
	} else {
		namespace = ""
	}
	switch k {
	case kindRecord:
		return n, p.parseFields(n, obj, namespace, depth)
	case kindEnum:
		list, _ := obj["symbols"].([]any)
		for _, s := range list {
			symbol, _ := s.(string)
			n.symbols = append(n.symbols, symbol)
		}
		n.fallback, _ = obj["default"].(string)
		return n, nil
	default:
		size, ok := obj["size"].(float64)
		if !ok || size < 1 || size > 1<<20 || size != float64(int(size)) {
			return nil, fmt.Errorf("fixed %q has no valid size", n.name)
		}
		n.size = int(size)
		n.setLogical(obj)
		return n, nil
	}
}

func (p *parser) parseFields(n *node, obj map[string]any, namespace string, depth int) error {
	list, ok := obj["fields"].([]any)
	if !ok {
		return fmt.Errorf("record %q has no fields", n.name)
	}
	for _, item := range list {
		obj, _ := item.(map[string]any)
		name, _ := obj["name"].(string)
		t, err := p.parse(obj["type"], namespace, depth+1)
		if err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
		def, hasDefault := obj["default"]
		n.fields = append(n.fields, field{name: name, node: t, hasDefault: hasDefault, def: def})
	}
	return nil
}

// Canonical is the Parsing Canonical Form (Avro 1.12 specification): without documentation and defaults.
func (s *Schema) Canonical() string { return string(s.root.canonical(nil, map[string]bool{})) }

func (n *node) canonical(b []byte, defined map[string]bool) []byte {
	if defined[n.name] {
		return appendQuoted(b, n.name)
	}
	defined[n.name] = n.name != ""
	switch n.kind {
	case kindRecord:
		b = append(n.begin(b), `,"fields":[`...)
		for i, f := range n.fields {
			b = append(appendQuoted(append(separated(b, i), `{"name":`...), f.name), `,"type":`...)
			b = append(f.node.canonical(b, defined), '}')
		}
		return append(b, "]}"...)
	case kindEnum:
		b = append(n.begin(b), `,"symbols":[`...)
		for i, symbol := range n.symbols {
			b = appendQuoted(separated(b, i), symbol)
		}
		return append(b, "]}"...)
	case kindFixed:
		return append(strconv.AppendInt(append(n.begin(b), `,"size":`...), int64(n.size), 10), '}')
	case kindArray:
		return append(n.item.canonical(append(b, `{"type":"array","items":`...), defined), '}')
	case kindMap:
		return append(n.item.canonical(append(b, `{"type":"map","values":`...), defined), '}')
	case kindUnion:
		b = append(b, '[')
		for i, branch := range n.branches {
			b = branch.canonical(separated(b, i), defined)
		}
		return append(b, ']')
	}
	return appendQuoted(b, string(n.kind))
}

// begin writes what the canonical form of a type with a name begins with.
func (n *node) begin(b []byte) []byte {
	b = append(appendQuoted(append(b, `{"name":`...), n.name), `,"type":`...)
	return appendQuoted(b, string(n.kind))
}

// separated writes the comma before an element that is not the first.
func separated(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// rabin is the CRC-64-AVRO of a text (Avro 1.12 specification, "Schema Fingerprints").
func rabin(text string) uint64 {
	sum := uint64(rabinEmpty)
	for i := range len(text) {
		sum = sum>>8 ^ rabinTable()[byte(sum)^text[i]]
	}
	return sum
}

const rabinEmpty = 0xc15d213aa4d7a795

var rabinTable = sync.OnceValue(func() (table [256]uint64) {
	for i := range table {
		sum := uint64(i)
		for range 8 {
			sum = sum>>1 ^ rabinEmpty*(sum&1)
		}
		table[i] = sum
	}
	return table
})

// qualify gives a name its namespace unless it has one.
func qualify(name, namespace string) string {
	if namespace == "" || strings.Contains(name, ".") {
		return name
	}
	return namespace + "." + name
}
