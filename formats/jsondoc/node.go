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
	p := parser{s: s}
	return p.value(0)
}

// parser reads JSON that is known to be valid.
type parser struct {
	s  string
	at int
}

func (p *parser) space() byte {
	for strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
	return p.s[p.at]
}

func (p *parser) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	b := p.space()
	n := &node{start: p.at}
	var err error
	switch b {
	case '{', '[':
		err = p.members(n, depth)
	case '"':
		n.kind = text
		n.str = p.str()
	default:
		n.kind = literal
		if b == '-' || '0' <= b && b <= '9' {
			n.kind = number
		}
		for p.at < len(p.s) && strings.IndexByte(" \t\r\n,]}", p.s[p.at]) < 0 {
			p.at++
		}
		n.str = p.s[n.start:p.at]
	}
	n.end = p.at
	return n, err
}

// members reads the members of an object, or the elements of an array.
func (p *parser) members(n *node, depth int) error {
	n.kind = array
	if p.s[p.at] == '{' {
		n.kind = object
	}
	p.at++
	for {
		switch p.space() {
		case '}', ']':
			p.at++
			return nil
		case ',':
			p.at++
			continue
		}
		key, keyStart := "", p.at
		if n.kind == object {
			key = p.str()
		}
		keyEnd := p.at
		if n.kind == object {
			p.space()
			p.at++ // the colon
		}
		child, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		child.key, child.keyStart, child.keyEnd = key, keyStart, keyEnd
		n.children = append(n.children, child)
	}
}

func (p *parser) str() string {
	start := p.at
	plain := true
	for p.at++; p.s[p.at] != '"'; p.at++ {
		if p.s[p.at] == '\\' {
			plain = false
			p.at++
		}
	}
	p.at++
	if plain {
		return p.s[start+1 : p.at-1]
	}
	var s string
	if json.Unmarshal([]byte(p.s[start:p.at]), &s) != nil {
		return ""
	}
	return s
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
