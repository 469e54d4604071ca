package jsondoc

import (
	"fmt"
	"strings"
	"unicode"

	"sotto/files/formats/harmless"
	"sotto/files/formats/jsontree"
	"sotto/files/formats/transcript"
)

// addOthers adds all strings and numbers that are not claimed and not harmless, and the names of
// members that are not those of a format.
func (d *document) addOthers(n *jsontree.Node, name string) { d.addBelow(n, "", name) }

// addBelow is addOthers of a value with a name in an object with a name.
func (d *document) addBelow(n *jsontree.Node, parent, name string) {
	if n.Key != "" {
		parent, name = name, n.Key
		if !harmless.Name(name) && !d.limits.Value("id", name) && (d.mapping == nil || !d.mapping.names[name]) {
			d.addName(n)
		}
	}
	if n.Claimed {
		return
	}
	switch n.Kind {
	case jsontree.Object, jsontree.Array:
		if len(n.Children) > 0 && n.Kind == jsontree.Array && name == "tokens" && n.Children[0].Kind == jsontree.Number {
			// The token IDs of a language model are the words, in another alphabet.
			d.source.Replace(n.Start, n.End, "[]")
			return
		}
		for _, c := range n.Children {
			d.addBelow(c, parent, name)
		}
	case jsontree.Text:
		d.addText(n, parent, name)
	case jsontree.Number:
		if !harmless.Small(name, n.Str) { // it stays a number
			d.call.AddValue(d.limits, name, n.Str, func(string) { d.source.Replace(n.Start, n.End, "0") })
		}
	}
}

// addText is addBelow of a string.
func (d *document) addText(n *jsontree.Node, parent, name string) {
	if isSpeaker(parent, name) && strings.IndexFunc(n.Str, unicode.IsLetter) >= 0 && len(n.Str) <= 64 {
		d.speaker(n)
		return
	}
	if root := jsonIn(n); root != nil {
		d.addJSON(n, root)
		return
	}
	others := len(d.call.Others)
	d.call.AddValue(d.limits, name, n.Str, func(s string) { d.set(n, s) })
	if len(d.call.Others) > others && harmless.Enumerated(n.Str) {
		t := d.call.Others[others]
		t.Text, t.Plain = strings.Join(harmless.Words(n.Str), " "), true
	}
}

// jsonIn returns the object or the list that a string holds, nil if it holds none. It is safe on nil.
func jsonIn(n *jsontree.Node) *jsontree.Node {
	if !n.IsText() || !strings.HasPrefix(strings.TrimSpace(n.Str), "{") && !strings.HasPrefix(strings.TrimSpace(n.Str), "[") {
		return nil
	}
	root, err := jsontree.Parse(n.Str)
	if err != nil || len(root.Children) == 0 {
		return nil
	}
	return root
}

// addJSON adds what a string holds, which stays JSON.
func (d *document) addJSON(n, root *jsontree.Node) {
	inner := newDocument(n.Str, root)
	inner.call, inner.limits = d.call, d.limits
	inner.addOthers(root, n.Key)
	set := d.setter(n)
	d.inner = append(d.inner, func() {
		if out := inner.encode(); out != n.Str {
			set(out)
		}
	})
}

// addName adds the name of a member as a text, once for all members of that name. What a program
// wrote as one word, such as lastUpdateTime, is read as words. If they are no names and no number, only
// what the call knows to be personal is masked.
func (d *document) addName(n *jsontree.Node) {
	name := n.Key
	if d.names[name] == nil {
		d.call.AddOther(name, func(s string) {
			for _, m := range d.names[name] {
				d.renamed[m] = s
			}
		})
		d.readProgram(d.call.Others[len(d.call.Others)-1])
	}
	d.names[name] = append(d.names[name], n)
}

// readProgram makes the words of an identifier of a program the text.
func (d *document) readProgram(t *transcript.Turn) {
	if words, plain := harmless.Program(t.Text); words != nil {
		t.Text, t.Plain = strings.Join(words, " "), plain
	}
}

// speakerNames are the names of members that say who speaks, and those that do so within such a member.
var (
	speakerNames = harmless.Set("speaker speakerid speakername speakerlabel user userid username sender senderid sendername author authorid authorname " +
		"participant participantid participantname agentname customername callername")
	withinSpeaker = harmless.Set("id name label displayname")
)

// isSpeaker reports whether a value is in the place of a speaker: under a name that says so, or as the identifier or
// the name of an object that has such a name.
func isSpeaker(parent, name string) bool {
	name = harmless.PlainName(name)
	return speakerNames[name] || withinSpeaker[name] && speakerNames[harmless.PlainName(parent)]
}

// rename writes the names that are changed. Two members of an object keep two names.
func (d *document) rename(n *jsontree.Node) {
	taken := map[string]bool{}
	for _, c := range n.Children {
		if _, changed := d.renamed[c]; !changed {
			taken[c.Key] = true
		}
		d.rename(c)
	}
	for _, c := range n.Children {
		name, changed := d.renamed[c]
		if !changed {
			continue
		}
		unique := name
		for i := 2; taken[unique]; i++ {
			unique = fmt.Sprintf("%s (%d)", name, i)
		}
		taken[unique] = true
		d.source.Replace(c.KeyStart, c.KeyEnd, jsontree.Quote(unique))
	}
}
