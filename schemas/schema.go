package schemas

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/linkedin/goavro/v2"
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

// node is one type of a parsed schema. A type that refers to itself makes the
// nodes a cyclic graph. Logical types are read as what they are written as.
type node struct {
	kind     kind
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

type schema struct {
	root        *node
	fingerprint uint64 // CRC-64-AVRO of the canonical form
}

// parseSchema reads an Avro schema. Named types of the refs, which are texts of
// schemas, may be used in it. The errors may quote the schema, which is no
// personal information. goavro checks names, symbols, and what else the parser does not need.
func parseSchema(text string, refs ...string) (*schema, error) {
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
	codec, err := root.goavro()
	if err != nil {
		return nil, err
	}
	return &schema{root: root, fingerprint: codec.Rabin}, nil
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
	return p.parseName(typ, namespace)
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

// plain is the schema as goavro takes it, from which it makes the Parsing Canonical Form (Avro 1.12
// specification). It has no defaults: goavro must not refuse those that other implementations allow.
func (n *node) plain(defined map[string]bool) any {
	if defined[n.name] {
		return n.name
	}
	defined[n.name] = n.name != ""
	obj := map[string]any{"type": n.kind, "name": n.name}
	switch n.kind {
	case kindRecord:
		fields := []any{}
		for _, f := range n.fields {
			fields = append(fields, map[string]any{"name": f.name, "type": f.node.plain(defined)})
		}
		obj["fields"] = fields
	case kindEnum:
		obj["symbols"] = n.symbols
	case kindFixed:
		obj["size"] = n.size
	case kindArray:
		return map[string]any{"type": n.kind, "items": n.item.plain(defined)}
	case kindMap:
		return map[string]any{"type": n.kind, "values": n.item.plain(defined)}
	case kindUnion:
		var branches []any
		for _, b := range n.branches {
			branches = append(branches, b.plain(defined))
		}
		return branches
	default:
		return n.kind
	}
	return obj
}

func (n *node) goavro() (*goavro.Codec, error) {
	text, err := json.Marshal(n.plain(map[string]bool{}))
	if err != nil {
		return nil, err
	}
	return goavro.NewCodec(string(text))
}

// qualify gives a name its namespace unless it has one.
func qualify(name, namespace string) string {
	if namespace == "" || strings.Contains(name, ".") {
		return name
	}
	return namespace + "." + name
}
