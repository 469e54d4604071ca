package jsontree

import (
	"slices"
	"strconv"
	"strings"
)

// Match is a value to which a path leads, and what the stars of the path stand for: the position of
// an element, or the name of a member.
type Match struct {
	*Node
	stars []string
}

// All returns the values to which a path leads, without null. A path consists of names and
// positions, "a.0.b"; "*" stands for every element or member, and "." for the value itself. Of
// alternatives, "a.b | c", the first that leads anywhere counts. It is safe on nil.
func (n *Node) All(path string) []Match {
	for alternative := range strings.SplitSeq(path, "|") {
		found := slices.DeleteFunc(n.follow(strings.TrimSpace(alternative)), func(m Match) bool { return m.Kind == Literal && m.Str == "null" })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// Pick returns the first value to which a path leads, nil if there is none.
func (n *Node) Pick(path string) *Node {
	if found := n.All(path); len(found) > 0 {
		return found[0].Node
	}
	return nil
}

// Meets reports whether a value has one of the alternatives of a condition: a path that leads to a
// value, or "path=text".
func (n *Node) Meets(condition string) bool {
	for alternative := range strings.SplitSeq(condition, "|") {
		path, want, equal := strings.Cut(strings.TrimSpace(alternative), "=")
		if slices.ContainsFunc(n.follow(path), func(m Match) bool { return !equal || m.Scalar() == want }) {
			return true
		}
	}
	return false
}

func (n *Node) follow(path string) []Match {
	if n == nil || path == "" {
		return nil
	}
	found := []Match{{Node: n}}
	if path == "." {
		return found
	}
	for name := range strings.SplitSeq(path, ".") {
		var next []Match
		for _, m := range found {
			if name != "*" {
				if c := m.Member(name); c != nil {
					next = append(next, Match{c, m.stars})
				}
				continue
			}
			for i, c := range m.Children {
				star := c.Key
				if m.Kind == Array {
					star = strconv.Itoa(i)
				}
				next = append(next, Match{c, append(slices.Clip(m.stars), star)})
			}
		}
		found = next
	}
	return found
}

// Value returns the text or the number to which a path leads. "*1" is what the first star stands for
// in the path that led to this value, "*2" the second.
func (m Match) Value(path string) string {
	if n, ok := strings.CutPrefix(path, "*"); ok {
		if i, err := strconv.Atoi(n); err == nil && 0 < i && i <= len(m.stars) {
			return m.stars[i-1]
		}
		return ""
	}
	return m.Pick(path).Scalar()
}
