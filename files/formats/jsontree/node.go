// Package jsontree reads a JSON text as a tree whose values know where in the text they are, so that one
// can be replaced and every other byte stays; paths lead to its values.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Kind is what a value is.
type Kind uint8

const (
	Object Kind = iota
	Array
	Text
	Number
	Literal // true, false, null
)

// Node is one value of a JSON text, with where it is.
type Node struct {
	Kind       Kind
	Start, End int
	// Str is the value of a text, and the literal of everything else that has no members.
	Str string
	// Key is the name of a member, at KeyStart to KeyEnd.
	Key              string
	KeyStart, KeyEnd int
	Children         []*Node
	// Claimed means that the reader of a format knows the value and cares for it.
	Claimed bool
}

// maxDepth bounds how deep values are nested.
const maxDepth = 1000

var (
	errNotJSON = errors.New("it is not valid JSON")
	errTooDeep = errors.New("its values are nested more than 1000 deep")
)

// Parse reads a JSON text. The error holds nothing of it.
func Parse(s string) (*Node, error) {
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

func (p *parser) value(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	token, start, end := p.token()
	n := &Node{Kind: Literal, Start: start, End: end, Str: p.s[start:end]}
	switch t := token.(type) {
	case string:
		n.Kind, n.Str = Text, t
	case json.Number:
		n.Kind = Number
	case json.Delim:
		n.Kind, n.Str = Array, ""
		if t == '{' {
			n.Kind = Object
		}
		for p.d.More() {
			var key json.Token = ""
			if n.Kind == Object {
				key, start, end = p.token()
			}
			child, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			child.Key, child.KeyStart, child.KeyEnd = key.(string), start, end
			n.Children = append(n.Children, child)
		}
		_, _, n.End = p.token()
	}
	return n, nil
}

// Member returns the member with a name, or the element at a position, nil if there is none. It is
// safe on nil.
func (n *Node) Member(name string) *Node {
	if n == nil {
		return nil
	}
	if n.Kind == Array {
		if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < len(n.Children) {
			return n.Children[i]
		}
		return nil
	}
	if n.Kind == Object {
		for _, c := range n.Children {
			if c.Key == name {
				return c
			}
		}
	}
	return nil
}

// Items are the elements of an array, none of anything else. It is safe on nil.
func (n *Node) Items() []*Node {
	if n == nil || n.Kind != Array {
		return nil
	}
	return n.Children
}

// IsText reports whether the value is a string. It is safe on nil.
func (n *Node) IsText() bool { return n != nil && n.Kind == Text }

// Scalar returns the value of a string or number, "" of anything else. It is safe on nil.
func (n *Node) Scalar() string {
	if n == nil || n.Kind != Text && n.Kind != Number {
		return ""
	}
	return n.Str
}

// MemberNames are the names of the members of an object.
func (n *Node) MemberNames() (names []string) {
	if n.Kind == Object {
		for _, m := range n.Children {
			names = append(names, m.Key)
		}
	}
	return names
}

// ClaimAll claims a value with all that it contains.
func (n *Node) ClaimAll() {
	n.Claimed = true
	for _, c := range n.Children {
		c.ClaimAll()
	}
}

// Quote returns a string as JSON, with as few escapes as possible.
func Quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no error
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}
