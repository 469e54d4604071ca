package jsondoc

import (
	"strings"

	"sotto/formats/table"
)

// IsObject reports whether a text is one JSON object.
func IsObject(s string) bool {
	n, err := parse(s)
	return err == nil && n.kind == object
}

// IsEvent reports whether a text is one raw event.
func IsEvent(s string) bool {
	n, err := parse(s)
	return err == nil && n.meets("call_id") && n.meets("seq") && n.meets("type")
}

// IsUtterance reports whether a text is one object that has a text by its name.
func IsUtterance(s string) bool {
	n, err := parse(s)
	if err != nil || n.kind != object {
		return false
	}
	c, _ := table.Columns{}.Guess(memberNames(n))
	return c.Text != "" && n.member(c.Text).isText()
}

// LooksLikeArray reports whether a text begins as a JSON array does, and not with a time in
// brackets.
func LooksLikeArray(s string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(s, "["), " \t\r\n")
	return rest == "" || strings.IndexByte(`{["]-`, rest[0]) >= 0
}
