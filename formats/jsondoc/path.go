package jsondoc

import (
	"slices"
	"strconv"
	"strings"
)

// match is a value to which a path leads, and what the stars of the path stand for: the position of
// an element, or the name of a member.
type match struct {
	*node
	stars []string
}

// all returns the values to which a path leads, without null. A path consists of names and
// positions, "a.0.b"; "*" stands for every element or member, and "." for the value itself. Of
// alternatives, "a.b | c", the first that leads anywhere counts. It is safe on nil.
func (n *node) all(path string) []match {
	for alternative := range strings.SplitSeq(path, "|") {
		found := slices.DeleteFunc(n.follow(strings.TrimSpace(alternative)), func(m match) bool { return m.kind == literal && m.str == "null" })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// pick returns the first value to which a path leads, nil if there is none.
func (n *node) pick(path string) *node {
	if found := n.all(path); len(found) > 0 {
		return found[0].node
	}
	return nil
}

// meets reports whether a value has one of the alternatives of a condition: a path that leads to a
// value, or "path=text".
func (n *node) meets(condition string) bool {
	for alternative := range strings.SplitSeq(condition, "|") {
		path, want, equal := strings.Cut(strings.TrimSpace(alternative), "=")
		if slices.ContainsFunc(n.follow(path), func(m match) bool { return !equal || m.string() == want }) {
			return true
		}
	}
	return false
}

func (n *node) follow(path string) []match {
	if n == nil || path == "" {
		return nil
	}
	found := []match{{node: n}}
	if path == "." {
		return found
	}
	for name := range strings.SplitSeq(path, ".") {
		var next []match
		for _, m := range found {
			if name != "*" {
				if c := m.member(name); c != nil {
					next = append(next, match{c, m.stars})
				}
				continue
			}
			for i, c := range m.children {
				star := c.key
				if m.kind == array {
					star = strconv.Itoa(i)
				}
				next = append(next, match{c, append(slices.Clip(m.stars), star)})
			}
		}
		found = next
	}
	return found
}

// value returns the text or the number to which a path leads. "*1" is what the first star stands for
// in the path that led to this value, "*2" the second.
func (m match) value(path string) string {
	if n, ok := strings.CutPrefix(path, "*"); ok {
		if i, err := strconv.Atoi(n); err == nil && 0 < i && i <= len(m.stars) {
			return m.stars[i-1]
		}
		return ""
	}
	return m.pick(path).string()
}

func (n *node) addNames(names map[string]bool) {
	for _, c := range n.children {
		names[c.key] = true
		c.addNames(names)
	}
}
