// Package jsondoc reads the JSON that recognizers write.
//
// A format (formats.go) finds the turns of a document and the places that repeat them. The walker
// then gives every other string to the call as a text, unless its name and its form show that it is
// harmless: a time, a score, an identifier (harmless.go). So a field that nobody thought of is
// anonymized like a sentence.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"strconv"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
	"sotto/schemas"
)

// document is a JSON text that is being read.
type document struct {
	root   *node
	source *transcript.Source
	call   *transcript.Call
	calls  []*transcript.Call
	notes  []string
	// inner are documents within strings of this one.
	inner []func()
	// names are the members whose names are not those of a format.
	names map[string][]*node
}

// Read reads a document. format is the name of its format, "" to detect it. The second result is
// the name of the format; it is "" if the format is not known.
func Read(s, format string) (*transcript.Document, string, error) {
	root, err := parse(s)
	if err != nil {
		return nil, "", err
	}
	for i := range formats {
		f := &formats[i]
		if format == f.name || format == "" && f.detect(root) {
			return newDocument(s, root).read(f), f.name, nil
		}
	}
	return nil, "", nil
}

// Names are the names of the formats.
func Names() []string {
	names := make([]string, 0, len(formats))
	for i := range formats {
		names = append(names, formats[i].name)
	}
	return names
}

func newDocument(s string, root *node) *document {
	d := &document{root: root, source: transcript.NewSource(s)}
	d.newCall("")
	return d
}

// newCall begins a further call, unless nothing was added to the one before.
func (d *document) newCall(id string) {
	if d.call == nil || len(d.call.Turns) > 0 {
		d.call = &transcript.Call{}
		d.calls = append(d.calls, d.call)
	}
	d.call.ID = id
}

func (d *document) read(f *format) *transcript.Document {
	f.read(d)
	d.addOthers(d.root, "")
	return &transcript.Document{Calls: d.calls, Notes: d.notes, Encode: func() ([]byte, error) { return []byte(d.encode()), nil }}
}

func (d *document) encode() string {
	for _, set := range d.inner {
		set()
	}
	return d.source.Changed()
}

// set replaces a value by a string.
func (d *document) set(n *node, s string) { d.source.Replace(n.start, n.end, quote(s)) }

// setter claims a string and returns the function that replaces it.
func (d *document) setter(n *node) func(string) {
	n.claimed = true
	return func(s string) { d.set(n, s) }
}

// quote returns a string as JSON, with as few escapes as possible.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// turn adds a turn with the text of a node, which may be nil if words give the text.
func (d *document) turn(n *node, speaker schemas.Speaker) *transcript.Turn {
	t := d.newTurn(n, speaker)
	d.call.Turns = append(d.call.Turns, t)
	return t
}

// other adds a text that is no turn, such as a further hypothesis.
func (d *document) other(n *node) *transcript.Turn {
	t := d.newTurn(n, schemas.Speaker{})
	d.call.Others = append(d.call.Others, t)
	return t
}

func (d *document) newTurn(n *node, speaker schemas.Speaker) *transcript.Turn {
	t := &transcript.Turn{Speaker: speaker}
	if n.isText() {
		t.Text, t.Set = n.str, d.setter(n)
	}
	return t
}

// texts is the repeat that consists of strings.
func (d *document) texts(nodes ...*node) transcript.Repeat {
	var slots []transcript.Slot
	for _, n := range nodes {
		if n.isText() {
			slots = append(slots, transcript.Slot{Text: n.str, Set: d.setter(n)})
		}
	}
	return transcript.TextsRepeat(slots)
}

// repeat makes strings repeat what turns said; nil means all turns.
func (d *document) repeat(of []*transcript.Turn, nodes ...*node) {
	r := d.texts(nodes...)
	if r.Of = of; len(r.Pieces) > 0 {
		d.call.Repeats = append(d.call.Repeats, r)
	}
}

// label adds a place that names a speaker.
func (d *document) label(n *node, s schemas.Speaker) {
	if n.isText() && n.str != "" && !n.claimed {
		s.Label = n.str
		d.call.Labels = append(d.call.Labels, transcript.Label{Speaker: s, Set: d.setter(n)})
	}
}

// addOthers adds all strings that are not claimed and not harmless, those of names of members
// included.
func (d *document) addOthers(n *node, name string) {
	if n.key != "" {
		name = n.key
		if !harmless.Name(name) {
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
	case text, number:
		if n.str == "" || harmless.Value(name, n.str) {
			return
		}
		if harmless.Opaque(name) || harmless.Encoded(n.str) {
			d.set(n, harmless.OpaqueMark)
			return
		}
		d.addText(n.str, func(s string) { d.set(n, s) })
	}
}

func (d *document) addText(s string, set func(string)) {
	d.call.Others = append(d.call.Others, &transcript.Turn{Text: s, Set: set})
}

// addName adds the name of a member as a text, once for all members of that name.
func (d *document) addName(n *node) {
	name := n.key
	if d.names == nil {
		d.names = map[string][]*node{}
	}
	if d.names[name] == nil {
		d.addText(name, func(s string) {
			for _, m := range d.names[name] {
				d.source.Replace(m.keyStart, m.keyEnd, quote(s))
			}
		})
	}
	d.names[name] = append(d.names[name], n)
}

// millis returns seconds as milliseconds, nil if the node is not a number of them.
func millis(n *node, unit float64) *int64 {
	f, err := strconv.ParseFloat(n.string(), 64)
	if err != nil || f < 0 || f > 1e12 {
		return nil
	}
	ms := int64(f * unit)
	return &ms
}
