package jsondoc

import (
	"strings"

	"sotto/files/formats/jsontree"
	"sotto/files/formats/transcript"
)

// The usual names of the times at which a word begins and ends.
var (
	startNames = []string{"start", "start_ms", "start_s", "start_time", "start_ts", "startTime", "startMs", "begin"}
	endNames   = []string{"end", "end_ms", "end_s", "end_time", "end_ts", "endTime", "endMs", "stop"}
)

// wordLists returns the lists below a value that say the words of a text, an entry for each: strings,
// or objects with members that are the word.
func (d *document) wordLists(n *jsontree.Node, said string) []transcript.Repeat {
	if n.Claimed || len(n.Children) == 0 || said == "" {
		return nil
	}
	if n.Kind == jsontree.Array {
		if f := wordListForm(n.Children, said); f != nil {
			_, r := d.words(n.Children, f)
			return []transcript.Repeat{r}
		}
	}
	var found []transcript.Repeat
	for _, c := range n.Children {
		found = append(found, d.wordLists(c, said)...)
	}
	return found
}

// wordListForm returns how a list says the words of a text, nil if it does not say them.
func wordListForm(entries []*jsontree.Node, said string) *wordForm {
	f := &wordForm{Start: startNames, End: endNames}
	if saysTheSame(said, wordsOf(entries, "")...) {
		return f
	}
	for _, m := range entries[0].Children {
		if m.IsText() && !m.Claimed && m.Key != "" && !strings.Contains(m.Key, ".") && saysTheSame(said, wordsOf(entries, m.Key)...) {
			f.Text = append(f.Text, m.Key)
		}
	}
	if len(f.Text) == 0 {
		return nil
	}
	return f
}

// wordsOf returns the strings of a list, or the members of that name of its objects, without those
// that are known already.
func wordsOf(entries []*jsontree.Node, name string) []string {
	words := make([]string, 0, len(entries))
	for _, n := range entries {
		if name != "" {
			n = n.Member(name)
		}
		if n.IsText() && !n.Claimed {
			words = append(words, n.Str)
		}
	}
	return words
}
