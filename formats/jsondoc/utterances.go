package jsondoc

import (
	"slices"
	"strconv"
	"strings"

	"sotto/formats/table"
	"sotto/formats/transcript"
)

// utteranceMapping returns the mapping of a document that is a list of utterances, or that has one as
// a member: objects that have a text by its name. It is nil if the document is none.
func utteranceMapping(n *node) *mapping {
	for i, list := range append([]*node{n}, n.children...) {
		items := list.items()
		if len(items) == 0 {
			continue
		}
		c, _ := table.Columns{}.Guess(memberNames(items[0]))
		if c.Text == "" || slices.ContainsFunc(items, func(i *node) bool { return !i.member(c.Text).isText() }) {
			continue
		}
		path := "*"
		if i > 0 {
			path = strconv.Itoa(i-1) + ".*"
			if n.kind == object {
				path = list.key + ".*"
			}
		}
		return &mapping{Name: "utterances", Turns: []turnSource{{Path: path, Text: c.Text, Speaker: c.Speaker, Role: c.Role, Start: c.Start, End: c.End}}}
	}
	return nil
}

// memberNames are the names of the members of an object.
func memberNames(n *node) (names []string) {
	if n.kind == object {
		for _, m := range n.children {
			names = append(names, m.key)
		}
	}
	return names
}

// The usual names of the times at which a word begins and ends.
var (
	startNames = []string{"start", "start_ms", "start_s", "start_time", "start_ts", "startTime", "startMs", "begin"}
	endNames   = []string{"end", "end_ms", "end_s", "end_time", "end_ts", "endTime", "endMs", "stop"}
)

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
	f := &wordForm{Start: startNames, End: endNames}
	if saysTheSame(said, wordsOf(entries, "")...) {
		return f
	}
	for _, m := range entries[0].children {
		if m.isText() && !m.claimed && m.key != "" && !strings.Contains(m.key, ".") && saysTheSame(said, wordsOf(entries, m.key)...) {
			f.Text = append(f.Text, m.key)
		}
	}
	if len(f.Text) == 0 {
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
