package jsondoc

import (
	"slices"
	"strconv"
	"strings"

	"sotto/files/formats/jsontree"
	"sotto/files/formats/table"
	"sotto/schemas"
)

// maxListDepth is how deep in a document the list of its utterances may be.
const maxListDepth = 6

// chatRoles are the roles of chats with programs.
var chatRoles = map[string]schemas.Role{"human": schemas.RoleCustomer, "user": schemas.RoleCustomer, "client": schemas.RoleCustomer, "caller": schemas.RoleCustomer,
	"gpt": schemas.RoleAgent, "assistant": schemas.RoleAgent, "bot": schemas.RoleAgent, "chatbot": schemas.RoleAgent, "model": schemas.RoleAgent}

// list is a list in a document and the names that lead to it.
type list struct {
	*jsontree.Node
	parent *jsontree.Node
	path   []string
}

// lists are the lists of a document that are not empty, the outer ones first.
func lists(root *jsontree.Node) (found []list) {
	level := []list{{Node: root}}
	for depth := 0; depth <= maxListDepth && len(level) > 0; depth++ {
		var next []list
		for _, l := range level {
			if len(l.Items()) > 0 {
				found = append(found, l)
			}
			for i, c := range l.Children {
				name := c.Key
				if l.Kind == jsontree.Array {
					name = strconv.Itoa(i)
				}
				if len(c.Children) > 0 {
					next = append(next, list{c, l.Node, append(slices.Clip(l.path), name)})
				}
			}
		}
		level = next
	}
	return found
}

// utteranceMapping returns the mapping of a document that has a list of utterances: objects that have a text by its name,
// pairs of a speaker and a text, or the words of a text. There may be several such lists, each a call. It is nil if the
// document has none.
func utteranceMapping(root *jsontree.Node) *mapping {
	for _, l := range lists(root) {
		if len(l.path) > 1 && isUtterance(root) {
			return nil
		}
		if t := turnsOf(l); t != nil {
			m := &mapping{Name: "utterances", Roles: chatRoles, Turns: []turnSource{*t}}
			m.locate(root, l)
			if len(l.path) == 1 && l.path[0] == "utterances" && root.Member("id").IsText() { // a labelled conversation
				m.ID, m.ownID = "id", true
				m.Turns[0].Offsets = []string{"entities.*.start", "entities.*.end"}
			}
			return m
		}
	}
	return nil
}

// turnsOf returns where the turns of a list are, with the paths from its elements; nil if it is none of utterances.
func turnsOf(l list) *turnSource {
	items := l.Items()
	if isPairs(items) {
		return &turnSource{Text: "1", Speaker: "0"}
	}
	c, text := utteranceColumns(items)
	if text == "" {
		return nil
	}
	t := &turnSource{Text: text, Speaker: c.Speaker, Role: c.Role, Start: c.Start, End: c.End}
	if areWords(items, text) {
		w := wordForm{Text: []string{text}, Start: append([]string{"timestamp.0"}, startNames...), End: append([]string{"timestamp.1"}, endNames...)}
		if c.Start != "" {
			w.Start, w.End = []string{c.Start}, []string{c.End}
		}
		t = &turnSource{Speaker: c.Speaker, Split: c.Speaker != "", Start: c.Start, End: c.End, Words: []wordForm{w}}
		if t.Split && t.Start == "" {
			t.Start, t.End = w.Start[0], w.End[0]
		}
	}
	return t
}

// isPairs reports whether all elements are a short text and another one.
func isPairs(items []*jsontree.Node) bool {
	return len(items) > 0 && !slices.ContainsFunc(items, func(n *jsontree.Node) bool {
		pair := n.Items()
		return len(pair) != 2 || !pair[0].IsText() || !pair[1].IsText() || pair[0].Str == "" || len(pair[0].Str) > 40
	})
}

// utteranceColumns returns the columns of objects that are utterances, and the path of their text; "" if they are none.
func utteranceColumns(items []*jsontree.Node) (c table.Columns, text string) {
	names := items[0].MemberNames()
	c, _ = table.Columns{}.Guess(names)
	if c.Text == "" && c.Speaker != "" && slices.Contains(names, "value") { // the speaker is "from"
		c.Text = "value"
	}
	text = c.Text
	if parts := c.Text + ".*.text"; (c.Text == "content" || c.Text == "parts") && items[0].Pick(parts).IsText() {
		text = c.Text + " | " + parts
	}
	said := 0
	for _, n := range items {
		switch t := n.Pick(text); {
		case n.Kind != jsontree.Object:
			return c, ""
		case t.IsText(), text != c.Text && n.Pick(c.Text+".*.text").IsText():
			said++
		case t != nil:
			return c, ""
		}
	}
	if c.Text == "" || said == 0 || said*2 < len(items) {
		return c, ""
	}
	return c, text
}

// areWords reports whether the texts of a list are the single words of a text.
func areWords(items []*jsontree.Node, text string) bool {
	words, texts := 0, 0
	for _, n := range items {
		if t := n.Pick(text); t.IsText() {
			words += len(strings.Fields(t.Str))
			texts++
		}
	}
	return texts >= 6 && words*10 <= texts*11
}

// locate sets the paths of a mapping whose turns are those of a list. Where the list is an element of another, or one of
// several alike under different names, each of them is a call.
func (m *mapping) locate(root *jsontree.Node, l list) {
	path := slices.Clone(l.path)
	calls := 0 // how many names lead to the calls
	n := root
	for i, name := range l.path {
		if n.Kind == jsontree.Array || alike(n, l.path[i+1:]) {
			path[i], calls = "*", i+1
		}
		n = n.Member(name)
	}
	m.Calls = strings.Join(path[:calls], ".")
	path = path[calls:]
	t := &m.Turns[0]
	switch {
	case len(t.Words) == 0:
		t.Path = strings.Join(append(path, "*"), ".")
	case len(path) == 0:
		t.Path, t.Words[0].Path = ".", "."
	default:
		t.Path, t.Words[0].Path = ".", path[len(path)-1]
		if len(path) > 1 {
			t.Path = strings.Join(path[:len(path)-1], ".")
		}
		if said, _ := (table.Columns{}).Guess(l.parent.MemberNames()); !t.Split && said.Text != "" && l.parent.Member(said.Text).IsText() {
			t.Text = said.Text // which the words repeat
		}
	}
	if call := root.Pick(m.Calls); call != nil && call.Kind == jsontree.Object {
		if names, _ := (table.Columns{}).Guess(call.MemberNames()); call.Member(names.Call).Scalar() != "" {
			m.ID, m.ownID = names.Call, true
		}
	}
}

// alike reports whether an object has several members, and a path leads from each of them to a list of utterances.
func alike(n *jsontree.Node, path []string) bool {
	return n.Kind == jsontree.Object && len(n.Children) > 1 && !slices.ContainsFunc(n.Children, func(c *jsontree.Node) bool {
		for _, name := range path {
			c = c.Member(name)
		}
		return len(c.Items()) == 0 || turnsOf(list{Node: c}) == nil
	})
}
