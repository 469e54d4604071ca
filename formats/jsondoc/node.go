package jsondoc

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

type kind uint8

const (
	object kind = iota
	array
	text
	number
	literal // true, false, null
)

// node is one value of a JSON text, with where it is.
type node struct {
	kind       kind
	start, end int
	// str is the value of a text, and the literal of everything else that has no members.
	str string
	// key is the name of a member, at keyStart to keyEnd.
	key              string
	keyStart, keyEnd int
	children         []*node
	// claimed means that the format knows the value and cares for it.
	claimed bool
}

// maxDepth bounds how deep values are nested.
const maxDepth = 1000

var (
	errNotJSON = errors.New("it is not valid JSON")
	errTooDeep = errors.New("its values are nested more than 1000 deep")
)

func parse(s string) (*node, error) {
	if !json.Valid([]byte(s)) {
		return nil, errNotJSON
	}
	p := parser{s, json.NewDecoder(strings.NewReader(s))}
	p.d.UseNumber()
	return p.value(0)
}

// parser reads JSON that is known to be valid.
type parser struct {
	s string
	d *json.Decoder
}

// token returns the next token, and where it begins and ends.
func (p *parser) token() (t json.Token, start, end int) {
	start = int(p.d.InputOffset())
	start += len(p.s[start:]) - len(strings.TrimLeft(p.s[start:], " \t\r\n,:"))
	t, _ = p.d.Token()
	return t, start, int(p.d.InputOffset())
}

func (p *parser) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	token, start, end := p.token()
	n := &node{kind: literal, start: start, end: end, str: p.s[start:end]}
	switch t := token.(type) {
	case string:
		n.kind, n.str = text, t
	case json.Number:
		n.kind = number
	case json.Delim:
		n.kind, n.str = array, ""
		if t == '{' {
			n.kind = object
		}
		for p.d.More() {
			var key json.Token = ""
			if n.kind == object {
				key, start, end = p.token()
			}
			child, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			child.key, child.keyStart, child.keyEnd = key.(string), start, end
			n.children = append(n.children, child)
		}
		_, _, n.end = p.token()
	}
	return n, nil
}

// member returns the member with a name, or the element at a position, nil if there is none. It is
// safe on nil.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	if n.kind == array {
		if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < len(n.children) {
			return n.children[i]
		}
		return nil
	}
	if n.kind == object {
		for _, c := range n.children {
			if c.key == name {
				return c
			}
		}
	}
	return nil
}

// items are the elements of an array, none of anything else. It is safe on nil.
func (n *node) items() []*node {
	if n == nil || n.kind != array {
		return nil
	}
	return n.children
}

// isText reports whether the value is a string. It is safe on nil.
func (n *node) isText() bool { return n != nil && n.kind == text }

// string returns the value of a string or number, "" of anything else. It is safe on nil.
func (n *node) string() string {
	if n == nil || n.kind != text && n.kind != number {
		return ""
	}
	return n.str
}
