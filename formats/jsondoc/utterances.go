package jsondoc

import (
	"strings"

	"sotto/formats/harmless"
	"sotto/formats/table"
	"sotto/formats/transcript"
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
		t.Repeats = d.wordLists(i, t.Text)
		d.call.Turns = append(d.call.Turns, t)
	}
	var all []string
	for _, t := range d.call.Turns {
		all = append(all, t.Text)
	}
	d.call.Repeats = d.wordLists(d.root, strings.Join(all, "\n"))
}

// endNames are the usual names of the time at which a word ends.
var endNames = []string{"end", "end_ms", "end_s", "end_time", "end_ts", "endTime", "endMs", "stop"}

// wordLists returns the lists below a value that say the words of a text, an entry for each: strings,
// or objects with members that are the word.
func (d *document) wordLists(n *node, said string) []transcript.Repeat {
	if n.claimed || len(n.children) == 0 || said == "" {
		return nil
	}
	if n.kind == array {
		if f := wordListForm(n.children, said); f != nil {
			_, r := d.words(n.children, f)
			return []transcript.Repeat{r}
		}
	}
	var found []transcript.Repeat
	for _, c := range n.children {
		found = append(found, d.wordLists(c, said)...)
	}
	return found
}

// wordListForm returns how a list says the words of a text, nil if it does not say them.
func wordListForm(entries []*node, said string) *wordForm {
	f := &wordForm{ends: endNames}
	if saysTheSame(said, wordsOf(entries, "")...) {
		return f
	}
	for _, m := range entries[0].children {
		if m.isText() && !m.claimed && m.key != "" && !strings.Contains(m.key, ".") && saysTheSame(said, wordsOf(entries, m.key)...) {
			f.texts = append(f.texts, m.key)
		}
	}
	if len(f.texts) == 0 {
		return nil
	}
	return f
}

// wordsOf returns the strings of a list, or the members of that name of its objects, without those
// that are known already.
func wordsOf(entries []*node, name string) []string {
	words := make([]string, 0, len(entries))
	for _, n := range entries {
		if name != "" {
			n = n.member(name)
		}
		if n.isText() && !n.claimed {
			words = append(words, n.str)
		}
	}
	return words
}
