package jsondoc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sotto/detectors/lexicon"
	"sotto/formats/harmless"
	"sotto/internal/wordhash"
)

// addOthers adds all strings and numbers that are not claimed and not harmless, and the names of
// members that are not those of a format.
func (d *document) addOthers(n *node, name string) {
	if n.key != "" {
		name = n.key
		if !harmless.Name(name) && !d.limits.Value("id", name) && (d.mapping == nil || !d.mapping.names[name]) {
			d.addName(n)
		}
	}
	if n.claimed {
		return
	}
	switch n.kind {
	case object, array:
		if len(n.children) > 0 && n.kind == array && name == "tokens" && n.children[0].kind == number {
			// The token IDs of a language model are the words, in another alphabet.
			d.source.Replace(n.start, n.end, "[]")
			return
		}
		for _, c := range n.children {
			d.addOthers(c, name)
		}
	case text:
		d.call.AddValue(d.limits, name, n.str, func(s string) { d.set(n, s) })
	case number:
		if !harmless.Small(name, n.str) { // it stays a number
			d.call.AddValue(d.limits, name, n.str, func(string) { d.source.Replace(n.start, n.end, "0") })
		}
	}
}

// programName is a name as programs write them.
var programName = regexp.MustCompile(`^[@$_]*[A-Za-z][A-Za-z0-9]*(?:[_.:-]+[A-Za-z0-9]+)*_*$`)

// addName adds the name of a member as a text, once for all members of that name. What a program
// wrote as one word, such as lastUpdateTime, is read as words. If they are no names and no number, only
// what the call knows to be personal is masked.
func (d *document) addName(n *node) {
	name := n.key
	if d.names[name] == nil {
		d.call.AddOther(name, func(s string) {
			for _, m := range d.names[name] {
				d.renamed[m] = s
			}
		})
		if words := harmless.Words(name); (len(words) > 1 || name == strings.ToLower(name)) && programName.MatchString(name) {
			t := d.call.Others[len(d.call.Others)-1]
			t.Text, t.Plain = strings.Join(words, " "), !slices.ContainsFunc(words, maybePersonal)
		}
	}
	d.names[name] = append(d.names[name], n)
}

// maybePersonal reports whether a word of a program's name is a name rather than a word, or a number.
func maybePersonal(word string) bool {
	e := lexicon.LookupHash(wordhash.String(word))
	return e.Name() > e.Common() || len(strings.Trim(word, "0123456789")) <= len(word)-4
}

// rename writes the names that are changed. Two members of an object keep two names.
func (d *document) rename(n *node) {
	taken := map[string]bool{}
	for _, c := range n.children {
		if _, changed := d.renamed[c]; !changed {
			taken[c.key] = true
		}
		d.rename(c)
	}
	for _, c := range n.children {
		name, changed := d.renamed[c]
		if !changed {
			continue
		}
		unique := name
		for i := 2; taken[unique]; i++ {
			unique = fmt.Sprintf("%s (%d)", name, i)
		}
		taken[unique] = true
		d.source.Replace(c.keyStart, c.keyEnd, quote(unique))
	}
}
