// Package jsondoc reads the JSON that recognizers write.
//
// A format is a mapping (mappings) that says where the turns of a document are and the places that
// repeat them. The walker (others.go) then gives every other string to the call as a text, unless its
// name and its form show that it is harmless: a time, a score, an identifier. So a field that nobody
// thought of is anonymized like a sentence.
package jsondoc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/files/formats/harmless"
	"sotto/files/formats/jsontree"
	"sotto/files/formats/table"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// document is a JSON text that is being read.
type document struct {
	root      *jsontree.Node
	source    *transcript.Source
	call      *transcript.Call
	calls     []*transcript.Call
	notes     []string
	inner     []func()
	mapping   *mapping                // nil if there is none
	lists     map[*jsontree.Node]bool // of words that are known
	removed   map[*jsontree.Node]bool
	positions []positions
	// names are the members whose names are not those of a format, renamed are those that are changed.
	names   map[string][]*jsontree.Node
	renamed map[*jsontree.Node]string
	limits  harmless.Limits
}

type format struct {
	name   string
	detect func(root *jsontree.Node) bool
	read   func(d *document)
}

// formats are in the order in which they are tried. They are set in init, because a vCon may contain
// any of them.
var formats []format

func init() {
	formats = []format{{"vcon", isVcon, readVcon}}
	for _, m := range mappings() {
		formats = append(formats, format{m.Name, m.detects, m.read})
	}
	formats = append(formats,
		format{"utterances", func(n *jsontree.Node) bool { return utteranceMapping(n) != nil }, func(d *document) {
			if m := utteranceMapping(d.root); m != nil {
				m.read(d)
			}
		}},
		// json is any JSON: all strings are anonymized, one after the other.
		format{"json", func(*jsontree.Node) bool { return false }, func(*document) {}})
}

// isVcon reports whether a document is a vCon, which need not say its version.
func isVcon(n *jsontree.Node) bool {
	return n.Meets("parties") && (n.Meets("vcon") || len(n.Member("dialog").Items()) > 0 && n.Meets("analysis | attachments"))
}

// Read reads a document. format is the name of its format, "" to detect it. The second result is
// the name of the format; it is "" if the format is not known.
func Read(s, format string) (*transcript.Document, string, error) {
	root, err := jsontree.Parse(s)
	if err != nil {
		return nil, "", err
	}
	for i := range formats {
		f := &formats[i]
		if format == f.name || format == "" && f.detect(root) {
			return newDocument(s, root).read(f.read), f.name, nil
		}
	}
	return nil, "", nil
}

// CheckMapping returns what is wrong with the text of a mapping.
func CheckMapping(text string) error {
	_, err := readMapping([]byte(text), "")
	return err
}

// ReadMapped reads a document, or one a line, as a mapping says, which is the text of a YAML file.
func ReadMapped(s, mapping string) (*transcript.Document, error) {
	m, err := readMapping([]byte(mapping), "mapping")
	if err != nil {
		return nil, fmt.Errorf("the mapping: %w", err)
	}
	var d *transcript.Document
	if root, notOne := jsontree.Parse(s); notOne == nil {
		d = newDocument(s, root).read(m.read)
	} else if d, err = readLines(s, table.Columns{}, []format{{"", func(*jsontree.Node) bool { return true }, m.read}}); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(d.Calls, func(c *transcript.Call) bool { return len(c.Turns) > 0 }) {
		return nil, errors.New("no path of the mapping's turns leads to a text; compare them with the names in the file")
	}
	return d, nil
}

// Near returns the names of the formats that have the most in common with a document, the nearest
// first.
func Near(s string) []string {
	root, err := jsontree.Parse(s)
	if err != nil {
		return nil
	}
	var near []string
	shares := map[string]float64{}
	for _, m := range mappings() {
		if shares[m.Name] = m.share(root); shares[m.Name] > 0 {
			near = append(near, m.Name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(shares[b], shares[a]) })
	return near[:min(len(near), 3)]
}

// Names are the names of the formats.
func Names() []string {
	names := make([]string, 0, len(formats))
	for i := range formats {
		names = append(names, formats[i].name)
	}
	return names
}

func newDocument(s string, root *jsontree.Node) *document {
	d := &document{root: root, source: transcript.NewSource(s), limits: harmless.For(len(s)),
		lists: map[*jsontree.Node]bool{}, removed: map[*jsontree.Node]bool{}, names: map[string][]*jsontree.Node{}, renamed: map[*jsontree.Node]string{}}
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

func (d *document) read(format func(*document)) *transcript.Document {
	format(d)
	d.addOthers(d.root, "")
	return &transcript.Document{Calls: d.calls, Notes: d.notes, Encode: func() ([]byte, error) { return []byte(d.encode()), nil }}
}

func (d *document) encode() string {
	for _, set := range d.inner {
		set()
	}
	d.movePositions()
	d.rename(d.root)
	return d.source.Changed()
}

func (d *document) set(n *jsontree.Node, s string) {
	d.source.Replace(n.Start, n.End, jsontree.Quote(s))
}

// setter claims a string and returns the function that replaces it.
func (d *document) setter(n *jsontree.Node) func(string) {
	n.Claimed = true
	return func(s string) { d.set(n, s) }
}

// turn returns a turn with the text of a node, which may be nil.
func (d *document) turn(n *jsontree.Node, speaker schemas.Speaker) *transcript.Turn {
	t := &transcript.Turn{Speaker: speaker}
	if n.IsText() {
		t.Text, t.Set = n.Str, d.setter(n)
	}
	return t
}

// texts is the repeat that consists of strings that nothing has claimed.
func (d *document) texts(found []jsontree.Match) transcript.Repeat {
	var slots []transcript.Slot
	for _, m := range found {
		if m.IsText() && !m.Claimed {
			slots = append(slots, transcript.Slot{Text: m.Str, Set: d.setter(m.Node)})
		}
	}
	return transcript.TextsRepeat(slots)
}

func (d *document) label(n *jsontree.Node, s schemas.Speaker) {
	if n.IsText() && n.Str != "" && !n.Claimed {
		s.Label = n.Str
		d.call.Labels = append(d.call.Labels, transcript.Label{Speaker: s, Set: d.setter(n)})
	}
}

// millis returns a time in milliseconds, nil if the node is none: a number of a unit, 1.5s, PT1.5S, 00:01:02.5 or
// {"seconds": 1, "nanos": 500000000}, in which what is 0 may be missing.
func millis(n *jsontree.Node, unit float64) *int64 {
	if seconds, nanos := n.Member("seconds"), n.Member("nanos"); n != nil && n.Kind == jsontree.Object && (seconds != nil || nanos != nil) {
		whole, part := millis(seconds, 1000), millis(nanos, 1e-6)
		switch {
		case whole == nil:
			return part
		case part != nil:
			*whole += *part
		}
		return whole
	}
	s := strings.ToLower(n.Scalar())
	f, err := strconv.ParseFloat(s, 64)
	f *= unit
	if err != nil {
		var d time.Duration
		if d, err = time.ParseDuration(strings.TrimPrefix(s, "pt")); strings.Count(s, ":") == 2 {
			d, err = time.ParseDuration(strings.Replace(strings.Replace(s, ":", "h", 1), ":", "m", 1) + "s")
		}
		f = d.Seconds() * 1000
	}
	if err != nil || f < 0 || f > 1e12 {
		return nil
	}
	return new(int64(f))
}

// speaker returns the speaker with a label, which is an identifier that need not be anonymized if it
// has the form of one.
func (d *document) speaker(label *jsontree.Node) schemas.Speaker {
	s := schemas.Speaker{ID: label.Scalar(), Role: role(label.Scalar())}
	if label.IsText() && harmless.Speaker(label.Str) {
		label.Claimed = true
	}
	if label.IsText() && !label.Claimed && !harmless.Speaker(label.Str) && !d.limits.Value("id", label.Str) {
		s.Label = label.Str
		d.label(label, s)
	}
	return s
}

func role(word string) schemas.Role {
	switch strings.ToLower(word) {
	case "agent":
		return schemas.RoleAgent
	case "customer":
		return schemas.RoleCustomer
	}
	return ""
}

// times sets when a turn begins and ends; unit is that of the numbers, in milliseconds.
func times(t *transcript.Turn, start, end *jsontree.Node, unit float64) {
	t.StartMS, t.EndMS = millis(start, unit), millis(end, unit)
}
