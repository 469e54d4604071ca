package jsondoc

import (
	"sotto/formats/harmless"
	"sotto/formats/table"
)

// utteranceList returns the list of utterances of a document that is such a list, or that has one
// as a member: objects that have a text by its name.
func utteranceList(n *node) []*node {
	lists := append([]*node{n}, n.children...)
	for _, list := range lists {
		items := list.items()
		if len(items) == 0 {
			continue
		}
		c := guessedColumns(items[0])
		found := c.Text != ""
		for _, i := range items {
			found = found && i.member(c.Text).isText()
		}
		if found {
			return items
		}
	}
	return nil
}

// guessedColumns guesses which members of an object are its text, its speaker and so on.
func guessedColumns(n *node) table.Columns {
	var names []string
	if n.kind == object {
		for _, m := range n.children {
			names = append(names, m.key)
		}
	}
	c, _ := table.Columns{}.Guess(names)
	return c
}

func isUtterances(n *node) bool { return utteranceList(n) != nil }

// readUtterances reads a list of utterances that no recognizer is known for.
func readUtterances(d *document) {
	items := utteranceList(d.root)
	if len(items) == 0 {
		return
	}
	c := guessedColumns(items[0])
	for _, i := range items {
		label := i.member(c.Speaker)
		t := d.newTurn(i.member(c.Text), speakerOf(label))
		if r := role(i.member(c.Role).string()); r != "" {
			t.Speaker.Role = r
		}
		if label.isText() && !harmless.Value("speaker", label.str) {
			t.Speaker.Label, t.SetLabel = label.str, d.setter(label)
		}
		d.call.Turns = append(d.call.Turns, t)
	}
}
