package jsondoc

import (
	"strings"

	"sotto/files/formats/jsontree"
	"sotto/files/formats/table"
)

// IsObject reports whether a text is one JSON object.
func IsObject(s string) bool {
	n, err := jsontree.Parse(s)
	return err == nil && n.Kind == jsontree.Object
}

// IsEvent reports whether a text is one raw event.
func IsEvent(s string) bool {
	n, err := jsontree.Parse(s)
	return err == nil && n.Meets("call_id") && n.Meets("seq") && n.Meets("type")
}

// IsUtterance reports whether a text is one object that has a text by its name.
func IsUtterance(s string) bool {
	n, err := jsontree.Parse(s)
	return err == nil && isUtterance(n)
}

func isUtterance(n *jsontree.Node) bool {
	c, _ := table.Columns{}.Guess(n.MemberNames())
	return c.Text != "" && n.Member(c.Text).IsText()
}

// LooksLikeArray reports whether a text begins as a JSON array does, and not with a time in
// brackets.
func LooksLikeArray(s string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(s, "["), " \t\r\n")
	return rest == "" || strings.IndexByte(`{["]-`, rest[0]) >= 0
}
